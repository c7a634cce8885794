"""What a session was about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """What a session was about so far, in sentences; `by_model` is false for an extracted one."""

    session_id: str
    main_topics: tuple[str, ...]
    key_conclusions: tuple[str, ...]
    unresolved_questions: tuple[str, ...]
    by_model: bool
