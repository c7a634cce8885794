"""`python -m tools.manual`: writes docs/glossator.1, the man page, from the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from glossator.cli.app import app

PAGE = Path(__file__).parents[1] / "docs" / "glossator.1"
_OPENING = r"""
.TH GLOSSATOR 1
.SH NAME
glossator \- ask a workspace, and see the lines each claim rests on
.SH SYNOPSIS
.B glossator
.I COMMAND
[\fIOPTIONS\fR] [\fIARGUMENTS\fR]
.SH DESCRIPTION
Glossator lets a model search, read and edit a workspace, and cites the lines that its answers
rest on.
Without a key for a model it answers offline, with extracts.
.SH COMMANDS
"""
_CLOSING = r"""
.SH COMPLETION
.B glossator --install-completion
teaches the current shell (bash, zsh, fish) to complete commands and options.
.SH EXIT STATUS
0: done; 1: it failed, or was refused; 2: the command line is wrong; 130: interrupted.
.SH ENVIRONMENT
.TP
.B ANTHROPIC_API_KEY
The key of the model's provider.
.TP
.B GLOSSATOR_OFFLINE
When it is 1, no model is asked.
"""


def page() -> str:
    """The man page of the commands as they are."""
    root: Any = get_command(app)
    lines = [line for each in root.commands.values() for line in _command(each, each.name)]
    return "\n".join([_OPENING.strip(), *lines, _CLOSING.strip()]) + "\n"


def _command(command: Any, name: str) -> Iterator[str]:
    command = command.built() if hasattr(command, "built") else command
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    words = [rf"\fI{_roff(_named(each))}\fR" for each in arguments]
    yield f".SS {' '.join([_roff(name), *words])}"
    yield _roff(command.help)
    for each in [*arguments, *options]:
        if each.help and not each.hidden and "--help" not in each.opts:
            yield ".TP"
            yield _labelled(each)
            yield _roff(each.help)
    for inner in getattr(command, "commands", {}).values():
        yield from _command(inner, f"{name} {inner.name}")


def _named(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper()) + ("..." if argument.nargs == -1 else "")


def _labelled(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return rf"\fI{_roff(_named(parameter))}\fR"
    names = ", ".join(rf"\fB{_roff(each)}\fR" for each in parameter.opts)
    value = parameter.metavar or parameter.name.upper()
    return names if parameter.is_flag else rf"{names} \fI{_roff(value)}\fR"


def _roff(text: str) -> str:
    escaped = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
