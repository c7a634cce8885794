"""The start of the program: it spawns the server before it imports anything slow.

It takes the longest to start, so it boots while the command line is read and the libraries that
draw are imported. Standard library only. See docs/decisions/0007.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glossator.cli.asking import Command, Show, Talk, Work
    from glossator.cli.options import CommonOptions

# they ask no server; a wrong guess costs a process
ALONE = frozenset({"acp", "eval", "serve", "trust"})
_ROOMS_ABOVE = {("acp",): "glossator.acp", ("mcp", "serve"): "glossator.mcp_server"}
_HELP = frozenset({"--help", "-h"})

_STDOUT, _STDERR = 1, 2  # descriptors
_FAILED = 1
_MISUSED = 2
_INTERRUPTED = 130
_REQUEST_FAILED = -32803  # LSP's, for what cannot be carried out as it was asked

# Ctrl-C in a terminal reaches the whole foreground group. The server must not get it: the command
# is cancelled first, and its answer awaited. Each of the two is ignored where it has no meaning.
_OWN_GROUP = 0
_OWN_WINDOWS_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


def run_cli(arguments: Sequence[str], server_command: Sequence[str]) -> int:
    """Run one command line; `server_command` starts a language server on its standard streams.

    Gives the exit code. Raises `KeyboardInterrupt` before the program itself looks after Ctrl-C.
    """
    _stand_in_for_missing_streams()
    asking = (
        bool(arguments)
        and arguments[0] not in ALONE
        and arguments[:2] != ["mcp", "serve"]
        and not arguments[0].startswith("-")
        and not _HELP.intersection(arguments)
    )
    early = None
    try:
        early = spawn(server_command) if asking else None
        code = _run(with_values(arguments), lambda: early or spawn(server_command))
        sys.stdout.flush()  # what cannot be written fails here, where it can be explained
    except OSError as error:
        _write_off(error)
        return _FAILED
    else:
        return code
    finally:
        if early is not None:
            early.kill()  # does nothing to one that was waited for
            early.wait()


def with_values(arguments: Sequence[str]) -> list[str]:
    """The arguments, with `--worktree` alone as one whose name is chosen: typer knows no such."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    named = ["--worktree=" if each == "--worktree" else each for each in arguments[:end]]
    return [*named, *arguments[end:]]


def _run(arguments: list[str], process: Callable[[], subprocess.Popen[bytes]]) -> int:
    """Run the command line with the server that `process` gives; gives the exit code."""
    if arguments[:1] == ["serve"] and not _HELP.intersection(arguments):
        from glossator.lsp import main  # noqa: PLC0415 - an editor waits, and needs no typer

        return main(arguments[1:])
    for words, room in _ROOMS_ABOVE.items():
        if tuple(arguments[: len(words)]) == words and not _HELP.intersection(arguments):
            return int(import_module(room).main(arguments[len(words) :]))
    from typer.exceptions import TyperException  # noqa: PLC0415 - imported while the server boots

    from glossator.cli.app import app  # noqa: PLC0415 - likewise
    from glossator.core.errors import UsageError  # noqa: PLC0415 - likewise

    def carry_out(
        common: CommonOptions, work: Command | Work | Talk, show: Show, **how: bool
    ) -> int:
        from glossator.cli.run import CommandRun  # noqa: PLC0415 - `--version` and `--help` need no server

        spawned = process()  # if this fails, nothing is drawn yet
        return CommandRun(common, work, show, **how).carry_out(spawned)

    options = arguments[: arguments.index("--") if "--" in arguments else None]
    as_json = "--json" in options
    try:
        # errors in JSON are ours to write, all others typer draws
        code = app(arguments, prog_name="glossator", obj=carry_out, standalone_mode=not as_json)
    except (UsageError, TyperException) as error:
        message = str(getattr(error, "format_message", error.__str__)())  # typer's, and ours
        if as_json:
            print(json.dumps({"error": {"code": _REQUEST_FAILED, "message": message}}))
        print(f"error: {message}", file=sys.stderr)
        return _MISUSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else _FAILED
    return code if isinstance(code, int) else 0


def _stand_in_for_missing_streams() -> None:
    """A program may be started with standard streams closed; nothing else may take their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - for as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - likewise
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115 - likewise


def _write_off(error: OSError) -> None:
    """Explain the failure, unless the reader just left, and let nothing more be written.

    What is still buffered would fail once more at the interpreter's end.
    """
    from glossator.cli.messages import OUTPUT_NEXT_STEP  # noqa: PLC0415 - seldom needed

    if not isinstance(error, BrokenPipeError):
        with suppress(OSError):  # stderr may be what cannot be written: nobody is left to tell
            message = f"error: {error.strerror or error}. {OUTPUT_NEXT_STEP}"
            print(message, file=sys.stderr, flush=True)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (_STDOUT, _STDERR):
        os.dup2(nowhere, descriptor)


def spawn(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start `command` with pipes for its standard streams. Raises `OSError`."""
    return subprocess.Popen(  # noqa: S603 - our own server, by our own interpreter
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=_OWN_GROUP,
        creationflags=_OWN_WINDOWS_GROUP,
    )
