"""What the editor's other servers find wrong with documents."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding; `line` is 1-based, `source` names who found it."""

    line: int
    severity: Severity
    message: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document, and the version its findings must be of at least; None: any."""

    uri: str
    version: int | None


@dataclass(frozen=True, slots=True)
class FileDiagnostics:
    """The findings for one document; `pending`: those for the version wanted did not come yet."""

    uri: str
    items: tuple[Diagnostic, ...]
    pending: bool = False
