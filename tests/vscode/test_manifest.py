"""The client's manifest says what the server has."""

from __future__ import annotations

import json
import re

from glossator import __version__
from glossator.commands.declared import DECLARED
from tools.manifest import FILE, OFFERED, generated

MANIFEST = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_commands_and_settings_are_the_servers() -> None:
    assert generated(MANIFEST) == MANIFEST, "run `make wire`"


def test_what_is_offered_is_a_command_with_a_title_and_an_icon() -> None:
    assert OFFERED.keys() <= DECLARED.keys()
    assert all(each["title"] and each["icon"] for each in OFFERED.values())


def test_no_setting_can_come_from_a_workspace() -> None:
    groups = MANIFEST["contributes"]["configuration"]
    settings = {name: each for group in groups for name, each in group["properties"].items()}
    assert [name for name, each in settings.items() if each["scope"] != "machine"] == []
    assert [name for name, each in settings.items() if not each.get("description")] == []


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
