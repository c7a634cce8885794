"""The commands that a model answers: questions, actions on lines, explorations and glosses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from glossator.cli.asking import Command, Talk, Work, ask_server, in_session, in_worktree
from glossator.cli.messages import files_left, in_worktree_notice
from glossator.cli.options import (
    ActingOptions,
    AskingOptions,
    ExploringOptions,
    Thinking,
    document_lines,
    read_question,
    with_options,
)
from glossator.commands import LINE_ACTIONS, LineAction
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.commands import Explored, RetryAnswer
    from glossator.core.answer import Answer

_PANEL = "With a file, or lines of it"
_NOT_KEPT = (
    "This was not kept as a gloss: a complete, current gloss by a model exists there, or this"
    " report cites no line that was read."
)
Thorough = Literal["quick", "medium", "very"]


@with_options
def ask(
    context: typer.Context,
    question: Annotated[list[str], typer.Argument(help="The question, or - to read it.")],
    attach: Annotated[
        list[str] | None,
        typer.Option(
            "--attach",
            metavar="PATH",
            help="Show the model a file, PATH:10-20 of it, a folder or an image; repeat it for"
            " several.",
            show_default=False,
        ),
    ] = None,
    *,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Answer by a plan of tasks (not the plan mode), however easy it looks."
        ),
    ] = False,
    direct: Annotated[
        bool, typer.Option("--direct", help="Answer without a plan, however hard it looks.")
    ] = False,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Show what would go with the question; nothing is asked."),
    ] = False,
    common: AskingOptions,
) -> None:
    """Answer a question, or do what is asked, from the lines of the workspace."""
    if plan and direct:
        raise UsageError("--plan and --direct exclude each other; choose one.")
    argument: dict[str, Any] = {"question": read_question(question)}
    if plan or direct:
        argument["plan"] = "plan" if plan else "direct"
    if attach:
        argument["attachments"] = [document_lines(path, common.roots) for path in attach]
    if preview:
        argument.pop("plan", None)
        ask_server(context, common, _in(common, "glossator.preview", argument))
    else:
        _answer(context, common, "glossator.ask", argument)


@with_options
def chat(context: typer.Context, *, common: AskingOptions) -> None:
    """Ask one question after the other, and go on typing while an answer is on its way.

    Enter queues what you type then; `/steer WORDS` tells the model with the next results, `/queue`
    lists what waits. Tab completes `@` and `/` words, Alt-Enter begins another line, the arrows and
    Ctrl-R bring back earlier lines.
    """
    _check_session(common)
    talk = Talk(common.resume, newest=common.newest, worktree=common.worktree)
    ask_server(context, common, talk, thinking=common.thinking)


def add_actions(app: typer.Typer) -> None:
    """A command for each action."""
    for action in LINE_ACTIONS:
        add = app.command(action.word, help=action.help, rich_help_panel=_PANEL)
        add(_doing(action))


def _doing(action: LineAction) -> Callable[..., None]:
    @with_options
    def act(
        context: typer.Context,
        lines: Annotated[
            str, typer.Argument(metavar="PATH[:FIRST[-LAST]]", help="The file, or lines of it.")
        ],
        instruction: Annotated[
            list[str] | None,
            typer.Argument(metavar="INSTRUCTION", help="What you want of it, in your words."),
        ] = None,
        *,
        common: AskingOptions,
    ) -> None:
        argument = document_lines(lines, common.roots)
        if instruction:
            argument["instruction"] = " ".join(instruction)
        _answer(context, common, action.command, argument)

    return act


def _answer(
    context: typer.Context, common: AskingOptions, name: str, argument: Mapping[str, Any]
) -> None:
    """Run a command in a new session, or in the one that the options name."""
    _check_session(common)

    def show(display: Display, answer: Answer) -> bool:
        display.answer(answer)
        if common.worktree is not None:
            display.notice(in_worktree_notice(answer.session_id))
        return answer.stop != "refused"  # what a limit ended early is still an answer

    ask_server(context, common, _in(common, name, argument), show, thinking=common.thinking)


def _in(common: AskingOptions, name: str, argument: Mapping[str, Any]) -> Command | Work:
    """A command in a new session, or in the one that the options name."""
    if common.resume is not None or common.newest:
        return in_session(name, common.resume, argument)
    if common.worktree is not None:
        return in_worktree(name, common.worktree, argument)
    return Command(name, argument)


def _check_session(common: AskingOptions) -> None:
    if sum((common.resume is not None, common.newest, common.worktree is not None)) > 1:
        raise UsageError("--resume, --continue and --worktree exclude each other; choose one.")


@with_options
def retry(
    context: typer.Context,
    question: Annotated[
        list[str] | None,
        typer.Argument(help="What to ask in its place, or - to read it.", show_default=False),
    ] = None,
    *,
    common: ActingOptions,
    thinking: Thinking = False,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="ID",
            help="In this session; the newest if none is named.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Ask the last question again with all that went with it, or another in its place."""
    argument: dict[str, Any] = {"question": read_question(question)} if question else {}

    work = in_session("glossator.retry", resume, argument)

    def show(display: Display, answer: RetryAnswer) -> bool:
        display.answer(answer)
        for line in files_left(answer.changed):
            display.notice(line)
        return answer.stop != "refused"

    ask_server(context, common, work, show, thinking=thinking)


@with_options
def explore(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What to find out, in quotes, or - to read it.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Where to look; everywhere if none is named."),
    ] = None,
    *,
    thorough: Annotated[Thorough, typer.Option("--thorough", help="How far to go.")] = "medium",
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="The sub-agent that a file in .claude/agents describes.",
            show_default=False,
        ),
    ] = None,
    common: ExploringOptions,
) -> None:
    """Have a sub-agent search and read until it can report; it changes nothing."""

    def show(display: Display, answer: Explored) -> bool:
        display.answer(answer)
        return not answer.report.is_empty

    argument: dict[str, Any] = {
        "task": read_question([question]),
        "thoroughness": thorough,
        "paths": [_in_workspace(path, common.roots) for path in paths or ()],
    }
    if agent is not None:
        argument["agent"] = agent
    ask_server(context, common, Command("glossator.explore", argument), show)


def _in_workspace(path: Path, roots: tuple[Path, ...]) -> str:
    """The path as tools print it: relative to the only folder of the workspace, if inside."""
    full = path.absolute()
    if len(roots) == 1 and full.is_relative_to(roots[0]):
        return str(full.relative_to(roots[0]))
    return str(path)


@with_options
def gloss(
    context: typer.Context,
    place: Annotated[
        str, typer.Argument(help="A file, FILE:LINE, a folder, or a symbol such as Parser.parse.")
    ],
    *,
    thorough: Annotated[Thorough, typer.Option("--thorough", help="How far to go.")] = "quick",
    common: ExploringOptions,
) -> None:
    """Find out what a place is for, and keep that as its gloss, which editors show."""
    argument = _pointed_at(place, common.roots) | {"thoroughness": thorough}
    ask_server(context, common, Command("glossator.gloss", argument), _show)


@with_options
def overview(
    context: typer.Context,
    *,
    thorough: Annotated[Thorough, typer.Option("--thorough", help="How far to go.")] = "very",
    common: ExploringOptions,
) -> None:
    """Describe the architecture of the workspace: parts, entry points, the flow of data."""
    argument = {"thoroughness": thorough}
    ask_server(context, common, Command("glossator.exploreWorkspace", argument), _show)


def _show(display: Display, answer: Explored) -> bool:
    display.answer(answer)
    found = not answer.report.is_empty
    if found and answer.document is None:
        display.notice(_NOT_KEPT)
    return found


def _pointed_at(place: str, roots: Sequence[Path]) -> dict[str, Any]:
    """A place on disk, as `document_lines` finds it; anything else is a symbol's name."""
    try:
        found = document_lines(place, roots)
    except UsageError:
        if "/" in place:
            raise
        return {"name": place}
    line = found.pop("firstLine", None)
    found.pop("lastLine", None)
    return found if line is None else found | {"line": line}
