"""Starts of the project's programs, forked from a process that has imported them already.

Python needs more than a second of a core to import a server, and hundreds of tests start one. While
`forking` is on, `subprocess.Popen` hands `python -m MODULE` for the modules of `_PROGRAMS` to a
*zygote*: a process with one thread that has imported everything and forks on request. The new
process is a child of who asked (`CLONE_PARENT`), so that pids, signals, exit codes and waiting are
as ever. It has a zygote of its own, forked before it begins, for the programs that it starts.

What a start imports, and from where, is not what a user's does: tests of that use `true_start`.
Off Linux, and for what a fork cannot do, every start is a true one.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pkgutil
import platform
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypedDict, get_args

import attrs
from cattrs.errors import StructureHandlerNotFoundError

_ROOT = Path(__file__).parent.parent
_PROGRAMS = {
    "glossator",
    "glossator.lsp",
    "glossator.worker",
    "tests.at_terminal",
    "tests.cli.program",
    "tests.lsp.support.minimal",
}
_LATE = (  # what the programs import when they need it
    "anthropic.resources.messages",
    "anyio._backends._asyncio",
    "markdown_it",
    "rich.markdown",
    "rich.progress",
    "tests.lsp.support.service",
    "typer._adapters",
    "typer._click.decorators",
)
_SENT = (  # what a server asks and tells
    "$/progress",
    "client/registerCapability",
    "window/logMessage",
    "window/showMessage",
    "window/showMessageRequest",
    "window/workDoneProgress/create",
    "workspace/applyEdit",
    "workspace/codeLens/refresh",
)
_LEFT_OUT = "glossator.llm.backends"
_CLONE_PARENT = 0x8000
_CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
_CAN_FORK = sys.platform == "linux" and _CLONE is not None
_PYTHON = sys.executable
_PLACES = {str(_ROOT), str(_ROOT / "server")}
_PYTHON_VARIABLES = {
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
}  # that a fork obeys
_LENGTH = 8  # bytes of a number on the socket

_execute = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_lock = threading.Lock()


class _Start(TypedDict):
    words: list[str]  # after `python`
    folder: str
    environment: dict[str, str]
    passed: list[int]  # the numbers of further descriptors
    own_session: bool
    group: int


class _Door:
    """The way to a zygote."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def fork(self, start: _Start, descriptors: Sequence[int]) -> int:
        """The pid of the new process. `descriptors` are its standard streams, then `passed`."""
        text = json.dumps(start).encode()
        socket.send_fds(self._connection, [len(text).to_bytes(_LENGTH)], descriptors)
        self._connection.sendall(text)
        if pid := int.from_bytes(self._connection.recv(_LENGTH, socket.MSG_WAITALL)):
            return pid
        raise RuntimeError("The process that forks the programs of the tests has ended.")


_door: _Door | None = None
_is_on = False


@contextmanager
def forking() -> Iterator[None]:
    """Within the block, the project's programs are forked."""
    global _is_on  # noqa: PLW0603 - as `subprocess` is one for the process
    before, _is_on = _is_on, _CAN_FORK
    subprocess.Popen._execute_child = _forked  # type: ignore[attr-defined]
    try:
        yield
    finally:
        _is_on = before


@contextmanager
def true_starts() -> Iterator[None]:
    """Within the block, every program is started as users start it."""
    global _is_on  # noqa: PLW0603 - likewise
    before, _is_on = _is_on, False
    try:
        yield
    finally:
        _is_on = before


def _forked(  # noqa: PLR0917 - Python's own parameters
    popen: Any,
    args: Any,
    executable: Any,
    preexec_fn: Any,
    close_fds: bool,
    pass_fds: Sequence[int],
    cwd: Any,
    env: Any,
    startupinfo: Any,
    creationflags: Any,
    shell: bool,
    p2cread: int,
    p2cwrite: int,
    c2pread: int,
    c2pwrite: int,
    errread: int,
    errwrite: int,
    restore_signals: bool,
    gid: Any,
    gids: Any,
    uid: Any,
    umask: int,
    start_new_session: bool,
    process_group: int,
) -> None:
    """In the place of `Popen._execute_child` (CPython 3.11 to 3.14)."""
    global _door  # noqa: PLW0603 - one zygote for the process
    environment = dict(os.environ if env is None else env)
    words = _words(args, environment)
    folder = os.fspath(cwd or ".")
    plain = (preexec_fn, gid, gids, uid) == (None,) * 4 and umask < 0 and close_fds and not shell
    if not (_is_on and plain and words and executable in {None, _PYTHON} and os.path.isdir(folder)):
        _execute(
            *(popen, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo),
            *(creationflags, shell, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite),
            *(restore_signals, gid, gids, uid, umask, start_new_session, process_group),
        )
        return
    start = _Start(
        words=words,
        folder=os.path.abspath(folder),
        environment=environment,
        passed=[*pass_fds],
        own_session=start_new_session,
        group=process_group,
    )
    streams = [
        number if pipe == -1 else pipe for number, pipe in enumerate((p2cread, c2pwrite, errwrite))
    ]
    try:
        with _lock:
            if _door is None:
                connection = _hatch()
                atexit.register(connection.close)  # else Python warns of it at its end
                _door = _Door(connection)
            popen.pid = _door.fork(start, [*streams, *pass_fds])
        popen._child_created = True
    finally:
        popen._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)


def _words(args: Any, environment: dict[str, str]) -> list[str]:
    """What follows `python`, if it is a program that a fork can be; else nothing."""
    words = [os.fspath(word) for word in args] if isinstance(args, list | tuple) else []
    places = {place for place in environment.get("PYTHONPATH", "").split(os.pathsep) if place}
    odd = [
        name
        for name in environment
        if (name.startswith("PYTHON") and name not in _PYTHON_VARIABLES)
        or (name.startswith(("LANG", "LC_")) and environment[name] != os.environ.get(name))
    ]
    if words[:1] != [_PYTHON] or odd or not places <= _PLACES:
        return []
    options = 2 if words[1:2] == ["-P"] else 1
    is_ours = words[options : options + 1] == ["-m"] and words[options + 1] in _PROGRAMS
    return words[1:] if is_ours else []


def _hatch() -> socket.socket:
    """A zygote, as a child of this process; it ends with the socket."""
    ours, theirs = socket.socketpair()
    places = os.pathsep.join(_PLACES)
    with theirs, true_starts():
        number = theirs.fileno()
        process = subprocess.Popen(
            [_PYTHON, "-m", "tests.forks", str(number)],
            pass_fds=[number],
            cwd=_ROOT,
            env=os.environ | {"PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"},
        )
        process.returncode = 0  # nobody waits for it
    return ours


def _import_all() -> None:
    """What any of the programs may need."""
    import_module("glossator.llm.lazy_sdk").import_sdk()
    package = import_module("glossator")
    for module in pkgutil.walk_packages(package.__path__, "glossator."):
        if not module.name.startswith(_LEFT_OUT) and not module.name.endswith("__main__"):
            import_module(module.name)
    for name in _LATE:
        import_module(name)
    _generate_all()


def _generate_all() -> None:
    """The code and the schemas that the programs make of types; they are kept for the process."""
    _generate_hooks()
    generated: Any = import_module("glossator.core.generated_code")
    generated.begin = generated.end = lambda *_: None  # what it keeps is compiled for all
    schemas = import_module("glossator.tools.schemas")
    for args in import_module("glossator.tools.base").ToolArgs.__subclasses__():
        schemas.schema_of(args)
    typer: Any = import_module("typer.main")
    typer.get_command = cache(typer.get_command)
    typer.get_command(import_module("glossator.cli.app").app)


def _generate_hooks() -> None:
    """The code that reads and writes the messages which a server takes and sends."""
    protocol = import_module("glossator.lsp.features").build_server().protocol
    methods = {*protocol.fm.builtin_features, *protocol.fm.features, *_SENT}
    of_methods = import_module("lsprotocol.types").METHOD_TO_TYPES
    kinds: dict[Any, None] = {}
    for method in methods & of_methods.keys():
        for kind in of_methods[method][:2]:  # the request or notification, and the response
            _add_parts(kind, kinds)
    converter = import_module("glossator.lsp.messages").make_converter()
    for _ in range(2):  # some clear what was kept before them, but only once
        for kind in kinds:
            converter.get_unstructure_hook(kind)
            with suppress(StructureHandlerNotFoundError):  # it is only written
                converter.get_structure_hook(kind)


def _add_parts(kind: Any, kinds: dict[Any, None]) -> None:
    """The type, and all types in it."""
    if kind in kinds:
        return
    kinds[kind] = None
    fields = attrs.fields(attrs.resolve_types(kind)) if attrs.has(kind) else ()
    for part in (*get_args(kind), *(field.type for field in fields)):
        _add_parts(part, kinds)


def _serve(door: socket.socket) -> tuple[_Start, list[int]]:
    """Fork on request; this returns in the new process only."""
    while True:
        head, descriptors, _, _ = socket.recv_fds(door, _LENGTH, 64)
        if not head:
            os._exit(0)
        start = json.loads(door.recv(int.from_bytes(head), socket.MSG_WAITALL))
        if not (pid := _fork_for_parent()):
            door.close()
            return start, descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        door.sendall(pid.to_bytes(_LENGTH))


def _fork_for_parent() -> int:
    """Like `os.fork`, but the new process is a child of this one's parent."""
    python = ctypes.PyDLL(None)
    python.PyOS_BeforeFork()
    pid: int = python.syscall(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid:
        python.PyOS_AfterFork_Parent()
    else:
        python.PyOS_AfterFork_Child()
    return pid


def _become(start: _Start, descriptors: list[int]) -> None:
    """Take the place that `subprocess` gives to a new process."""
    high = [os.dup(each) if each < 3 else each for each in descriptors]
    wanted = dict(zip([0, 1, 2, *start["passed"]], high, strict=True))
    free = max([*wanted, *high]) + 1
    moved = {to: os.dup2(each, free + index) for index, (to, each) in enumerate(wanted.items())}
    for to, each in moved.items():
        os.dup2(each, to)
    for each in map(int, os.listdir("/proc/self/fd")):
        if each not in wanted:
            with suppress(OSError):
                os.close(each)
    if start["own_session"]:
        os.setsid()
    if start["group"] >= 0:
        os.setpgid(0, start["group"])
    os.chdir(start["folder"])
    os.environ.clear()
    os.environ.update(start["environment"])
    time.tzset()
    _open_streams()


def _open_streams() -> None:
    now = bool(os.environ.get("PYTHONUNBUFFERED"))
    for number, (name, errors) in enumerate(
        {"stdin": "strict", "stdout": "strict", "stderr": "backslashreplace"}.items()
    ):
        binary = open(  # noqa: SIM115 - it stays open
            number, "wb" if number else "rb", 0 if now and number else -1, closefd=False
        )
        lines = number == 2 or os.isatty(number)
        stream = TextIOWrapper(binary, "utf-8", errors, line_buffering=lines, write_through=now)
        stream.mode = "w" if number else "r"  # type: ignore[misc]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run(door: socket.socket) -> None:
    """Be a zygote; in each process that is forked, be the program."""
    global _door  # noqa: PLW0603 - this process has another than the one that forked it
    while True:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it goes to a terminal's whole group
        start, descriptors = _serve(door)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _become(start, descriptors)
        if "glossator.worker" in start["words"]:
            _door = None  # it starts no program of ours
            break
        ours, door = socket.socketpair()
        if os.fork():
            door.close()
            _door = _Door(ours)
            break
        ours.close()
        _leave_all_but(door)
    _program(start["words"])


def _leave_all_but(door: socket.socket) -> None:
    """What the program has open is not kept open by its zygote."""
    for each in map(int, os.listdir("/proc/self/fd")):
        if each != door.fileno():
            with suppress(OSError):
                os.close(each)
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)


def _program(words: list[str]) -> None:
    safe = words[0] == "-P"
    _, module, *arguments = words[safe:]
    if safe:
        sys.path.pop(0)
    else:
        sys.path[0] = os.getcwd()
    sys.argv[1:] = arguments
    code: Any = 0
    with forking():
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            code = end.code or 0
            if not isinstance(code, int):
                raise
    _end(code)


def _end(code: int) -> None:
    """End as Python does, but without taking apart a thousand modules: 0.1 s of a core."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # Python itself says what it could not write
    os._exit(code)


def _main() -> None:
    """The zygote of a process of tests."""
    door = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()  # what follows only makes things that stay
    _import_all()
    gc.freeze()
    gc.enable()
    _run(door)


if __name__ == "__main__":
    # as the module by its name: `subprocess` is patched with its functions
    import_module("tests.forks")._main()
