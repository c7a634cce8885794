"""What each run of a kept session took, from the records of its log."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from glossator.core.events import Usage
from glossator.llm import Spending
from glossator.sessions.records import Happened, ModelCall, Record
from glossator.sessions.state import without_rewound


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run took: wall time, model replies, tokens and dollars, sub-agents included.

    Dollars are None where a price is not known. `session_dollars` are those of the session by then.
    """

    run_id: str
    milliseconds: float
    turns: int
    usage: Usage
    dollars: float | None
    session_dollars: float | None


@dataclass(slots=True)
class _Counted:
    """A run so far; `session` is what the session had taken when something was last heard of it."""

    began: datetime
    last: datetime
    turns: int = 0
    spending: Spending = field(default_factory=Spending)
    session: Spending = field(default_factory=Spending)


def run_figures(
    records: Iterable[Record], going_on: Collection[str] = ()
) -> tuple[RunFigures, ...]:
    """Of the runs that were not rewound and have ended, oldest first.

    A run whose server was killed took as long as something was heard of it.
    """
    runs: dict[str, _Counted] = {}
    session = Spending()
    for record in without_rewound(records):
        match record:
            case Happened(run_id, event={"kind": "run.started"}):
                runs[run_id] = _Counted(record.at, record.at, session=session)
            case Happened(run_id, event={"kind": kind}) if run_id in runs and kind != "citation":
                runs[run_id].last = record.at  # citations follow their lines after the end
            case ModelCall(run_id):
                spent = Spending.priced(record.usage, record.long_write_tokens, record.dollars)
                session += spent
                if (run := runs.get(run_id)) is not None:
                    run.spending += spent
                    run.turns += record.purpose == "turn"
                    run.last, run.session = record.at, session
    return tuple(
        RunFigures(
            run_id,
            (run.last - run.began).total_seconds() * 1000,
            run.turns,
            run.spending.usage,
            run.spending.dollars,
            run.session.dollars,
        )
        for run_id, run in runs.items()
        if run_id not in going_on
    )
