"""What can be done with lines of a document, in one table; `declared.py` makes commands of it.

Standard library only, as the declarations are.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineAction:
    """Something to do with lines. One that does not edit only reads, whatever else is allowed.

    `prompt` is the name of a prompt, `kind` LSP's kind of code action; `joint` stands between the
    title and the name of a symbol, `help` is for the command line.
    """

    command: str
    title: str
    prompt: str
    help: str
    kind: str = ""
    joint: str = ""
    edits: bool = False

    def titled(self, name: str) -> str:
        """The title, with what it is about: `Write tests for swim`."""
        return " ".join(filter(None, (self.title, self.joint if name else "", name)))

    @property
    def word(self) -> str:
        """As it is typed on a command line: `write-tests`."""
        return self.title.lower().replace(" ", "-")


# What neither mends nor rewrites has the empty kind: editors show that in the light bulb (VS Code
# under "More Actions"), and never by themselves. A source action would not be shown there.
EXPLAIN = LineAction(
    "glossator.explain",
    "Explain",
    "user/explain",
    "Explain a file, or lines of it.",
)
FIX = LineAction(
    "glossator.fix",
    "Fix",
    "user/fix",
    "Mend what is wrong there.",
    kind="quickfix",
    edits=True,
)
REFACTOR = LineAction(
    "glossator.refactor",
    "Refactor",
    "user/refactor",
    "Make the code better without changing what it does.",
    kind="refactor.rewrite",
    edits=True,
)
DOCUMENT = LineAction(
    "glossator.document",
    "Document",
    "user/document",
    "Write the documentation that is missing.",
    kind="refactor.rewrite",
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
LINE_ACTIONS = (EXPLAIN, FIX, REFACTOR, DOCUMENT, WRITE_TESTS, EXPLORE_USAGE)
