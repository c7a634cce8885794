"""The commands about plans of plan mode, declared; part of `declared.py`."""

from __future__ import annotations

from glossator.commands.declaration import CommandDeclaration, Palette

OF_PLANS = (
    CommandDeclaration(
        "glossator.showPlan",
        "Show the plan",
        "plans:show_plan",
        palette=Palette("Edit Plan", "checklist"),
    ),
    CommandDeclaration(
        "glossator.startPlan", "Start the plan", "plans:start_plan", progress=True, report=True
    ),
)
