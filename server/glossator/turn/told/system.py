"""The system prompt, section by section, with facts about the machine and the project's tools.

It is frozen with the first question of a session.
"""

from __future__ import annotations

import json
import os
import platform
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from glossator.core.document import Document
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.sessions import Section
from glossator.turn.told.instruction_files import Instructions
from glossator.workspace import WorkspaceSnapshot

# The files are read without trust, so only these tools and what can be no sentence are told.
_TOOLS = frozenset(
    "bun cargo clojure cmake dart deno dotnet elixir erlang flutter ghc go golang gradle helm java"
    " julia kotlin kubectl lua maven nim node nodejs npm ocaml perl php pip pnpm poetry python r"
    " ruby rust scala swift terraform uv yarn zig".split()
)
_NUMBER = (
    r"[<>=~^!]{0,3} ?v?\d{1,4}(?:\.(?:\d{1,4}|[x*])){0,3}(?:-?(?:alpha|beta|rc|a|b)\.?\d{0,3})?"
)
_WORD = r"(?:stable|beta|nightly|latest|lts(?:/\*)?)"
_VERSION = re.compile(
    rf"(?=.{{1,40}}$)(?:{_NUMBER}|{_WORD})(?:(?:, ?| ?\|\| ?| - | ){_NUMBER}){{0,4}}"
)
_MAX_TOOL_VERSIONS = 12  # in the system prompt


def environment_facts(
    snapshot: WorkspaceSnapshot,
    environment: Mapping[str, str],
    editor: str,
    today: date,
) -> str:
    """The facts about the environment, one per line, with `plain_facts`; blocking."""
    shell = os.path.basename(environment.get("SHELL", ""))
    pinned = ", ".join(
        f"{name} {version} ({file})" for name, version, file in pinned_tools(snapshot)
    )
    more = {"Shell": shell, "Editor": editor, "Versions that the project names": pinned}
    lines = (f"{name}: {value}" for name, value in more.items() if value)
    return "\n".join((plain_facts(today), *lines))


def plain_facts(today: date) -> str:
    """The facts that a sub-agent is told, too."""
    return f"Platform: {platform.system()}\nDate when the session began: {today.isoformat()}"


def pinned_tools(snapshot: WorkspaceSnapshot) -> tuple[tuple[str, str, str], ...]:
    """Tool, version and file for each version that a file in a root pins."""
    found: dict[tuple[str, str], str] = {}
    for root in snapshot.roots:
        for file, read in _FILES.items():
            path = os.path.join(root, file)
            if path not in snapshot.overlays and not os.path.lexists(path):
                continue  # most are not there, and reading asks the disk more than once
            document = snapshot.read(path)
            if not isinstance(document, Document):
                continue
            for tool, version in read(document.text):
                if tool in _TOOLS and _VERSION.fullmatch(version):
                    found.setdefault((tool, version), file)
    return tuple((tool, version, file) for (tool, version), file in found.items())[
        :_MAX_TOOL_VERSIONS
    ]


_Pairs = Iterator[tuple[str, str]]


def _alone(tool: str) -> Callable[[str], _Pairs]:
    """The version in a file that holds nothing else."""

    def read(text: str) -> _Pairs:
        version = text.strip().partition("\n")[0].strip()
        yield tool, version.removeprefix(f"{tool}-").removeprefix("v")

    return read


def _pyproject(text: str) -> _Pairs:
    project = _toml(text).get("project")
    version = project.get("requires-python") if isinstance(project, dict) else None
    if isinstance(version, str):
        yield "python", version


def _package(text: str) -> _Pairs:
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(package, dict):
        return
    engines = package.get("engines")
    for tool, version in engines.items() if isinstance(engines, dict) else ():
        if isinstance(version, str):
            yield tool, version
    manager = package.get("packageManager")
    if isinstance(manager, str) and "@" in manager:
        tool, _, version = manager.partition("@")
        yield tool, version.partition("+")[0]


def _go(text: str) -> _Pairs:
    if found := re.search(r"^go (\S+)$", text, re.MULTILINE):
        yield "go", found[1]


def _rust(text: str) -> _Pairs:
    toolchain = _toml(text).get("toolchain")
    channel = toolchain.get("channel") if isinstance(toolchain, dict) else None
    if isinstance(channel, str):
        yield "rust", channel


def _tool_versions(text: str) -> _Pairs:
    for line in text.splitlines():
        tool, _, version = line.partition("#")[0].strip().partition(" ")
        if version:
            yield tool, version.strip()


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


_FILES: Mapping[str, Callable[[str], _Pairs]] = {
    ".tool-versions": _tool_versions,
    ".python-version": _alone("python"),
    "pyproject.toml": _pyproject,
    ".nvmrc": _alone("node"),
    ".node-version": _alone("node"),
    "package.json": _package,
    "go.mod": _go,
    "rust-toolchain.toml": _rust,
    "rust-toolchain": _alone("rust"),
    ".ruby-version": _alone("ruby"),
    ".java-version": _alone("java"),
}


SECTIONS_APART = "\n\n"


def system_blocks(
    sections: Sequence[Section], shared_prompt: str = "system/static"
) -> tuple[str, ...]:
    """The two blocks of the prompt; the first is the same for every user and project."""
    return load_prompt(shared_prompt).render(), SECTIONS_APART.join(each.text for each in sections)


def session_section(snapshot: WorkspaceSnapshot, facts: str) -> Section:
    """The workspace's folders, and facts about the session, one per line."""
    roots = "\n".join(f"- {shown(root)}" for root in snapshot.roots) or "- (no folder is open)"
    text = load_prompt("system/session").render(roots=roots, facts=facts)
    return Section("this session", text, "the workspace and where you work; of this session")


def language_section(language: str) -> Section:
    """The section on the language that the user wants to read."""
    text = load_prompt("system/language").render(language=language)
    return Section("language", text, "your setting context.language")


def profile_section(role: str, persona: str, rules: Sequence[str]) -> Section | None:
    """The section on who the user wants to be answered by; None if they do not say."""
    words = (role and f"You are {role.strip()}", persona.strip(), *(f"- {rule}" for rule in rules))
    profile = "\n".join(filter(None, words))
    if not profile:
        return None
    text = load_prompt("system/profile").render(profile=profile)
    return Section("profile", text, "your settings profile.role, profile.persona, profile.rules")


def instruction_sections(found: Instructions) -> tuple[Section, ...]:
    """A section for each instruction file, the first below the heading of them all."""
    sections: list[Section] = []
    for file in found.files:
        text = file.rendered()
        if not sections:
            text = load_prompt("system/instructions").render(files=text)
        cut = f"{file.cut:,} characters of it" if file.cut else ""
        why = f"an instruction file, {file.origin}"
        sections.append(Section(file.name, text, why, cut))
    return tuple(sections)
