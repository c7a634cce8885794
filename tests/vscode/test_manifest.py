"""The client's manifest says what the server has."""

from __future__ import annotations

import json
import re

from glossator import __version__
from glossator.commands.declared import CHAT_COMMANDS as CHATS
from glossator.commands.declared import DECLARED
from glossator.core.words import Act
from tools.manifest import FILE, OFFERED, generated

MANIFEST = json.loads(FILE.read_text(encoding="utf-8"))
GROUPS = MANIFEST["contributes"]["configuration"]
SETTINGS = {name: each for group in GROUPS for name, each in group["properties"].items()}
ACTS = {  # the commands that do what also has a word elsewhere
    Act.ACCEPT: ("acceptEdit", "acceptPart"),
    Act.REJECT: ("rejectEdit", "rejectPart"),
    Act.KEEP: ("keepInPlace", "keepChange", "keepFile", "keepAll"),
    Act.UNDO: ("undoInPlace", "undoChange", "undoFile", "undoTurn"),
    Act.REDO: ("redoTurn",),
    Act.MERGE: ("mergeWorktree",),
    Act.DISCARD: ("discardWorktree",),
    Act.TAKE_OVER: ("takeOver",),
    Act.STOP: ("stopInPlace", "cancel"),
}
CLIENT = FILE.parent
SENTENCE = re.compile(r"[A-Z](?:(?![.;] |[.]$).)*[.]")


def test_the_commands_and_settings_are_the_servers() -> None:
    assert generated(MANIFEST) == MANIFEST, "run `make wire`"


def test_what_is_offered_is_a_command_with_a_title_and_an_icon() -> None:
    assert OFFERED.keys() <= DECLARED.keys()
    assert all(each["title"] and each["icon"] for each in OFFERED.values())


def test_a_title_begins_as_its_act_is_called() -> None:
    titles = {each["command"]: each["title"] for each in MANIFEST["contributes"]["commands"]}
    wrong = {
        titles[f"glossator.{name}"]: act
        for act, names in ACTS.items()
        for name in names
        if not titles[f"glossator.{name}"].lower().startswith(act.lower())
    }
    assert wrong == {}
    said = {command: chat.description for chat, command in CHATS.items()}
    wrong = {
        said[f"glossator.{name}"]: act
        for act, names in ACTS.items()
        for name in names
        if f"glossator.{name}" in said and not said[f"glossator.{name}"].startswith(act)
    }
    assert wrong == {}


def test_the_client_has_no_words_of_its_own_for_an_act() -> None:
    words = "|".join({said for act in Act for said in (act, act.title())})
    written = re.compile(rf"""(?:["'`>]|\) |^\s*)(?:{words})(?:["'`<]|\s*$)""")
    found = [
        f"{path.name}: {line.strip()}"
        for folder in ("src", "panel")
        for path in sorted((CLIENT / folder).rglob("*.ts*"))
        if path.name != "wire.ts"
        for line in path.read_text(encoding="utf-8").splitlines()
        if written.search(line)
    ]
    assert found == []


def test_no_setting_can_come_from_a_workspace() -> None:
    assert [name for name, each in SETTINGS.items() if each["scope"] != "machine"] == []


def test_ten_settings_are_shown_first() -> None:
    first, *others = GROUPS
    assert len(first["properties"]) == 10
    advanced = [name for name, each in SETTINGS.items() if each.get("tags") == ["advanced"]]
    assert advanced == [name for group in others for name in group["properties"]]


def test_each_setting_is_said_in_one_sentence() -> None:
    said = {name: each["description"] for name, each in SETTINGS.items()}
    assert {name: text for name, text in said.items() if not SENTENCE.fullmatch(text)} == {}


def test_each_text_can_be_typed_in_the_settings_page() -> None:
    assert [name for name, each in SETTINGS.items() if each["type"] == ["string", "null"]] == []


def test_the_client_has_the_servers_version() -> None:
    assert MANIFEST["version"] == __version__


def test_what_menus_and_keys_run_is_a_command() -> None:
    contributes = MANIFEST["contributes"]
    known = {each["command"] for each in contributes["commands"]}
    used = {
        entry["command"]
        for menu in contributes["menus"].values()
        for entry in menu
        if "command" in entry
    }
    used |= {each["command"] for each in contributes["keybindings"]}
    walkthrough = json.dumps(contributes["walkthroughs"])
    used |= set(re.findall(r"command:(glossator\.\w+)", walkthrough)) - {"glossator.chat"}
    assert used <= known
