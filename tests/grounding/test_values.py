"""What true sentences say of values and calls as code writes them: none of it is refused."""

from __future__ import annotations

import pytest

from glossator.grounding import CitedLines, Verdict, check
from tests.grounding.test_checking import JAVA, PYTHON, C, N, S, U

LINES = r"""
WAIT = 5 * SECOND  # seconds
URL = "http://example.org/a;b"
OPTIONS = dict(
    timeout=30,
    retries=3,
)
PAIR = ("a", "b")  # both
TOKEN = re.compile(
    r"a#b"
)
WORD = re.compile(r"#\w+")


def get(url="http://example.org", sep="#", size=SIZE // 2, most: int = 9, how=dict(
    timeout=40,
)):
    if sep not in ("#", *SIGNS):
        raise ValueError(sep)
    data = self.encode(url)
    return data
"""
CALLS = r"""
def handle(self, message, delay):
    self.enqueue(
        message,
        delay=delay,
    )
    bind(self.close, z)
    log(f"{z} q(a)")  # not t(z)
    t(y); q(z); say("a b")
    try:
        load(z)
    finally:
        self.close(z)
"""
VALUES = CitedLines("src/k.py", 1, tuple(LINES.strip("\n").split("\n")))
CALLING = CitedLines("src/c.py", 1, tuple(CALLS.strip("\n").split("\n")))
NEW = CitedLines("src/c.js", 1, ("function make (a, b) {", "  return new Box(a, 'x y')", "}"))


GUARDED = CitedLines(
    "guarded.js",
    1,
    (
        "function load(name, options, most) {",
        "  const chosen = options || {};",
        "  if (most === undefined) most = 9;",
        "  if (chosen.depth !== LIMIT) {",
        '    throw new Failure("depth");',
        "  }",
        "  cache.set(KEY, name);",
        "  return name === chosen.name;",
        "}",
    ),
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("`load` checks that `chosen.depth` is `LIMIT`.", N),  # it does so by a guard
        ("`load` checks whether `chosen.depth` is `LIMIT`.", C),
        ("`load` checks that `chosen.depth` is not `LIMIT`.", N),
        ("`options` defaults to `{}`.", N),
        ("`most` defaults to 9.", N),
        ("`load` returns `true` if the names are equal.", N),
        ("`load` returns `undefined` if nothing is found.", N),
        ("`load` stores the name under `KEY` with `cache.set`.", N),
        ("`load` wraps the name in a `Failure`.", N),
    ],
)
def test_what_code_may_mean_is_not_refused(statement: str, verdict: Verdict) -> None:
    judgement = check(statement, [GUARDED])
    assert judgement.verdict is verdict, judgement.reason


@pytest.mark.parametrize(
    ("cited", "statement", "verdict"),
    [
        # comments, strings that hold what begins one, several lines
        (VALUES, "`WAIT` is `5 * SECOND`.", S),
        (VALUES, '`URL` is `"http://example.org/a;b"`.', S),
        (VALUES, '`URL` is `"http://example.org/a"`.', C),
        (VALUES, "`OPTIONS` is `dict(timeout=30, retries=3)`.", S),
        (VALUES, "`OPTIONS` is `dict(timeout=31, retries=3)`.", U),
        (VALUES, "`OPTIONS` is `dict(timeout=3, retries=30)`.", C),
        (VALUES, '`PAIR` is `("a", "b")`.', S),
        (VALUES, '`TOKEN` is `re.compile(r"a#b")`.', S),
        (VALUES, r"`WORD` matches `#\w+`.", N),
        (VALUES, '`url` defaults to `"http://example.org"` in `get`.', S),
        (VALUES, '`sep` defaults to `"#"`.', S),
        (VALUES, "`size` defaults to `SIZE // 2`.", S),
        (VALUES, "`how` defaults to `dict(timeout=40)`.", S),
        (VALUES, "`most` is an `int` with a default of 9.", N),
        # calls with their arguments, or with the types of these
        (VALUES, "`get` calls `self.encode(url)`.", S),
        (VALUES, "`get` calls `self.encode(sep)`.", N),
        (VALUES, "`get` calls `self.decode(url)`.", U),
        (VALUES, "`data` is the result of `self.encode(url)`.", N),
        (CALLING, "`handle` calls `self.enqueue(message, delay=delay)`.", S),
        (CALLING, "`handle` calls `bind(self.close, z)`.", S),
        (CALLING, "`handle` calls `enqueue(message)`.", N),
        (CALLING, "`handle` calls `enqueue(delay, message)`.", N),
        (CALLING, "`handle` calls `queue(message)`.", U),
        (CALLING, "`handle` never calls `enqueue(message)`.", N),
        (CALLING, "`handle` never calls `enqueue(message, delay=delay)`.", C),
        (CALLING, "`handle` calls `q(a)`.", N),  # in a text
        (CALLING, "`handle` calls `t(z)`.", N),  # in a comment
        (CALLING, "`handle` calls `say('a b')`.", S),
        (CALLING, '`handle` calls `say("ab")`.', U),
        (CALLING, "`handle(message, delay)` calls `q`.", S),
        (CALLING, "`handle(z)` calls `q`.", N),
        (CALLING, "`handle(delay, message)` calls `q`.", N),
        (CALLING, "In the `finally` part it always calls `close`.", N),
        (NEW, "`make(a, b)` calls `new Box(a, 'x y')`.", S),
        (NEW, "`make` calls `new Box('x y', a)`.", N),
        # several of a sort, and types
        (VALUES, '`get` raises `ValueError` if `sep` is not `"#"` or one of `SIGNS`.', N),
        (VALUES, '`url` defaults to `"http://example.org"`, `sep` to `"#"`, `most` to 9.', N),
        (VALUES, "The `most` parameter is an `int`.", N),
        (PYTHON, "The `send` method calls `encode`.", S),
        (JAVA, "`put(K, V)` calls `find`.", S),
        (JAVA, "`Tree.put(K key, V value)` throws a `NullPointerException`.", S),
        (JAVA, "`put(K, V)` throws an `IOException`.", S),
        (JAVA, "`put` declares `throws IOException`.", N),
        (JAVA, "`put(Reader, V)` calls `find`.", U),
    ],
)
def test_what_is_found_of_values_and_calls(
    cited: CitedLines, statement: str, verdict: Verdict
) -> None:
    judgement = check(statement, [cited])
    assert judgement.verdict is verdict, judgement.reason
