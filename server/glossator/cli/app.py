"""The commands of the `glossator` program."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from glossator import __version__
from glossator.cli.asking import Command, ask_server
from glossator.cli.context import hooks, instructions, skills
from glossator.cli.facts import facts
from glossator.cli.generic import add_generic_commands
from glossator.cli.mcp import mcp
from glossator.cli.memory import memory
from glossator.cli.messages import duration
from glossator.cli.options import ModelledOptions, tool_arguments, with_options
from glossator.cli.permission_commands import rules, trust
from glossator.cli.questions import add_actions, ask, chat, explore, gloss, overview, retry
from glossator.cli.retrieval import contexts, search
from glossator.cli.sessions import redo, sessions, undo
from glossator.cli.setup import setup
from glossator.core.citation_words import holds
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.commands import CheckedText, DoctorAnswer, IndexAnswer, ToolAnswer

app = typer.Typer(
    help="Ask a workspace, and see the lines each claim rests on.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"glossator {__version__}")
        raise typer.Exit


@app.callback()
def glossator(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """What holds for every command."""


# For `--help` alone: the server is started by `launch.py`, without typer, and reads `--tcp` and
# `--token-file` itself.
@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    options_metavar="[--stdio | --tcp HOST:PORT [--token-file FILE]]",
)
def serve(
    context: typer.Context,
    stdio: Annotated[  # noqa: ARG001 - editors pass it; it is what happens anyway
        bool, typer.Option("--stdio", help="Over the standard streams, which is the default.")
    ] = False,
) -> None:
    """Run the language server for an editor.

    With --tcp for one client of this machine at HOST:PORT, which sends the token that is printed,
    or written to --token-file, as initializationOptions.token.
    """
    from glossator.lsp import main  # noqa: PLC0415 - only this command needs the server

    raise typer.Exit(main(context.args))


# For `--help` alone, too: `launch.py` starts it without typer.
@app.command()
def acp() -> None:
    """Run an agent for an editor that speaks the Agent Client Protocol.

    It talks over the standard streams; docs/editors.md has the lines for Zed, JetBrains' IDEs,
    Neovim and Emacs.
    """


app.command()(ask)
app.command()(chat)
add_actions(app)


app.command()(retry)
app.command()(explore)
app.command()(gloss)
app.command()(overview)


app.command()(search)
app.command()(contexts)


@app.command()
@with_options
def tool(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The tool, as the model calls it.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments, a JSON object.")] = "{}",
    *,
    time: Annotated[bool, typer.Option("--time", help="Print how long it took.")] = False,
    common: ModelledOptions,
) -> None:
    """Run one tool and print exactly what the model would see."""

    def show(display: Display, answer: ToolAnswer) -> bool:
        display.answer(answer)
        if time:
            print(duration(answer.milliseconds), file=sys.stderr)
        return not answer.error

    argument = {"name": name, "arguments": tool_arguments(arguments)}
    ask_server(context, common, Command("glossator.tool", argument), show)


@app.command()
@with_options
def check(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="A Markdown file; without one, standard input is read.", exists=True),
    ] = None,
    *,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Ask no model about what rules leave open.")
    ] = False,
    common: ModelledOptions,
) -> None:
    """Check whether the lines that a text cites say what it says."""

    def show(display: Display, answer: CheckedText) -> bool:
        display.answer(answer)
        return all(map(holds, answer.citations)) and not answer.uncited

    try:
        text = sys.stdin.read() if file is None else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The text cannot be read: {error}.") from error
    argument = {"text": text, "model": not rules_only}
    ask_server(context, common, Command("glossator.check", argument), show, progress=True)


@app.command()
@with_options
def status(context: typer.Context, *, common: ModelledOptions) -> None:
    """Show what a server holds of the workspace."""
    ask_server(context, common, Command("glossator.status", {"wait": True}))


@app.command()
@with_options
def index(
    context: typer.Context,
    *,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Rebuild the index; searches use the old one meanwhile."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compare the index with the files; change nothing.")
    ] = False,
    common: ModelledOptions,
) -> None:
    """Build or check the index that makes searches fast."""
    if rebuild and check:
        raise UsageError("--rebuild and --check exclude each other; choose one.")

    def show(display: Display, answer: IndexAnswer) -> bool:
        display.answer(answer)
        return not answer.problems

    mode = "rebuild" if rebuild else "check" if check else "update"
    command = Command("glossator.rebuildIndex", {"mode": mode})
    ask_server(context, common, command, show, progress=True)


@app.command()
@with_options
def models(context: typer.Context, *, common: ModelledOptions) -> None:
    """List the models that --model and an editor can choose, with their prices."""
    ask_server(context, common, Command("glossator.listModels"))


@app.command()
@with_options
def doctor(context: typer.Context, *, common: ModelledOptions) -> None:
    """Check the set-up, and say what to do about what is wrong."""

    def show(display: Display, answer: DoctorAnswer) -> bool:
        display.answer(answer)
        return all(check.state != "failed" for check in answer.checks)

    ask_server(context, common, Command("glossator.doctor"), show)


def _add_evaluations() -> None:
    """`glossator eval`, from a package of its own that uses this one."""
    if find_spec("glossator_eval") is not None:
        app.add_typer(import_module("glossator_eval").evaluations, name="eval")
        return
    anything = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

    @app.command("eval", context_settings=anything)
    def not_installed() -> None:
        """Measure how good Glossator is."""
        raise UsageError(
            "Measuring needs one more package. Run: pip install 'glossator[eval]', or"
            " in a checkout: pip install ./server/glossator_eval"
        )


app.add_typer(sessions, name="sessions")
app.add_typer(rules, name="rules")
app.add_typer(skills, name="skills")
app.add_typer(hooks, name="hooks")
app.add_typer(instructions, name="instructions")
app.add_typer(mcp, name="mcp")
app.add_typer(memory, name="memory")
app.add_typer(facts, name="facts")
_add_evaluations()
app.command()(undo)
app.command()(redo)
app.command()(setup)
app.command()(trust)
add_generic_commands(app)
