"""All that files describe, and what of it is used.

The user's own come before the project's, and the first of a name counts. Those of the project are
neither read nor used before the workspace is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import platformdirs

from glossator.core.context_kinds import SWITCHED_OFF
from glossator.core.shown import shown
from glossator.core.uri import home_of, to_uri
from glossator.customizations.answers import Customization, CustomizationKind, CustomizationState
from glossator.customizations.definitions import CustomAgent, Skill, SlashCommand
from glossator.customizations.files import (
    MOST_FILES,
    CustomizationReader,
    Described,
    FoundFile,
    files_in,
    places_of,
)
from glossator.customizations.front_matter import Malformed
from glossator.workspace import WorkspaceSnapshot, same_file

_WORDS = {
    CustomizationKind.AGENT: "sub-agent",
    CustomizationKind.SKILL: "skill",
    CustomizationKind.COMMAND: "slash command",
}
_UNTRUSTED = "The folder is not trusted. Trust it to use what its files describe."


@dataclass(slots=True)
class Customizations:
    """What is used, by name; `listed` is all that was found, with the reasons."""

    agents: dict[str, CustomAgent] = field(default_factory=dict)
    skills: dict[str, Skill] = field(default_factory=dict)
    commands: dict[str, SlashCommand] = field(default_factory=dict)
    listed: list[Customization] = field(default_factory=list)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What takes trust: `2 skills`."""
        untrusted = CustomizationState.UNTRUSTED
        named = {(each.kind, each.name) for each in self.listed if each.state is untrusted}
        kinds = [kind for kind, _ in named]
        counts = ((kinds.count(kind), word) for kind, word in _WORDS.items())
        return tuple(f"{count:,} {word}{'s' * (count > 1)}" for count, word in counts if count)

    def called(self, word: str) -> Skill | SlashCommand | None:
        """What `/word` means if a skill and a command have it: the user's own, else the skill."""
        skill, command = self.skills.get(word), self.commands.get(word)
        if skill is None or not skill.by_user:
            return command
        if command is not None and command.owner == "user" != skill.owner:
            return command
        return skill


class CustomizationFiles:
    """Loads what files describe, of this user and of any workspace; safe from any thread.

    `config` is the folder of the user's settings, `disabled` names `kind:name`, and none may be
    called as one of `tools` is.
    """

    def __init__(
        self, home: str | None, config: str, disabled: Iterable[str], tools: Iterable[str]
    ) -> None:
        self._home = home
        self._config = config
        self._disabled = frozenset(disabled)
        self._tools = frozenset(tools)
        self._reader = CustomizationReader()

    @staticmethod
    def of_user(
        environment: Mapping[str, str], disabled: Iterable[str], tools: Iterable[str]
    ) -> CustomizationFiles:
        """Read the places of the user of this process."""
        config = platformdirs.user_config_dir("glossator")
        return CustomizationFiles(home_of(environment), config, disabled, tools)

    def load(
        self,
        snapshot: WorkspaceSnapshot,
        hidden: Callable[[str], bool] | None = None,
        *,
        trusted: bool,
        off: frozenset[str] = frozenset(),
    ) -> Customizations:
        """What there is now; blocking. Files that are as they were are not read again.

        `off` are the paths of what the user turned off.
        """
        loaded = Customizations()
        for place in places_of(self._home, self._config, snapshot.roots):
            files, more = files_in(place)
            for file in files:
                if place.owner == "user" or trusted:
                    self._add(loaded, file, snapshot, hidden, off)
                elif os.path.lexists(file.path):
                    _list(loaded, file, file.name, CustomizationState.UNTRUSTED, _UNTRUSTED)
            if more:
                why = f"{more:,} more files are left out: of one folder, the first {MOST_FILES}"
                rest = FoundFile(place.folder, "…", place)
                problem = CustomizationState.PROBLEM
                _list(loaded, rest, rest.name, problem, f"{why} by name count.")
        return loaded

    def _add(
        self,
        loaded: Customizations,
        file: FoundFile,
        snapshot: WorkspaceSnapshot,
        hidden: Callable[[str], bool] | None,
        off: frozenset[str],
    ) -> None:
        if hidden is not None and hidden(file.path):
            _list(loaded, file, file.name, CustomizationState.OFF, "A permission rule hides it.")
            return
        described = self._reader.read(file, snapshot)
        if described is None:
            return
        if not isinstance(described, Malformed) and described.name in self._tools:
            described = Malformed("has the name of a tool; choose another.")
        if isinstance(described, Malformed):
            why = f"{shown(os.path.relpath(file.path, file.place.folder))} {described.why}"
            _list(loaded, file, file.name, CustomizationState.PROBLEM, why)
            return
        why = self._why_off(loaded, described, file, off)
        state = CustomizationState.OFF if why else CustomizationState.ON
        hint = "" if isinstance(described, CustomAgent) else described.hint
        said = why or _without_effect(described)
        _list(loaded, file, described.name, state, said, described.description, hint)
        if not why:
            _use(loaded, described)

    def _why_off(
        self,
        loaded: Customizations,
        described: Described,
        file: FoundFile,
        off: frozenset[str],
    ) -> str:
        kind, name = file.place.kind, described.name
        if f"{kind}:{name}" in self._disabled:
            return "The setting customizations.disabled names it."
        if same_file(file.path, off):
            return SWITCHED_OFF
        if name in _of_kind(loaded, kind):
            return f"Another {_WORDS[kind]} of this name comes first."
        return ""


def _without_effect(described: Described) -> str:
    """Fields of a skill that have no effect here."""
    ignored = described.ignored if isinstance(described, Skill) else ()
    return f"Without effect here: {', '.join(ignored)}." if ignored else ""


def _of_kind(loaded: Customizations, kind: CustomizationKind) -> Iterable[str]:
    match kind:
        case CustomizationKind.AGENT:
            return loaded.agents
        case CustomizationKind.SKILL:
            return loaded.skills
        case CustomizationKind.COMMAND:
            return loaded.commands


def _use(loaded: Customizations, described: Described) -> None:
    match described:
        case CustomAgent():
            loaded.agents[described.name] = described
        case Skill():
            loaded.skills[described.name] = described
        case SlashCommand():
            loaded.commands[described.name] = described


def _list(
    loaded: Customizations,
    file: FoundFile,
    name: str,
    state: CustomizationState,
    why: str,
    description: str = "",
    hint: str = "",
) -> None:
    place, uri = file.place, to_uri(file.path)
    listed = Customization(
        place.kind, name, place.owner, file.path, uri, state, why, description, hint
    )
    loaded.listed.append(listed)
