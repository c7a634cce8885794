"""One-line summaries that the terminal and the pipe share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from glossator.cli.messages import amount, duration, plural, price, size
from glossator.cli.render.sessions import names
from glossator.cli.wire import Answer, Event, IndexReport, Spending, Status
from glossator.core.brief import brief_arguments
from glossator.core.shown import shown


@dataclass(slots=True)
class ToolLines:
    """The line of each finished tool call; it remembers the arguments of the running ones."""

    running: dict[str, Event] = field(default_factory=dict)  # by call id, in order of start

    def started(self, event: Event) -> None:
        """A call began."""
        self.running[event["callId"]] = event

    def finished(self, event: Event) -> tuple[str, str]:
        """`✓ Grep pattern="foo"` and `3 matches  14 ms`."""
        start = self.running.pop(event["callId"], None)
        arguments = brief_arguments(start["arguments"]) if start else ""
        mark = "✗" if event["error"] or event.get("unsuccessful") else "✓"
        outcome = filter(None, [event["summary"], duration(event["milliseconds"])])
        return f"{mark} {event['tool']} {arguments}".rstrip(), "  ".join(outcome)


@dataclass(slots=True)
class EditLines:
    """What became of the edits that did not go as proposed; the others' diffs say it all."""

    labels: dict[str, str] = field(default_factory=dict)  # of the plans under way, by id

    def proposed(self, event: Event) -> None:
        """A plan was made."""
        self.labels[event["plan"]["id"]] = event["plan"]["label"]

    def settled(self, event: Event) -> str | None:
        """`Edit src/a.py: not applied`; None if it was applied as a whole."""
        label = self.labels.pop(event["planId"], "The edit")
        if not event["applied"]:
            return f"{label}: not applied"
        return f"{label}: applied in part" if event["note"] else None


def footer(answer: Answer) -> str:
    """Who answered, in how many turns, for how many tokens, how fast, for how much."""
    usage = answer["usage"]
    cached = usage["cacheReadTokens"]
    taken = cached + usage["cacheWriteTokens"] + usage["inputTokens"]
    parts = [
        "offline, extractive" if answer["offline"] else answer["model"],
        plural(answer["turns"], "turn"),
    ]
    if taken:
        share = f" ({cached * 100 // taken}% cached)" if cached else ""
        parts.append(f"{amount(taken)} tokens in{share}, {amount(usage['outputTokens'])} out")
    parts.append(duration(answer["milliseconds"]))
    if not answer["offline"]:
        parts.append(_paid(answer))
    return " · ".join(parts)


def what_next(answer: Answer) -> str:
    """What the run changed and how to undo it, and how to go on with its session."""
    session = f"session {answer['sessionId']} (--resume)"
    if not answer["changedFiles"]:
        return session
    return f"changed {names(answer['changedFiles'])} (glossator undo) · {session}"


def index_rows(report: IndexReport) -> Iterator[tuple[str, str]]:
    """The rows of an index's report, in the order to read them."""
    yield "files", f"{report['files']:,}"
    yield "in the index", f"{report['indexed']:,}"
    if report["pending"]:
        causes = "" if report["problems"] else "links, unreadable or just changed; "
        yield "not in it", f"{report['pending']:,} ({causes}always searched)"
    yield "segments", f"{report['segments']}, {size(report['diskBytes'])}"
    yield "time", duration(report["milliseconds"])
    if not report["problems"]:  # each has a line of its own
        yield "problems", "none"


def status_rows(status: Status) -> Iterator[tuple[str, str]]:
    """The rows of a status, in the order to read them."""
    cache = status["cache"]
    yield "version", status["version"]
    yield "model", "offline, extractive" if status["offline"] else status["model"]
    for root in status["roots"]:
        yield "workspace", root
    yield "files", f"{status['files']:,}{' (still scanning)' if status['scanning'] else ''}"
    yield "open documents", str(status["openDocuments"])
    yield "revision", str(status["revision"])
    yield "watcher", status["watcher"]
    if (sweep := status["lastSweep"]) is not None:
        ago = duration(sweep["secondsAgo"] * 1000)
        took = duration(sweep["milliseconds"])
        found = plural(sweep["differences"], "difference")
        if sweep["cause"] == "start":  # everything is new to a server that starts
            yield "first scan", f"{ago} ago, in {took}"
        else:
            yield "last sweep", f"{ago} ago ({sweep['cause']}): {found} in {took}"
    index = status["index"]
    yield "index", index["state"]
    yield "in the index", f"{plural(index['documents'], 'file')}, {index['delta']:,} in memory"
    yield "not in it yet", plural(index["pending"], "file")
    yield "segments", f"{index['segments']}, {size(index['diskBytes'])}"
    for problem in index["problems"]:
        yield "problem", problem
    if (outlines := status["outlines"]) is not None:
        yield "outlines", f"{outlines['entries']:,}, {size(outlines['bytes'])}"
    yield "worker", status["worker"]
    yield "ripgrep", status["ripgrep"]
    worker = status["workerMemoryBytes"]
    yield "memory", size(status["memoryBytes"]) + (f", worker {size(worker)}" if worker else "")
    held = f"{cache['entries']:,} texts, {size(cache['bytes'])}"
    used = f"{cache['hits']:,} hits, {cache['misses']:,} misses, {cache['dedupes']:,} dedupes"
    yield "read cache", f"{held}, {used}"
    yield "sessions", str(status["sessions"])
    for spent in status["spending"]:
        yield "spent", _spent(spent)
    if status["runs"]:
        yield "running", ", ".join(status["runs"])
    for rule in status["skipped"]:
        such_as = "such as " if rule["count"] > 1 else ""
        where = f"{such_as}{shown(rule['example'])}"
        yield "skipped", f"{rule['count']:,}: {shown(rule['rule'])} ({where})"


def _spent(spent: Spending) -> str:
    """`How is it built?: 3 requests, 12k tokens, $0.02`."""
    usage = spent["usage"]
    read = usage["inputTokens"] + usage["cacheReadTokens"] + usage["cacheWriteTokens"]
    tokens = amount(read + usage["outputTokens"])
    requests = plural(spent["replies"], "request")
    more = " or more" if spent["brokenOff"] else ""
    return f"{shown(spent['title'])}: {requests}, {tokens} tokens, {price(spent['dollars'])}{more}"


def _paid(answer: Answer) -> str:
    """`$0.02`, or `$0.02 (session $0.31)` where there was more."""
    run, session = price(answer["dollars"]), price(answer["sessionDollars"])
    return run if run == session else f"{run} (session {session})"
