"""Which encoding is declared for a file, by the setting and by what an editor tells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from glossator.workspace.files import state_folder
from glossator.workspace.files.roots import EncodingRule, Roots, encoding_rules

SETTING = {
    "legacy/**": "gbk",
    "*.ini": "cp1251",
    "legacy/new/**": "utf-8",
    "/other/ws/x/**": "cp866",
}


@pytest.mark.parametrize(
    ("path", "encoding"),
    [
        ("/ws/legacy/a.c", "=gbk"),
        ("/ws/legacy/deep/a.c", "=gbk"),
        ("/ws/legacy/a.ini", "=cp1251"),  # the last one counts
        ("/ws/legacy/new/a.ini", ""),
        ("/ws/src/legacy/a.c", ""),
        ("/ws/src/A.INI", ""),
        ("/ws/inner/legacy/a.c", ""),  # its workspace is the outer one
        ("/other/ws/x/y/a", "=cp866"),
        ("/other/ws/legacy/a", "=gbk"),
        ("/nowhere/a.ini", ""),
    ],
)
def test_globs_of_the_setting(path: str, encoding: str) -> None:
    roots = Roots(("/ws", "/ws/inner", "/other/ws"), encoding_rules(SETTING, None))
    assert roots.encoding(path) == encoding


def told(folder: object, glob: object, encoding: object) -> dict[str, object]:
    return {"folder": folder, "glob": glob, "encoding": encoding}


def test_what_an_editor_tells_comes_before_the_setting(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("ws")
    link, ws = tmp_path / "link", tmp_path / "ws"
    ws.mkdir()
    editor = [
        told(str(link), "**", "shiftjis"),
        told(str(link), "*.[tT][xX][tT]", "windows1251"),
        told(str(link), "*.log", "koi8ru"),
    ]
    roots = Roots.of([str(ws)], encoding_rules({"*.c": "gbk"}, editor))
    names = {"a.h": "=cp932", "a.TXT": "=cp1251", "a.log": "", "a.c": "=gbk"}
    assert {name: roots.encoding(str(ws / name)) for name in names} == names


@pytest.mark.parametrize(
    "said",
    [None, 5, "gbk", [1], [{"folder": "/w"}], [told("/w", 1, "gbk")], [told("/w", "{", "gbk")]],
)
def test_what_has_another_form_is_left_out(said: object) -> None:
    assert encoding_rules({}, said) == ()


@pytest.mark.parametrize(
    ("setting", "editor", "own"),
    [
        ({}, [], False),
        ({}, [told("/else", "**", "gbk")], False),
        ({}, [told("/ws", "**", "gbk")], True),
        ({}, [told("/ws/inner", "**", "gbk")], True),
        ({"*.c": "gbk"}, [], True),
    ],
)
def test_what_is_read_in_other_encodings_has_another_index(
    setting: Mapping[str, str], editor: object, own: bool
) -> None:
    roots = Roots(("/ws",), encoding_rules(setting, editor))
    folder = state_folder.index_folder("/ws", roots.reading("/ws"))
    assert (folder != state_folder.index_folder("/ws")) is own
    again = Roots(("/ws",), encoding_rules(setting, editor)).reading("/ws")
    assert folder == state_folder.index_folder("/ws", again)


def test_each_change_of_a_rule_makes_another_index() -> None:
    rules = [
        (),
        (EncodingRule("", "*.c", "gbk"),),
        (EncodingRule("", "*.c", "cp866"),),
        (EncodingRule("", "*.h", "gbk"),),
        (EncodingRule("/ws", "*.c", "gbk"),),
    ]
    assert len({Roots(("/ws",), each).reading("/ws") for each in rules}) == len(rules)
