"""Which language servers are known, and which of them this machine has.

They are looked for on the `PATH`, and never in the workspace: a folder that was opened names no
program to run. What the user names in the settings is taken as it is. Preference is by order.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from glossator.core.file_kinds import CODE, language_of
from glossator.sandbox import search_path
from glossator.settings import LanguageServerSettings
from glossator.workspace import is_inside

CACHE = "{cache}"  # in arguments and values: the folder that the server may write

SCRIPTS = ("javascript", "typescript", "tsx")
_SCRIPT_PROJECTS = ("tsconfig.json", "jsconfig.json")
_C = ("c", "cpp")
_FAMILIES = {"javascript": "typescript", "tsx": "typescript", "c": "cpp"}  # for a named command
_IDS = {"tsx": "typescriptreact", "bash": "shellscript"}
_ANALYSIS = {
    "analysis": {
        "diagnosticMode": "openFilesOnly",
        "typeCheckingMode": "standard",
        "autoSearchPaths": True,
        "useLibraryCodeForTypes": True,
    }
}
_RUST = {
    "checkOnSave": False,
    "cargo": {"targetDir": f"{CACHE}/target"},
    "files": {"watcher": "client"},
}
_TYPESCRIPT = 7  # since which the compiler is a language server, too


@dataclass(frozen=True, slots=True)
class KnownServer:
    """A server: its program and arguments, and the languages that it knows.

    `settings` are what it is answered when it asks for its configuration, `options` go with
    `initialize`, `environment` are more variables. `beside`: it only finds faults, so it is asked
    for those of its language beside another. `tells_rest`: it says itself when it has read all.
    `works` says of a program found whether it is this server. `needs` are files of which one must
    lie in a folder above a file, else the server knows of the workspace what is open, and no more.
    """

    name: str
    words: tuple[str, ...]
    languages: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    beside: bool = False
    tells_rest: bool = False
    works: Callable[[str], bool] = lambda _program: True
    needs: tuple[str, ...] = ()

    def lacks(self, path: str, root: str) -> str:
        """What it needs and does not find for a file below a root, in words; "" if nothing."""
        folders = [each for each in Path(path).parents if is_inside(str(each), root)]
        return _lacks(self.name, self.needs, folders)


def _is_compiler_7(program: str) -> bool:
    """Whether `tsc` is one that is a language server, by the package that it lies in."""
    file = Path(os.path.realpath(program)).parent.parent / "package.json"
    try:
        package = json.loads(file.read_text("utf-8"))
        return int(package["version"].partition(".")[0]) >= _TYPESCRIPT
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def _is_installed_by_rustup(program: str) -> bool:
    """Whether a `rust-analyzer` is there itself, or rustup, which stands for it, has one."""
    rustup = os.path.join(os.path.dirname(program), "rustup")
    if not os.path.exists(rustup) or os.path.getsize(rustup) != os.path.getsize(program):
        return True
    home = os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
    return any(Path(home).glob("toolchains/*/bin/rust-analyzer"))


def _known(name: str, command: str, *languages: str, **more: Any) -> KnownServer:  # noqa: ANN401 - fields
    return KnownServer(name, tuple(command.split()), languages, **more)


KNOWN = (
    _known(
        "basedpyright",
        "basedpyright-langserver --stdio",
        "python",
        settings={"basedpyright": _ANALYSIS},
        tells_rest=True,
    ),
    _known(
        "pyright",
        "pyright-langserver --stdio",
        "python",
        settings={"python": _ANALYSIS},
        tells_rest=True,
    ),
    _known("ty", "ty server", "python"),
    _known("pylsp", "pylsp", "python"),
    _known("jedi-language-server", "jedi-language-server", "python"),
    _known("ruff", "ruff server", "python", beside=True),
    _known("tsc", "tsc --lsp --stdio", *SCRIPTS, works=_is_compiler_7, needs=_SCRIPT_PROJECTS),
    _known("tsgo", "tsgo --lsp --stdio", *SCRIPTS, needs=_SCRIPT_PROJECTS),
    _known(
        "typescript-language-server",
        "typescript-language-server --stdio",
        *SCRIPTS,
        # else a second server, which knows single files alone, answers while a project is read
        options={
            "disableAutomaticTypingAcquisition": True,
            "tsserver": {"useSyntaxServer": "never"},
        },
        needs=_SCRIPT_PROJECTS,
    ),
    _known(
        "gopls",
        "gopls",
        "go",
        environment={"GOCACHE": f"{CACHE}/go-build", "GOPROXY": "off", "GOTOOLCHAIN": "local"},
        needs=("go.mod", "go.work"),
    ),
    _known(
        "rust-analyzer",
        "rust-analyzer",
        "rust",
        settings={"rust-analyzer": _RUST},
        options=_RUST,
        environment={"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": f"{CACHE}/target"},
        tells_rest=True,
        works=_is_installed_by_rustup,
        needs=("Cargo.toml", "rust-project.json"),
    ),
    _known("clangd", "clangd", *_C, needs=("compile_commands.json", "build/compile_commands.json")),
    _known("jdtls", f"jdtls -data {CACHE}/workspace", "java"),
    _known("csharp-ls", "csharp-ls", "csharp"),
    _known("ruby-lsp", "ruby-lsp", "ruby"),
    _known("intelephense", "intelephense --stdio", "php"),
    _known("phpactor", "phpactor language-server", "php"),
    _known("bash-language-server", "bash-language-server start", "bash"),
)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A known server, the absolute path of its program, and whether the settings name it."""

    server: KnownServer
    program: str
    named: bool = False

    @property
    def name(self) -> str:
        """Its name, for people and the model."""
        return self.server.name

    @property
    def words(self) -> tuple[str, ...]:
        """Its command line."""
        return self.program, *self.server.words[1:]


def find_servers(
    settings: LanguageServerSettings, environment: Mapping[str, str], roots: Sequence[str]
) -> Mapping[str, tuple[FoundServer, ...]]:
    """The servers of each language: the one to ask, and those that only find faults; blocking."""
    if settings.enabled == "off":
        return {}
    installed = _installed(environment, roots)
    found: dict[str, tuple[FoundServer, ...]] = {}
    for language in sorted(CODE):
        known = [each for each in KNOWN if language in each.languages]
        beside = _first((each for each in known if each.beside), installed)
        named = _command_for(language, settings)
        if named is None:
            asked = _first((each for each in known if not each.beside), installed)
        elif not named.strip():
            continue
        else:
            languages = (each for each in CODE if _command_for(each, settings) == named)
            asked = _named(named, known, environment, tuple(sorted(languages)))
        if asked or beside:
            found[language] = (*asked, *beside)
    return found


def missing_servers(
    settings: LanguageServerSettings, environment: Mapping[str, str]
) -> Mapping[str, Sequence[str]]:
    """The programs that the settings name and this machine lacks, with their languages."""
    missing: dict[str, list[str]] = {}
    for language in sorted(CODE):
        words = shlex.split(_command_for(language, settings) or "")
        if words and _program(words, environment) is None:
            missing.setdefault(words[0], []).append(language)
    return missing


def id_of(path: str, language: str) -> str:
    """How the LSP names the language of a file. Source: LSP 3.17, "TextDocumentItem"."""
    if path.endswith(".jsx"):
        return "javascriptreact"
    return _IDS.get(language, language)


def scripts_lack(by: str, path: str) -> str:
    """What an editor's server of JavaScript and TypeScript needs and does not find; see `lacks`.

    It looks in all folders above a file; those of ours see the workspace alone.
    """
    return _lacks(by, _SCRIPT_PROJECTS, Path(path).parents)


def _lacks(by: str, needs: Sequence[str], folders: Sequence[Path]) -> str:
    if not needs or any((folder / name).is_file() for folder in folders for name in needs):
        return ""
    return f"{by} finds no {' or '.join(needs)}, so it does not know all files"


def language_at(path: str, text: str) -> str | None:
    """The language of a file; None if it is unknown."""
    return language_of(path, text[:1_000])


def _command_for(language: str, settings: LanguageServerSettings) -> str | None:
    """What the user names for a language, or for the family that it belongs to."""
    family = settings.commands.get(_FAMILIES.get(language, ""))
    return settings.commands.get(language, family)


def _installed(environment: Mapping[str, str], roots: Sequence[str]) -> Mapping[str, str]:
    """The programs of the known servers on the `PATH`, none in the workspace, by name.

    Each folder is listed once: most hold none of the names.
    """
    wanted = {each.words[0] for each in KNOWN}
    path, found = search_path(environment).split(os.pathsep), dict[str, str]()
    for folder in dict.fromkeys(path):
        names = wanted & _names_in(folder)
        if not names or _is_in(folder, roots):
            continue
        for name in names - found.keys():
            program = shutil.which(name, path=folder)
            if program is not None and not _is_in(program, roots):
                found[name] = program
    return found


def _names_in(folder: str) -> AbstractSet[str]:
    with suppress(OSError):
        return set(os.listdir(folder))
    return frozenset()


def _is_in(path: str, roots: Sequence[str]) -> bool:
    names = {os.path.normpath(path), os.path.realpath(path)}
    return any(is_inside(name, root) for name in names for root in roots)


def _first(known: Iterable[KnownServer], installed: Mapping[str, str]) -> tuple[FoundServer, ...]:
    for each in known:
        program = installed.get(each.words[0])
        if program is not None and each.works(program):
            return (FoundServer(each, program),)
    return ()


def _named(
    command: str,
    known: Sequence[KnownServer],
    environment: Mapping[str, str],
    languages: tuple[str, ...],
) -> tuple[FoundServer, ...]:
    """What the user named: a known server by its program, or any other; nothing if it is absent."""
    words = tuple(shlex.split(command))
    program = _program(words, environment)
    if program is None:
        return ()
    name = os.path.basename(words[0])
    same = next((each for each in known if each.words[0] == name), None)
    if same is None:
        server = KnownServer(name, words, languages)
    else:
        server = replace(same, words=words if len(words) > 1 else same.words)
    return (FoundServer(server, os.path.abspath(program), named=True),)


def _program(words: Sequence[str], environment: Mapping[str, str]) -> str | None:
    return shutil.which(words[0], path=search_path(environment))
