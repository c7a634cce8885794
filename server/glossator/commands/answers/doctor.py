"""What was checked of the set-up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `next_step` is empty when nothing needs doing."""

    name: str
    state: CheckState
    detail: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """All checks, in the order to read them."""

    checks: tuple[Check, ...]
