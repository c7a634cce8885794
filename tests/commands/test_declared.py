"""Commands as they are declared: the server does not start with one that lacks something."""

from __future__ import annotations

import re
from typing import Any

import pytest

from glossator.commands.declaration import Chat, CommandDeclaration, by_name
from glossator.commands.declared import DECLARED, LINE_ACTIONS
from glossator.commands.loaded import load_command
from glossator.core.errors import DeclarationError
from glossator.settings.model import LimitSettings

STATUS: dict[str, Any] = {"name": "glossator.status", "title": "Status", "handler": "status:status"}


def test_each_action_on_lines_is_a_command() -> None:
    assert tuple(each.action for each in DECLARED.values() if each.action) == LINE_ACTIONS


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"name": "status"}, "'status' is no command's name"),
        ({"chat": (Chat("status", ""),)}, "needs a description for its chat command"),
    ],
)
def test_a_declaration_has_all_that_is_shown_of_it(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(DeclarationError, match=re.escape(says)):
        CommandDeclaration(**STATUS | wrong)


def test_a_title_is_by_default_what_the_name_says() -> None:
    assert CommandDeclaration("glossator.listTurns", "turns:list_turns").title == "List turns"


def test_a_command_answers_as_it_is_declared() -> None:
    with pytest.raises(DeclarationError, match="declared to answer TurnList, but its handler"):
        load_command(CommandDeclaration(**STATUS, answer="TurnList"))


def test_a_name_is_given_once() -> None:
    status = CommandDeclaration(**STATUS, chat=(Chat("status", "How it is"),))
    with pytest.raises(DeclarationError, match=r"Declared twice: glossator\.status, /status\."):
        by_name([status, status])


@pytest.mark.parametrize(
    ("handler", "says"),
    [
        ("nowhere:ping", "nowhere"),
        ("status:ping", "Write `async def ping(app, request)` in"),
        ("status:_memory", "is handled by status:_memory, which must be `async`"),
    ],
)
def test_a_command_has_a_handler(handler: str, says: str) -> None:
    with pytest.raises(DeclarationError, match=re.escape(says)):
        load_command(CommandDeclaration(**STATUS | {"handler": handler}))


def test_a_setting_has_a_description() -> None:
    with pytest.raises(DeclarationError, match="setting naps of Sleepy needs a description"):

        class Sleepy(LimitSettings):
            naps: int = 3
