"""What the terminal repeats, because it may not import it, agrees with the original."""

from __future__ import annotations

from functools import partial
from typing import Any, get_args, get_type_hints

import pytest

from glossator.cli import options
from glossator.cli.messages import price
from glossator.commands.declared import DECLARED
from glossator.commands.loaded import COMMANDS
from glossator.llm.meter import price_in_words
from glossator.settings.model import PermissionSettings


def declared(name: str) -> Any:
    run = COMMANDS[name].run
    return get_type_hints(run.func if isinstance(run, partial) else run)["return"]


def test_every_command_answers_what_the_server_declares() -> None:
    answers = {name: each.answer_class() for name, each in DECLARED.items() if each.answer}
    assert len(answers) > 50
    assert {name: declared(name) for name in answers} == answers


def test_the_modes_are_the_same() -> None:
    mode = PermissionSettings.model_fields["mode"].annotation
    assert get_args(options.ModeName) == get_args(mode)


@pytest.mark.parametrize("dollars", [0.0, 0.000_01, 0.0001, 0.003_44, 0.00999, 0.01, 0.456, 1234.5])
def test_prices_read_the_same(dollars: float) -> None:
    assert price(dollars) == price_in_words(dollars)
