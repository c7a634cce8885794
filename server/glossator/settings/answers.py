"""The settings of answers: how they are judged, what is kept of them, who answers, and plans."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glossator.settings.group import Group


class GroundingSettings(Group):
    """How the sentences of answers are judged by the lines that they cite."""

    entailment: bool = Field(
        True,
        description=(
            "Let the fast model judge sentences while the answer streams; without it they are"
            " compared with their lines by rules alone."
        ),
    )
    correction: Literal["rewrite", "mark", "drop", "off"] = Field(
        "rewrite",
        description=(
            "What becomes of a sentence that its lines do not support: the fast model rewrites it"
            " and what still fails is marked as not confirmed, or it is marked, or left out, or"
            " it stays as it is."
        ),
    )


class FactSettings(Group):
    """Statements that were judged to be supported by their lines, kept while these stand."""

    enabled: bool = Field(
        True, description="Keep facts of answers, and let later questions rely on them."
    )
    most: int = Field(
        2_000,
        ge=1,
        le=5_000,
        description=(
            "Facts that are kept of a workspace; beyond that the oldest go, stale ones first"
            " and pinned ones last."
        ),
    )
    told: int = Field(
        12, ge=0, le=100, description="Most facts sent with a question; 0 sends none."
    )
    shared: bool = Field(
        True, description="Share facts through store.url, if a server is named there."
    )
    summary_tokens: int | None = Field(
        60_000,
        ge=1_000,
        description=(
            "For the memory of a session, which is kept with its facts: the size of a conversation,"
            " in tokens, from which the fast model summarises it after a run; null for never."
        ),
    )


class ProfileSettings(Group):
    """Who answers, and by which rules; a part of the system prompt of each new session."""

    role: str = Field("", max_length=300, description="What the assistant is, in a phrase.")
    persona: str = Field("", max_length=1_000, description="How it speaks, in sentences.")
    rules: tuple[str, ...] = Field(
        (), max_length=30, description="Rules the assistant always follows."
    )


class PlanSettings(Group):
    """How hard questions are answered: by a plan of tasks that are worked on side by side."""

    dispatch: Literal["model", "heuristics", "off"] = Field(
        "model",
        description=(
            "Who finds out whether a question is hard: the fast model, beside the first request, or"
            " the question's words; off: every question is answered directly."
        ),
    )
    review: bool = Field(False, description="Show each plan before it is carried out, and ask.")
