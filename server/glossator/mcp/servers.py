"""Which servers there are, and what each would run: the user's, and what a workspace proposes.

A server is described in the shape that other clients know as `mcpServers`. The user's stand in the
settings. A workspace's `.mcp.json` only proposes: `ServerSpec.sha256` is of exactly what would run,
and a proposal runs once the user adopted that.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ValidationError

from glossator.core.shown import shown
from glossator.files import is_inside
from glossator.sandbox import scrubbed
from glossator.settings import McpServerSettings

FILE = ".mcp.json"

_NAME = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
_NAME_CHARACTERS = 30
_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")
_FOLDER = "workspaceFolder"
_FILE_BYTES = 1_000_000  # of .mcp.json
_HASHED_BYTES = 50_000_000  # of a file that would be run
_MOST = 50  # servers of one file
_KEYS = frozenset(McpServerSettings.model_fields)

Source = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Launch:
    """What a server is: a program with all that decides what it does, or an address.

    `command` is empty for an address; its first word is the resolved program. `environment` is all
    that the program gets, `headers` go with each request.
    """

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A server as it would run now; `problem` says why it cannot, and there is no `launch` then.

    `file` is where it stands: the settings, or the `.mcp.json` of the workspace `folder` (a real
    path). `words` are its command line or address as written, without values of variables, which
    `variables` name; `details` all else that is written of it, a line each, which may be secret.
    `influenced`: it runs in the workspace or runs a file of it.
    """

    name: str
    source: Source
    file: str
    words: str
    launch: Launch | None = None
    problem: str = ""
    enabled: bool = True
    folder: str = ""
    sha256: str = ""
    variables: tuple[str, ...] = ()
    influenced: bool = False
    details: tuple[str, ...] = field(default=(), repr=False)


class _Unset(ValueError):
    """A variable that is not set and has no default."""


def name_problem(name: str) -> str:
    """Why a server cannot have a name; "" if it can."""
    if _NAME.fullmatch(name) and len(name) <= _NAME_CHARACTERS:
        return ""
    return (
        f"A server's name has letters, digits, - and single _ only, {_NAME_CHARACTERS} characters"
        " at most. Give it another name."
    )


def user_servers(
    settings: Mapping[str, McpServerSettings],
    environment: Mapping[str, str],
    roots: tuple[str, ...],
) -> list[ServerSpec]:
    """The servers of the user's settings; blocking."""
    home = environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~")
    return [
        _spec(name, "user", "the settings", given, environment, roots, home)
        for name, given in sorted(settings.items())
    ]


def project_servers(
    roots: Iterable[str], environment: Mapping[str, str]
) -> tuple[list[ServerSpec], list[str]]:
    """What the `.mcp.json` of each workspace folder proposes, and what is wrong; blocking."""
    found: list[ServerSpec] = []
    problems: list[str] = []
    for root in map(os.path.realpath, roots):
        file = os.path.join(root, FILE)
        entries = _entries(file)
        if isinstance(entries, str):
            problems.append(entries)
            continue
        for name, value in sorted(entries.items())[:_MOST]:
            try:
                given = McpServerSettings.model_validate(_known(value))
            except ValidationError as error:
                why = "; ".join(
                    f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}"
                    for each in error.errors()[:3]
                )
                found.append(ServerSpec(name, "project", file, "", problem=shown(why), folder=root))
                continue
            found.append(_spec(name, "project", file, given, environment, (root,), root))
    return found, problems


def _entries(file: str) -> dict[str, object] | str:
    """The servers that a file names; or what is wrong with it."""
    try:
        if not os.path.isfile(file):
            return {}
        with Path(file).open("rb") as opened:
            content = opened.read(_FILE_BYTES + 1)
        if len(content) > _FILE_BYTES:
            return f"{shown(file)} has more than {_FILE_BYTES:,} bytes, so it is not read."
        data = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        return f"{shown(file)} cannot be read ({shown(str(error))}). Correct it."
    servers = data.get("mcpServers") if isinstance(data, dict) else None
    if not isinstance(servers, dict):
        return f'{shown(file)} has no object "mcpServers". Correct it.'
    return servers


def _known(value: object) -> object:
    """What it says to us; other keys are for other clients."""
    if not isinstance(value, dict):
        return value
    return {key: each for key, each in value.items() if key in _KEYS}


def _spec(
    name: str,
    source: Source,
    file: str,
    given: McpServerSettings,
    environment: Mapping[str, str],
    roots: tuple[str, ...],
    home: str,
) -> ServerSpec:
    spec = ServerSpec(
        name,
        source,
        file,
        shown(shlex.join((given.command, *given.args)) if given.command else given.url or ""),
        enabled=given.enabled,
        folder=roots[0] if source == "project" else "",
        variables=tuple(dict.fromkeys(_variables(given))),
        details=tuple(map(shown, _details(given))),
    )
    if problem := name_problem(name) or _contradiction(given):
        return replace(spec, problem=problem)
    try:
        return _ready(spec, given, environment, roots, home)
    except (OSError, ValueError) as error:  # such as a NUL in a path, or half of an IPv6 address
        return replace(spec, problem=f"It cannot be used: {shown(str(error))}.")


def _ready(
    spec: ServerSpec,
    given: McpServerSettings,
    environment: Mapping[str, str],
    roots: tuple[str, ...],
    home: str,
) -> ServerSpec:
    """The server with what would run, or with why it cannot. Raises `OSError`, `ValueError`."""
    known = {**environment, _FOLDER: roots[0]} if roots else environment
    try:
        launch = _launch(given, known, home)
    except _Unset as error:
        return replace(spec, problem=str(error))
    if launch.command and not launch.command[0]:
        where = "" if os.path.isabs(given.command or "") else " on PATH"
        missing = f"There is no program {shown(given.command or '')}{where}. Install it."
        return replace(spec, problem=missing)
    inside = list(_files_inside(launch, roots))
    influenced = bool(inside) or any(is_inside(os.path.realpath(launch.cwd), r) for r in roots)
    sha256 = _fingerprint(launch, given.env, inside)
    return replace(
        spec, launch=launch, sha256=sha256, influenced=bool(launch.command) and influenced
    )


def _contradiction(given: McpServerSettings) -> str:
    if (given.command is None) == (given.url is None):
        return "It needs either a command or a url."
    if given.command is None and (given.args or given.env or given.cwd):
        return "args, env and cwd belong to a command, and it has a url."
    if given.url is None and given.headers:
        return "headers belong to a url, and it has a command."
    if given.type is not None and (given.type == "stdio") != (given.command is not None):
        return f"Its type is {given.type}, which does not fit what else is set."
    return ""


def _variables(given: McpServerSettings) -> Iterator[str]:
    """The variables of the environment that it names."""
    texts = (
        given.command or "",
        *given.args,
        *given.env.values(),
        given.cwd or "",
        given.url or "",
        *given.headers.values(),
    )
    for text in texts:
        yield from (each["name"] for each in _VARIABLE.finditer(text) if each["name"] != _FOLDER)


def _details(given: McpServerSettings) -> Iterator[str]:
    """What decides what it does, beside the command line or the address."""
    if given.cwd is not None:
        yield f"It runs in the folder {given.cwd}"
    for name, value in given.env.items():
        yield f"The variable {name} is {value}"
    for name, value in given.headers.items():
        yield f"Each request has the header {name}: {value}"


def _launch(given: McpServerSettings, known: Mapping[str, str], home: str) -> Launch:
    """Raises `_Unset`."""

    def meant(text: str) -> str:
        return _VARIABLE.sub(lambda found: _value(found, known), text)

    if given.url is not None:
        url = meant(given.url)
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise _Unset("Its url must begin with https:// or http:// and name a host.")
        headers = {name: meant(value) for name, value in given.headers.items()}
        return Launch(url=url, headers=headers)
    cwd = os.path.join(home, os.path.expanduser(meant(given.cwd))) if given.cwd else home
    environment = scrubbed(known) | {name: meant(value) for name, value in given.env.items()}
    program = os.path.expanduser(meant(given.command or ""))
    if os.sep in program:
        program = os.path.join(cwd, program)
    found = shutil.which(program, path=environment["PATH"]) or ""
    return Launch((found, *map(meant, given.args)), environment, os.path.normpath(cwd))


def _value(found: re.Match[str], known: Mapping[str, str]) -> str:
    value = known.get(found["name"]) or found["default"]
    if value is None:
        raise _Unset(
            f"The environment has no variable {found['name']}. Set it where Glossator is started,"
            f" or write ${{{found['name']}:-…}} with a value to use instead."
        )
    return value


def _files_inside(launch: Launch, roots: tuple[str, ...]) -> Iterator[str]:
    """The files of the workspace that the command line names, by real path."""
    real = tuple(map(os.path.realpath, roots))
    for word in launch.command:
        for text in {word, word.partition("=")[2]} - {""}:
            path = os.path.realpath(os.path.join(launch.cwd, text))
            if any(is_inside(path, root) for root in real) and os.path.isfile(path):
                yield path


def _fingerprint(launch: Launch, variables: Iterable[str], files: Iterable[str]) -> str:
    """The SHA-256 of canonical JSON of what will run, with the `variables` that it is given.

    The usual variables of a program are left out: they are other ones in each terminal. Raises
    `OSError`.
    """
    what = {
        "command": list(launch.command),
        "env": {name: _digest(launch.environment[name].encode()) for name in variables},
        "cwd": launch.cwd,
        "url": launch.url,
        "headers": {name: _digest(value.encode()) for name, value in launch.headers.items()},
        "files": {path: _file_digest(path) for path in files},
    }
    canonical = json.dumps(what, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return _digest(canonical.encode())


def _file_digest(path: str) -> str:
    if os.path.getsize(path) > _HASHED_BYTES:
        raise OSError(f"{path} has more than {_HASHED_BYTES:,} bytes")
    return _digest(Path(path).read_bytes())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
