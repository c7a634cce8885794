"""The commands: `glossator eval retrieval` and `glossator eval grounding`.

They ask no server: they work in this process.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import glossator_eval
from glossator.cli import Json, work_here
from glossator.core.errors import UsageError
from glossator.core.shown import shown

if TYPE_CHECKING:
    from glossator.cli import Display

evaluations = typer.Typer(help="Measure how good Glossator is.")


@evaluations.callback()
def measured() -> None:
    """Measure how good Glossator is."""


@evaluations.command()
def retrieval(  # noqa: PLR0913 - an option each
    labelled: Annotated[
        Path | None,
        typer.Argument(
            metavar="SET",
            help="The set: a folder with annotations.jsonl, or with codebase_chunks.json and"
            " evaluation_set.jsonl, or a file of annotations.",
            show_default=False,
        ),
    ] = None,
    *,
    stages: Annotated[
        str,
        typer.Option(
            "--stages",
            metavar="NAMES",
            help="The stages of a search that are on, with commas between; those that are not set"
            " up are left out.",
        ),
    ] = "lexical,vectors,fusion,rerank",
    ablation: Annotated[
        bool,
        typer.Option("--ablation", help="Also measure without each stage, and each source alone."),
    ] = False,
    limit_questions: Annotated[
        int | None,
        typer.Option(
            "--limit-questions",
            metavar="N",
            min=1,
            help="Ask so many of the questions, the same ones each time; with --generate, make so"
            " many (400 unless given).",
            show_default=False,
        ),
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option(
            "--root",
            metavar="NAME=PATH",
            help="The folder of a repository that is searched; repeat it for several.",
            show_default=False,
        ),
    ] = None,
    repositories: Annotated[
        Path | None,
        typer.Option(
            "--repositories",
            metavar="FILE",
            help="Where the sources are; else repositories.json beside the annotations.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE.png", help="Draw the report, too.", show_default=False
        ),
    ] = None,
    generate: Annotated[
        Path | None,
        typer.Option(
            "--generate",
            metavar="FOLDER",
            help="Make a set from the doc comments of this repository, instead of measuring.",
            exists=True,
            file_okay=False,
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="SET",
            help="The folder that --generate makes.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which ones --generate draws.")] = 0,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude",
            metavar="PATTERN",
            help="What --generate leaves out, in .gitignore syntax; repeat it for several.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure how well searches find what answers a question, or make a set to measure with."""
    if (labelled is None) == (generate is None):
        raise UsageError("Name a SET to measure, or make one with --generate FOLDER -o SET.")
    if (generate is None) != (output is None):
        raise UsageError(
            "--generate FOLDER and -o SET come together: what it is made from, and where."
        )

    def work(display: Display) -> None:
        from glossator.settings import load_settings  # noqa: PLC0415 - slow

        if generate is not None and output is not None:
            count = limit_questions or glossator_eval.QUESTIONS
            made = glossator_eval.generate(
                generate, output, questions=count, seed=seed, exclude=tuple(exclude or ())
            )
            display.answer(made, glossator_eval.generated_parts(made))
        elif labelled is not None:
            if plot is not None:
                glossator_eval.check_plot(plot)
            chosen = glossator_eval.Stages.named(stages.split(","))
            embeddings = glossator_eval.embeddings(load_settings(None, os.environ), os.environ)
            told = _Progress(display)
            report = glossator_eval.measure(
                glossator_eval.read_set(
                    labelled, repositories=repositories, roots=root or (), limit=limit_questions
                ),
                lambda: glossator_eval.ChunkSearch(embeddings if chosen.vectors else None, told),
                chosen,
                ablation=ablation,
                told=told,
            )
            display.answer(report, glossator_eval.retrieval_parts(report))
            if plot is not None:
                glossator_eval.plot(report, plot)
                display.notice(f"Drawn: {shown(str(plot))}", "")

    work_here(work, json=json)


@evaluations.command()
def grounding(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="A repository: a folder, or a .tar archive of one.",
            exists=True,
            show_default=False,
        ),
    ],
    *,
    phrasings: Annotated[
        str,
        typer.Option(
            "--phrasings",
            metavar="HALF",
            help="How things are said: dev (for those who build a verifier), held-out, or all.",
        ),
    ] = "all",
    most: Annotated[
        int,
        typer.Option(
            "--most",
            metavar="N",
            min=1,
            help="Make so many true statements about a repository, and as many false ones.",
        ),
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Which statements are drawn.")] = 0,
    show: Annotated[
        int,
        typer.Option(
            "--show",
            metavar="N",
            min=0,
            help="Show so many true statements that were refused, and false ones that were not.",
        ),
    ] = 0,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE.png", help="Draw the report, too.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure which false statements about code are refused without asking a model."""

    def work(display: Display) -> None:
        if plot is not None:
            glossator_eval.check_plot(plot)
        report = glossator_eval.measure_grounding(
            paths, half=phrasings, most=most, seed=seed, show=show, told=_Progress(display)
        )
        display.answer(report, glossator_eval.grounding_parts(report))
        if plot is not None:
            glossator_eval.plot_grounding(report, plot)
            display.notice(f"Drawn: {shown(str(plot))}", "")

    work_here(work, json=json)


class _Progress:
    """Shows each new percentage."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._last = -1

    def __call__(self, collection: str, done: int, total: int) -> None:
        percentage = 100 * done // total
        if percentage != self._last:
            self._last = percentage
            self._display.progress(
                {"kind": "report", "percentage": percentage, "message": collection}
            )
