"""Which servers there are, and what each would run: the user's, and what a workspace proposes.

A server is described in the shape that other clients know as `mcpServers`. The user's stand in the
settings. A workspace's `.mcp.json` only proposes: `ServerSpec.sha256` is of exactly what would run,
and a proposal runs once the user adopted that.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ValidationError

from glossator.core.document import Missing, MissingReason
from glossator.core.shown import shown
from glossator.core.uri import home_of
from glossator.permissions import FileDigests, digest, fingerprint, paths_named
from glossator.sandbox import scrubbed
from glossator.settings import McpOauthSettings, McpServerSettings
from glossator.workspace import Roots, is_inside, load_raw

FILE = ".mcp.json"
HANDED = "your editor"  # in place of a file, of servers that it hands over

_NAME = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
_NAME_CHARACTERS = 30
_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")
_FOLDER = "workspaceFolder"
_FILE_BYTES = 100_000  # of .mcp.json
_MAX_SERVERS = 50  # servers of one file
_KEYS = frozenset(McpServerSettings.model_fields)

Source = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Launch:
    """What a server is: a program with all that decides what it does, or an address.

    `command` is empty for an address; its first word is the resolved program. `environment` is all
    that the program gets, `headers` go with each request. `oauth` says how to log in to an address.
    """

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    oauth: McpOauthSettings = field(default_factory=McpOauthSettings, repr=False)

    @property
    def has_key(self) -> bool:
        """Whether the user gave it a key or a password, so that no login is used."""
        in_headers = any(name.lower() == "authorization" for name in self.headers)
        return in_headers or "@" in urlsplit(self.url).netloc


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A server as it would run now; `problem` says why it cannot, and there is no `launch` then.

    `file` is where it stands: the settings, or the `.mcp.json` of the workspace `folder` (a real
    path). `words` are its command line or address as written, without values of variables but for
    `${workspaceFolder}`; `variables` name the others. `details` are all else that is written of it,
    a line each, which may be secret.
    `influenced`: it runs in the workspace, or is told of a path in it. `sha256` is also of `files`
    of the workspace; before trust both are empty for what takes trust: nothing is read for it.
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
    files: tuple[str, ...] = ()
    details: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where servers are described; they run in `home`. Without trust there are no `digests`."""

    source: Source
    file: str
    roots: tuple[str, ...]
    home: str
    digests: FileDigests | None


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
    *,
    trusted: bool = True,
) -> list[ServerSpec]:
    """The servers of the user's settings; blocking."""
    home = home_of(environment) or os.path.expanduser("~")
    place = _Place("user", "the settings", roots, home, FileDigests() if trusted else None)
    return [_spec(name, given, environment, place) for name, given in sorted(settings.items())]


def project_servers(
    roots: Iterable[str], environment: Mapping[str, str], *, trusted: bool = True
) -> tuple[list[ServerSpec], list[str]]:
    """What the `.mcp.json` of each workspace folder proposes, and what is wrong; blocking."""
    digests = FileDigests() if trusted else None
    found: list[ServerSpec] = []
    problems: list[str] = []
    within = Roots.of(roots)
    for root in within.paths:
        file = os.path.join(root, FILE)
        place = _Place("project", file, (root,), root, digests)
        entries = _entries(file, within)
        if isinstance(entries, str):
            problems.append(entries)
            continue
        if len(entries) > _MAX_SERVERS:
            problems.append(
                f"{shown(file)} names {len(entries):,} servers; only {_MAX_SERVERS} count."
            )
        for name, value in sorted(entries.items())[:_MAX_SERVERS]:
            try:
                given = McpServerSettings.model_validate(_known(value))
            except ValidationError as error:
                why = "; ".join(
                    f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}"
                    for each in error.errors()[:3]
                )
                found.append(ServerSpec(name, "project", file, "", problem=shown(why), folder=root))
                continue
            found.append(_spec(name, given, environment, place))
    return found, problems


def handed_servers(
    handed: Mapping[str, McpServerSettings],
    roots: tuple[str, ...],
    environment: Mapping[str, str],
    *,
    trusted: bool = True,
) -> list[ServerSpec]:
    """What an editor hands over for a workspace: proposals as well; blocking."""
    if not handed or not roots:
        return []
    digests = FileDigests() if trusted else None
    place = _Place("project", HANDED, (roots[0],), os.path.realpath(roots[0]), digests)
    return [_spec(name, given, environment, place) for name, given in sorted(handed.items())]


def _entries(file: str, within: Roots) -> dict[str, object] | str:
    """The servers that a file names; or what is wrong with it, as with one that leads outside."""
    raw = load_raw(within, file, _FILE_BYTES, "shorten it to have it read.")
    if isinstance(raw, Missing):
        if raw.reason is MissingReason.ABSENT:
            return {}
        return f"{shown(file)} was not read: {shown(raw.message)}"
    try:
        data = json.loads(raw.content)
    except (ValueError, RecursionError) as error:
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
    name: str, given: McpServerSettings, environment: Mapping[str, str], place: _Place
) -> ServerSpec:

    def told(text: str) -> str:
        """A text as written, with the workspace folder filled in."""
        return text.replace(f"${{{_FOLDER}}}", place.roots[0]) if place.roots else text

    words = map(told, (given.command or "", *given.args))
    spec = ServerSpec(
        name,
        place.source,
        place.file,
        shown(shlex.join(words) if given.command else told(given.url or "")),
        enabled=given.enabled,
        folder=place.home if place.source == "project" else "",
        variables=tuple(dict.fromkeys(_variables(given))),
        details=tuple(shown(told(each)) for each in _details(given)),
    )
    if problem := name_problem(name) or _contradiction(given):
        return replace(spec, problem=problem)
    try:
        return _ready(spec, given, environment, place)
    except (OSError, ValueError) as error:  # such as a NUL in a path, or half of an IPv6 address
        return replace(spec, problem=f"It cannot be used: {shown(str(error))}.")


def _ready(
    spec: ServerSpec, given: McpServerSettings, environment: Mapping[str, str], place: _Place
) -> ServerSpec:
    """The server with what would run, or with why it cannot. Raises `OSError`, `ValueError`."""
    roots, digests = place.roots, place.digests
    known = {**environment, _FOLDER: roots[0]} if roots else environment
    try:
        launch = _launch(given, known, place.home)
    except _Unset as error:
        return replace(spec, problem=str(error))
    if launch.command and not launch.command[0]:
        where = "" if os.path.isabs(given.command or "") else " on PATH"
        missing = f"There is no program {shown(given.command or '')}{where}. Install it."
        return replace(spec, problem=missing)
    if spec.source == "project" and digests is None:
        return replace(spec, launch=launch)
    told = (*launch.command, *(launch.environment[name] for name in given.env))
    inside = paths_named(told, launch.cwd, roots)
    cwd = os.path.realpath(launch.cwd)
    here = any(is_inside(cwd, os.path.realpath(root)) for root in roots)
    influenced = bool(launch.command) and (here or bool(inside))
    if influenced and digests is None:
        return replace(spec, launch=launch, influenced=True)
    files = tuple(filter(os.path.isfile, inside))
    sha256 = _fingerprint(launch, given.env, files, digests or FileDigests())
    return replace(spec, launch=launch, sha256=sha256, influenced=influenced, files=files)


def _contradiction(given: McpServerSettings) -> str:
    if (given.command is None) == (given.url is None):
        return "It needs either a command or a url."
    if given.command is None and (given.args or given.env or given.cwd):
        return "args, env and cwd belong to a command, and it has a url."
    if given.url is None and (given.headers or given.oauth):
        return "headers and oauth belong to a url, and it has a command."
    if given.type is not None and (given.type == "stdio") != (given.command is not None):
        return f"Its type is {given.type}, which does not fit what else is set."
    return ""


def _variables(given: McpServerSettings) -> Iterator[str]:
    """The variables of the environment that it names."""
    texts = (
        given.command,
        *given.args,
        *given.env.values(),
        given.cwd,
        given.url,
        *given.headers.values(),
        *((given.oauth.client_id, given.oauth.client_secret) if given.oauth else ()),
    )
    for text in filter(None, texts):
        yield from (each["name"] for each in _VARIABLE.finditer(text) if each["name"] != _FOLDER)


def _details(given: McpServerSettings) -> Iterator[str]:
    """What decides what it does, beside the command line or the address."""
    if given.cwd is not None:
        yield f"It runs in the folder {given.cwd}"
    for name, value in given.env.items():
        yield f"The variable {name} is {value}"
    for name, value in given.headers.items():
        yield f"Each request has the header {name}: {value}"
    if given.oauth is not None:
        yield f"A login to it uses {given.oauth.model_dump_json(by_alias=True)}"


def _launch(given: McpServerSettings, known: Mapping[str, str], home: str) -> Launch:
    """Raises `_Unset`."""

    def meant(text: str) -> str:
        return _VARIABLE.sub(lambda found: _value(found, known), text)

    if given.url is not None:
        url = meant(given.url)
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise _Unset("Its url must begin with https:// or http:// and name a host.")
        headers = {name: meant(value) for name, value in given.headers.items()}
        oauth = given.oauth or McpOauthSettings()
        names = ("client_id", "client_secret")
        values = {name: meant(text) for name in names if (text := getattr(oauth, name))}
        return Launch(url=url, headers=headers, oauth=oauth.model_copy(update=values))
    cwd = os.path.join(home, os.path.expanduser(meant(given.cwd))) if given.cwd else home
    environment = scrubbed(known) | {name: meant(value) for name, value in given.env.items()}
    program = os.path.expanduser(meant(given.command or ""))
    if os.sep in program:
        program = os.path.join(cwd, program)
    found = shutil.which(program, path=environment["PATH"]) or ""
    return Launch((found, *map(meant, given.args)), environment, os.path.normpath(cwd))


def _value(found: re.Match[str], known: Mapping[str, str]) -> str:
    value = known.get(found["name"])
    if not value and found["default"] is not None:  # as in a shell
        value = found["default"]
    if value is None:
        raise _Unset(
            f"The environment has no variable {found['name']}. Set it where Glossator is started,"
            f" or write ${{{found['name']}:-…}} with a value to use instead."
        )
    return value


def _fingerprint(
    launch: Launch, variables: Iterable[str], files: Iterable[str], digests: FileDigests
) -> str:
    """The hash of what will run, with the `variables` that it is given.

    The usual variables of a program are left out: they are other ones in each terminal. Raises
    `OSError`.
    """
    what = {
        "command": list(launch.command),
        "env": {name: digest(launch.environment[name].encode()) for name in variables},
        "cwd": launch.cwd,
        "url": launch.url,
        "headers": {name: digest(value.encode()) for name, value in launch.headers.items()},
    }
    if launch.oauth != McpOauthSettings():  # others keep the hash that they were adopted by
        what["oauth"] = digest(launch.oauth.model_dump_json().encode())
    return fingerprint(what, files, digests)
