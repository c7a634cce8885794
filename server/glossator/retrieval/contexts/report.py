"""What is said about making contexts: progress on the way, a report at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from glossator.llm import Meter, Spending, price_in_words
from glossator.retrieval.contexts.estimate import ContextEstimate

_SHOWN = 5  # distinct problems in a report


@dataclass(frozen=True, slots=True)
class ContextProgress:
    """How far it is: contexts made of those that were missing, and the price so far.

    `waiting` says for what, while a batch is under way.
    """

    made: int
    missing: int
    dollars: float
    waiting: str = ""


OnProgress = Callable[[ContextProgress], None]


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What came of it. `stopped` says why it ended before all was made, with a next step; or "".

    `failed` contexts could not be made; `problems` says why, each reason once with its count.
    `spending` is what the provider billed by its own figures, batches at their lower price.
    """

    estimate: ContextEstimate
    made: int
    failed: int
    problems: tuple[str, ...]
    stopped: str
    spending: Spending
    batches: int

    @property
    def cost_in_words(self) -> str:
        """The price against the estimate, and how well the cache was used, for the user."""
        paid, usage = self.spending, self.spending.usage
        guess = self.estimate
        low, high = guess.dollars, guess.dollars
        if self.batches:
            low, high = guess.batch_dollars, guess.batch_most
        expected = price_in_words(low) + ("" if low == high else f" to {price_in_words(high)}")
        return (
            f"{price_in_words(paid.dollars)} (estimated {expected}):"
            f" {usage.input_total:,} tokens in, {paid.read_share:.0%} of them read from the cache,"
            f" and {usage.output_tokens:,} out."
        )


@dataclass(slots=True)
class Tally:
    """Counts while contexts are made; the source of progress and report."""

    estimate: ContextEstimate
    missing: int
    meter: Meter
    on_progress: OnProgress
    made: int = 0
    stopped: str = ""
    waiting: str = ""
    batches: int = 0
    _problems: Counter[str] = field(default_factory=Counter)

    def keep(self, count: int) -> None:
        """So many more contexts are kept."""
        self.made += count
        self.show()

    def fail(self, problem: str, count: int = 1) -> None:
        """So many contexts could not be made."""
        self._problems[problem] += count
        self.show()

    def stop(self, reason: str) -> None:
        """Nothing more is sent; the first reason counts."""
        self.stopped = self.stopped or reason

    def wait(self, reason: str) -> None:
        """Say what is waited for, or "" that nothing is."""
        self.waiting = reason
        self.show()

    def show(self) -> None:
        """Report progress."""
        spent = self.meter.spending.known_dollars
        self.on_progress(ContextProgress(self.made, self.missing, spent, self.waiting))

    def report(self) -> ContextReport:
        """The report as of now."""
        told = [f"{problem} ({count:,})" for problem, count in self._problems.most_common(_SHOWN)]
        failed = sum(self._problems.values())
        return ContextReport(
            self.estimate,
            self.made,
            failed,
            tuple(told),
            self.stopped,
            self.meter.spending,
            self.batches,
        )
