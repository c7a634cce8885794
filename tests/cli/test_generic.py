"""Sub-commands that are built from declarations, and declarations that have none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import typer

from glossator.cli import generic
from glossator.cli.app import app
from glossator.cli.generic import add_generic_commands, generic_command
from glossator.commands.declared import DECLARED
from glossator.core.errors import DeclarationError

CLI = Path(__file__).parents[2] / "docs/cli.md"


@dataclass(frozen=True)
class HailRequest:
    ship: str
    first_line: int = field(default=1, metadata={"help": "Where to begin."})
    flags: tuple[str, ...] = ()
    loudly: bool = False
    answer_by: float | None = None


@dataclass(frozen=True)
class NestedRequest:
    hail: HailRequest


HAIL = replace(
    DECLARED["glossator.status"], name="glossator.hail", terminal="hail", help="Hail a ship."
)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked of the server, in the place of one."""
    asked: list[Any] = []
    monkeypatch.setattr(
        generic,
        "ask_server",
        lambda _context, common, command, show: asked.extend((command, show)),
    )
    return asked


def test_the_fields_of_a_request_are_arguments_and_options(sent: list[Any]) -> None:
    words = "Argo --first-line 3 --flags red --flags blue --loudly --answer-by 2.5".split()
    generic_command(HAIL, HailRequest).main(words, standalone_mode=False)
    assert sent[0].name == "glossator.hail"
    assert sent[0].argument == {
        "ship": "Argo",
        "firstLine": 3,
        "flags": ["red", "blue"],
        "loudly": True,
        "answerBy": 2.5,
    }


def test_what_is_not_given_is_left_to_the_server(sent: list[Any]) -> None:
    generic_command(HAIL, HailRequest).main(["Argo"], standalone_mode=False)
    assert sent[0].argument == {"ship": "Argo"}


def test_an_answer_is_shown_field_by_field(
    sent: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    generic_command(HAIL, HailRequest).main(["Argo"], standalone_mode=False)
    assert sent[1](None, {"heard": True, "by": [{"name": "Jason"}], "lost": []})
    assert capsys.readouterr().out == "heard: True\nby:\n  1:\n    name: Jason\nlost: []\n"


def test_a_request_with_more_than_words_needs_a_function() -> None:
    with pytest.raises(DeclarationError, match="takes 'hail', which is more than a word"):
        generic_command(HAIL, NestedRequest)


def test_what_is_declared_and_has_no_function_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generic, "DECLARED", {HAIL.name: HAIL})
    fresh = typer.Typer()
    add_generic_commands(fresh)
    assert [command.name for command in fresh.registered_commands] == ["hail"]
    monkeypatch.setattr(generic, "DECLARED", {HAIL.name: replace(HAIL, help="")})
    with pytest.raises(DeclarationError, match=r"glossator\.hail is `glossator hail` in"):
        add_generic_commands(typer.Typer())


def test_a_function_that_is_not_declared_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generic, "DECLARED", {})
    with pytest.raises(DeclarationError, match="as `terminal`: ask, chat, check, contexts"):
        add_generic_commands(app)


def test_each_sub_command_is_in_the_docs() -> None:
    rows = "".join(re.findall(r"^\| .*$", CLI.read_text("utf-8"), re.MULTILINE))
    told = {word.split()[-1] for word in re.findall(r"`(?:glossator )?([\w-]+)", rows)}
    words = {each.terminal.split()[-1] for each in DECLARED.values() if each.terminal}
    assert words - told == set()
