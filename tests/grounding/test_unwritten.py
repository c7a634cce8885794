"""What a statement may name that does not stand in its lines, and what lines say in other words."""

from __future__ import annotations

import pytest

from glossator.grounding.cited_lines import CitedLines
from glossator.grounding.rules import Verdict, check
from tests.grounding.test_checking import PYTHON, N, U

HOOKS = CitedLines(
    "src/worker.py",
    381,
    (
        "    def handle(self, message):",
        '        self.emit_after("process_message", message)',
        '        hook = getattr(self, f"before_{message.event}")',
        '        log("message", f"{message}")',
    ),
    ("class Worker:",),
)
FALLBACK = CitedLines(
    "src/error.js",
    63,
    ("  const handler = reply[kNext] || context.onError", "  handler.func = func"),
    ("function handle (reply, func) {",),
)


@pytest.mark.parametrize(
    ("cited", "statement", "verdict"),
    [
        # lines
        (HOOKS, "In `src/worker.py`, lines 381-389: `handle` tells what was done.", N),
        (HOOKS, "Lines 380, 381 and 390 are about `handle`.", N),
        (HOOKS, "On line 381 `handle` begins.", N),
        (HOOKS, "On line 500 `handle` begins.", U),
        (HOOKS, "On lines 381-384 `handle` waits 17 seconds.", U),
        # what is set aside
        (PYTHON, "Besides `Server` and `Proxy`, `Client` has a `send` method.", N),
        (PYTHON, "Besides `Server`, `send` calls `encode` and raises `KeyError`.", U),
        (PYTHON, "Apart from `Server`, `send` calls `encode` and raises `ValueError`.", N),
        (PYTHON, "Besides `encode`, `send` calls `shutdown`.", U),
        (PYTHON, "Besides `shutdown`, `send` calls `encode`.", N),
        (PYTHON, "`Server` calls `encode`.", U),
        # names that are put together
        (HOOKS, "`message` is passed to `after_process_message`.", N),
        (HOOKS, "`handle` calls `after_process_message`.", N),
        (HOOKS, "`handle` looks up `before_enqueue`.", N),
        (HOOKS, "`message` is passed to `before_process_message`.", N),
        (HOOKS, "`message` is passed to `until_process_message`.", U),
        (HOOKS, "`handle` calls `after_enqueue`.", U),
        (HOOKS, "`handle` calls `log_message`.", U),
        # one of two values
        (
            FALLBACK,
            "It takes `reply[kNext]` or, if that is not set, the `onError` of the context.",
            N,
        ),
        (FALLBACK, "`handler` is `reply[kNext]`.", N),
        (FALLBACK, "`handler` is `reply[kLast]`.", U),
        (FALLBACK, "`handler` is `context.func`.", N),
        (FALLBACK, "`handle` makes an object whose `func` is the given function.", N),
        (FALLBACK, "`handle` is a function.", N),
    ],
)
def test_what_need_not_be_written(cited: CitedLines, statement: str, verdict: Verdict) -> None:
    judgement = check(statement, [cited])
    assert judgement.verdict is verdict, judgement.reason
