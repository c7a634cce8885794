"""What choosing a mode answers."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.permission import Mode


@dataclass(frozen=True, slots=True)
class ModeAnswer:
    """The mode, and the one before."""

    mode: Mode
    before: Mode
