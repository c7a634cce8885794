"""Answers: how long they hold, where they are kept, and what becomes of a file that is damaged."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.permissions.decide import Allow, Ask, Decision, Deny, decision_about
from glossator.permissions.grants import Grants, grants_file
from glossator.permissions.policy import parse_rules
from glossator.permissions.private_file import PrivateFile
from tests.permissions.asking import policy, shell

TEST = shell("npm test -- -u")
ASK = Ask(("why",), parse_rules(["Bash(npm test:*)"]))


class Workspace:
    """A folder, the file of kept rules, and what the user was warned of."""

    def __init__(self, top: Path) -> None:
        self.root = top / "ws"
        self.root.mkdir()
        self.file = top / "config" / "grants.json"
        self.warnings: list[str] = []

    def grants(self, *roots: Path) -> Grants:
        folders = roots or (self.root,)
        return Grants(map(str, folders), self.warnings.append, PrivateFile(self.file))


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def decided(grants: Grants) -> Decision:
    return decision_about(TEST, replace(policy(), session=grants.rules))


def answer(grants: Grants, choice: str, ask: Ask = ASK, message: str = "") -> Allow | Deny:
    return grants.settle(ask, PermissionAnswer(Choice(choice), message))


@pytest.mark.parametrize(
    ("choice", "now", "later"),
    [("once", Ask, Ask), ("session", Allow, Ask), ("always", Allow, Allow)],
)
def test_how_long_an_answer_holds(ws: Workspace, choice: str, now: type, later: type) -> None:
    grants = ws.grants()
    assert isinstance(decided(grants), Ask)
    assert answer(grants, choice) == Allow()
    assert isinstance(decided(grants), now)
    assert isinstance(decided(ws.grants()), later)
    assert ws.file.exists() == (choice == "always")
    assert not ws.warnings


def test_a_denial_goes_to_the_model_in_the_users_words(ws: Workspace) -> None:
    denied = answer(ws.grants(), "deny", message=" use make ")
    assert isinstance(denied, Deny)
    assert denied.reason == "The user refused: use make", "and no words of ours"
    silent = answer(ws.grants(), "deny", message=" \n")
    assert isinstance(silent, Deny)
    assert silent.reason.startswith("The user refused this.\nDo not try ")
    nobody = PermissionAnswer(Choice.DENY, "Nobody is there.", asked=False)
    told = "Nobody is there.\nThe user would be told: why"
    assert ws.grants().settle(ASK, nobody) == Deny(told)
    assert not ws.file.exists()


@pytest.mark.parametrize("choice", ["session", "always"])
def test_what_no_rule_can_allow_is_allowed_once(ws: Workspace, choice: str) -> None:
    grants = ws.grants()
    assert answer(grants, choice, Ask(("protected",))) == Allow()
    assert grants.rules.allow == ()
    assert not ws.file.exists()


def test_what_can_be_answered() -> None:
    once = PermissionRequest("Bash", "Run", "x", ("why",))
    assert once.choices == (Choice.ONCE, Choice.DENY)
    assert replace(once, suggestions=("Bash(x)",)).choices == tuple(Choice)


def test_a_rule_is_kept_for_its_workspace_alone(ws: Workspace) -> None:
    answer(ws.grants(), "always")
    other, link = ws.root.parent / "ws-other", ws.root.parent / "link"
    other.mkdir()
    link.symlink_to(ws.root)
    (ws.root / "sub").mkdir()
    assert isinstance(decided(ws.grants(link)), Allow), "by its real path"
    for root in (other, ws.root / "sub", ws.root.parent):
        assert isinstance(decided(ws.grants(root)), Ask)
    assert isinstance(decided(ws.grants(ws.root, other)), Ask), "not in all of its folders"
    answer(ws.grants(ws.root, other), "always")
    assert isinstance(decided(ws.grants(ws.root, other)), Allow)
    assert isinstance(decided(ws.grants(other)), Allow)


def test_only_the_user_can_read_the_file(ws: Workspace) -> None:
    answer(ws.grants(), "always")
    assert stat.S_IMODE(ws.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(ws.file.parent.stat().st_mode) == 0o700
    assert sorted(os.listdir(ws.file.parent)) == ["grants.json", "grants.json.lock"]


def test_a_workspace_whose_name_is_not_unicode(ws: Workspace) -> None:
    root = ws.root / os.fsdecode(b"\xff\n")
    root.mkdir()
    answer(ws.grants(root), "always")
    assert isinstance(decided(ws.grants(root)), Allow)


def _json(rules: object, version: object = 1) -> str:
    return json.dumps({"version": version, "folders": {"file:///x": rules}})


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "\0",
        "[" * 100_000,
        _json("Bash"),
        _json([1]),
        _json(["Bash"], 2),
        '{"version": 1, "folders": {}, "x": ' + "1" * 5_000_000 + "}",
    ],
    ids=lambda content: content[:20],
)
def test_a_damaged_file_allows_nothing_and_is_set_aside(ws: Workspace, content: str) -> None:
    ws.file.parent.mkdir()
    ws.file.write_text(content)
    grants = ws.grants()
    assert isinstance(decided(grants), Ask)
    (warning,) = ws.warnings
    assert str(ws.file) in warning
    answer(grants, "always")
    assert isinstance(decided(ws.grants()), Allow)
    assert Path(f"{ws.file}.damaged").read_text() == content


def test_bytes_that_are_no_text(ws: Workspace) -> None:
    ws.file.parent.mkdir()
    ws.file.write_bytes(b"\xff\xfe{}")
    assert isinstance(decided(ws.grants()), Ask)
    assert len(ws.warnings) == 1


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_believed(ws: Workspace, mode: int) -> None:
    answer(ws.grants(), "always")
    ws.file.chmod(mode)
    assert isinstance(decided(ws.grants()), Ask)
    assert "other users may write it" in ws.warnings[0]


def test_a_bad_rule_among_good_ones(ws: Workspace) -> None:
    answer(ws.grants(), "always")
    ws.file.write_text(ws.file.read_text().replace('"Bash', '"Bash(rm", "Bash'))
    assert isinstance(decided(ws.grants()), Allow)
    assert "Bash(rm cannot be used" in ws.warnings[0]


def test_a_folder_that_cannot_be_written(ws: Workspace) -> None:
    ws.file.parent.write_text("a file where the folder should be")
    grants = ws.grants()
    ws.warnings.clear()
    answer(grants, "always")
    assert isinstance(decided(grants), Allow), "for this session"
    assert "for this session only" in ws.warnings[0]


def test_several_servers_lose_nothing(ws: Workspace) -> None:
    def keep(number: int) -> None:
        answer(ws.grants(), "always", Ask(("why",), parse_rules([f"Bash(x {number})"])))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(keep, range(40)))
    assert len(ws.grants().rules.allow) == 40
    assert not ws.warnings


def test_where_the_file_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert grants_file() == tmp_path / "glossator" / "grants.json"


class Session:
    """What a session keeps of its answers."""

    def __init__(self, ws: Workspace) -> None:
        self.ws = ws
        self.kept: list[object] = []

    def grants(self, *roots: Path) -> Grants:
        """As they are resumed, from JSON."""
        folders = map(str, roots or (self.ws.root,))
        kept = json.loads(json.dumps(self.kept))
        return Grants(
            folders, self.ws.warnings.append, PrivateFile(self.ws.file), kept, self.kept.append
        )


@pytest.mark.parametrize(("choice", "records"), [("once", 0), ("session", 1), ("always", 0)])
def test_a_session_keeps_what_was_answered_for_it_alone(
    ws: Workspace, choice: str, records: int
) -> None:
    session = Session(ws)
    answer(session.grants(), choice)
    assert len(session.kept) == records
    assert isinstance(decided(session.grants()), Ask if choice == "once" else Allow)


def test_what_could_not_be_kept_for_always_is_kept_in_the_session(ws: Workspace) -> None:
    ws.file.parent.write_text("a file where the folder should be")
    session = Session(ws)
    answer(session.grants(), "always")
    assert isinstance(decided(session.grants()), Allow)


def test_a_sessions_answer_counts_for_the_very_folders_it_was_about(ws: Workspace) -> None:
    other = ws.root.parent / "other"
    other.mkdir()
    session = Session(ws)
    answer(session.grants(ws.root, other), "session")
    assert isinstance(decided(session.grants(other, ws.root)), Allow)
    assert isinstance(decided(session.grants(ws.root)), Ask), "it was about more"
    answer(session.grants(ws.root), "session")
    session.kept = session.kept[1:]
    assert isinstance(decided(session.grants(ws.root, other)), Ask), "it was about less"


def test_a_removed_rule_stays_removed(ws: Workspace) -> None:
    session = Session(ws)
    grants = session.grants()
    answer(grants, "session")
    (rule,) = ASK.suggestions
    assert grants.remove_from_session(rule)
    assert not grants.remove_from_session(rule)
    assert not grants.remove_from_always(rule)
    assert isinstance(decided(grants), Ask)
    assert isinstance(decided(session.grants()), Ask)
    answer(grants, "session")
    assert isinstance(decided(session.grants()), Allow), "answered again"
    assert not ws.warnings


@pytest.mark.parametrize("part", ["folders", "rules"])
def test_a_damaged_answer_of_a_session_is_told_of_and_not_used(ws: Workspace, part: str) -> None:
    session = Session(ws)
    answer(session.grants(), "session")
    (kept,) = session.kept
    assert isinstance(kept, dict)
    session.kept = [{**kept, part: [1]}]
    assert isinstance(decided(session.grants()), Ask)
    (warning,) = ws.warnings
    assert "is damaged and is not used" in warning


def test_what_another_server_keeps_or_removes_is_seen_at_once(ws: Workspace) -> None:
    ours, theirs = ws.grants(), ws.grants()
    answer(theirs, "always")
    assert isinstance(decided(ours), Allow)
    assert ours.remove_from_always(ASK.suggestions[0])
    assert isinstance(decided(theirs), Ask)
    answer(ours, "always")
    ws.file.unlink()
    assert isinstance(decided(ours), Ask), "the file can be deleted at any time"


def test_a_rule_that_cannot_be_removed_still_holds(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    grants = ws.grants()
    answer(grants, "always")

    def full(*_arguments: object) -> None:
        raise StoreUnavailable("No space left on device")

    monkeypatch.setattr("glossator.permissions.grants.update_private", full)
    with pytest.raises(UsageError, match="still holds"):
        grants.remove_from_always(ASK.suggestions[0])
    assert isinstance(decided(grants), Allow)
