"""The actions on lines, for the light bulb, the palette, the chat and the terminal."""

from __future__ import annotations

from glossator.commands.declaration import LineAction

# What neither mends nor rewrites has the empty kind: editors show that in the light bulb (VS Code
# under "More Actions"), and never by themselves. A source action would not be shown there.
EXPLAIN = LineAction(
    "glossator.explain", "Explain", "user/explain", "Explain a file, or lines of it."
)
FIX = LineAction(
    "glossator.fix", "Fix", "user/fix", "Mend what is wrong there.", "quickfix", edits=True
)
EDIT = LineAction(
    "glossator.edit",
    "Edit",
    "user/edit",
    "Change the lines as you say.",
    "refactor.rewrite",
    edits=True,
)
REFACTOR = LineAction(
    "glossator.refactor",
    "Refactor",
    "user/refactor",
    "Make the code better without changing what it does.",
    "refactor.rewrite",
    edits=True,
)
DOCUMENT = LineAction(
    "glossator.document",
    "Document",
    "user/document",
    "Write the documentation that is missing.",
    "refactor.rewrite",
    edits=True,
)
WRITE_TESTS = LineAction(
    "glossator.writeTests",
    "Write tests",
    "user/write_tests",
    "Write tests in the project's style.",
    joint="for",
    edits=True,
)
EXPLORE_USAGE = LineAction(
    "glossator.exploreUsage",
    "Explore usage",
    "user/explore_usage",
    "Find out who uses it, how, and what would break.",
    joint="of",
)
LINE_ACTIONS = (EXPLAIN, FIX, EDIT, REFACTOR, DOCUMENT, WRITE_TESTS, EXPLORE_USAGE)
