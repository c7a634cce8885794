"""Statements and their lines: what checks support, refuse and leave undecided."""

from __future__ import annotations

import pytest

from glossator.grounding import Calls, CallSite, CitedLines, Verdict, check, names_called

CLIENT = '''
class Client(Base):
    @retried
    def send(self, request, *, timeout=30, retries: int = 3) -> Data:
        """Send it."""
        if retries > LIMIT:
            raise ValueError("too many retries")
        data = self.encode(request)
        self.open()
        self.write(data, mode="strict")
        return data

    async def close(self):
        self.done = True
'''
PYTHON = CitedLines("src/client.py", 10, tuple(CLIENT.strip("\n").split("\n")))
NARROW = CitedLines(
    "src/client.py", 14, PYTHON.lines[4:6], ("class Client(Base):", "    def send(self, request):")
)
TYPESCRIPT = CitedLines(
    "src/shop.ts",
    1,
    (
        'import { Basket, type Item } from "./basket.js";',
        "",
        "export class Shop extends Place implements Open {",
        "  total(basket: Basket, tax = 0.2): number {",
        "    if (basket.items.length < 1) {",
        '      throw new EmptyBasket("nothing in it");',
        "    }",
        "    return sum(basket.items) * (1 + tax);",
        "  }",
        "}",
    ),
)
GO = CitedLines(
    "store/store.go",
    5,
    (
        "func (s *Store) Get(key string, most int) (Value, error) {",
        "\tif most >= maxKeys {",
        "\t\treturn nil, ErrTooMany",
        "\t}",
        "\treturn s.load(key)",
        "}",
    ),
)
RUST = CitedLines(
    "src/pool.rs",
    20,
    (
        "    pub fn close<'a, F>(&self, first: &'a Conn, then: F) -> Result<(), Failure>",
        "    where",
        "        F: FnOnce(&'a Conn),",
        "    {",
        "        self.shut(first)?;",
        "        Ok(then(first))",
        "    }",
    ),
    ("impl<'a> Shared for Pool<'a> {",),
)
JAVA = CitedLines(
    "Tree.java",
    1,
    (
        "  @Override",
        "  public Map<K, V> put(K key, V value) throws IOException {",
        "    if (key == null) {",
        '      throw new NullPointerException("key");',
        "    }",
        "    return find(key, true);",
        "  }",
    ),
    ("public final class Tree<K, V> extends Base<K, V> {",),
)
C_LANGUAGE = CitedLines(
    "run.c",
    1,
    (
        "static int run(loop_t* loop,",
        "               int mode) {",
        "  poll(loop);",
        "  return 0;",
        "}",
    ),
)
C_VOID = CitedLines("run.c", 1, ("int stop(void) {", "  return 0;", "}"))
CPP = CitedLines(
    "pool.cc",
    1,
    ("void Pool::add(const std::string& name, void (*done)(int)) {", "  names_.push(name);", "}"),
)
S, C, U, N = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("cited", "statement", "verdict"),
    [
        (PYTHON, "`Client.send` calls `encode` before `open`.", S),
        (PYTHON, "`Client.send` calls `open` before `encode`.", C),
        (PYTHON, "After calling `encode`, `send` calls `open`.", S),
        (PYTHON, "After calling `open`, `send` calls `encode`.", C),
        (PYTHON, "`encode` calls `send`.", C),
        (PYTHON, "`encode` is called by `send`.", S),
        (PYTHON, "`send` is called by `encode`.", C),
        (PYTHON, "`send` never calls `shutdown`.", S),
        (PYTHON, "`stop` does not call `send`.", N),  # the lines are not about `stop`
        (PYTHON, "`send` is never called.", N),
        (PYTHON, "`shutdown` is not called by `send`.", S),
        (PYTHON, "Only `send` calls `encode`.", N),
        (PYTHON, "`send` does not call `open`.", C),
        (PYTHON, "`send` takes a `timeout` that defaults to 30.", S),
        (PYTHON, "`send` takes a `timeout` that defaults to 31.", U),
        (PYTHON, "The default of `timeout` is 3.", C),
        (PYTHON, "`send` accepts `request` and `timeout`.", S),
        (PYTHON, "`send` accepts `data`.", U),
        (PYTHON, "`timeout` must be passed to `send` by keyword.", S),
        (PYTHON, "`request` must be passed to `send` by keyword.", C),
        (PYTHON, "`Client` inherits from `Base`.", S),
        (PYTHON, "`Base` is a subclass of `Client`.", U),
        (PYTHON, "Client is a subclass of Base.", S),
        (PYTHON, "`send` raises `ValueError` if `retries > LIMIT`.", S),
        (PYTHON, "`send` raises `ValueError` if `retries` is less than `LIMIT`.", C),
        (PYTHON, "`send` does not raise `ValueError`.", C),
        (PYTHON, "`send` raises `KeyError`.", U),
        (PYTHON, 'The message of the error is "too many retries".', N),
        (PYTHON, 'The message of the error is "too few retries".', U),
        (PYTHON, "`send` returns `data`.", S),
        (PYTHON, "`send` has the return type `Data`.", S),
        (PYTHON, "`send` returns `request`.", U),
        (PYTHON, "`send` is decorated with `retried`.", S),
        (PYTHON, "`close` is a coroutine.", S),
        (PYTHON, "`send` is asynchronous.", C),
        (PYTHON, "`close` sets `self.done`.", S),
        (PYTHON, "`close` is a method of `Client`.", S),
        (PYTHON, "`client.py` defines `send`.", S),
        (PYTHON, "`server.py` defines `send`.", U),
        (PYTHON, "The client gives up when it was tried too often.", N),
        (NARROW, "`send` raises `ValueError`.", S),
        (NARROW, "`encode` raises `ValueError`.", U),
        (TYPESCRIPT, "`Shop` extends `Place` and implements `Open`.", S),
        (TYPESCRIPT, "`Basket` is imported from `./basket.js`.", S),
        (TYPESCRIPT, "`Basket` is imported from `./shop.js`.", U),
        (TYPESCRIPT, "`total` throws `EmptyBasket`.", S),
        (TYPESCRIPT, "`tax` defaults to `0.2`.", S),
        (TYPESCRIPT, "`tax` defaults to `1`.", C),
        (TYPESCRIPT, "`total` has three parameters.", C),
        (GO, "`Store.Get` takes two arguments and calls `load`.", S),
        (GO, "`Get` checks whether `most` is at least `maxKeys`.", S),
        (GO, "`Get` checks whether `most < maxKeys`.", C),
        (GO, "`Get` can return `ErrTooMany`.", S),
        (PYTHON, "`timeout` is `30` by default in `send`.", S),
        (PYTHON, "`timeout` is `3` by default in `send`.", C),
        (PYTHON, "Callers of `send` who leave out `retries` get `3`.", S),
        (PYTHON, "`request` cannot be left out when calling `send`.", S),
        (PYTHON, "`timeout` cannot be left out when calling `send`.", C),
        (PYTHON, "`send` does not accept `timeout` as a positional argument.", S),
        (PYTHON, "`send` does not accept `request` as a positional argument.", C),
        (PYTHON, "The type of `retries` in `send` is `int`.", S),
        (PYTHON, "The type of `retries` in `send` is `Data`.", C),
        (PYTHON, "`send` takes `retries: int`.", S),
        (PYTHON, "`encode` runs before `open` in `send`.", S),
        (PYTHON, "`open` runs before `encode` in `send`.", C),
        (PYTHON, "`send` does not call `open` until it has called `encode`.", S),
        (PYTHON, "`send` does not call `encode` until it has called `open`.", C),
        (PYTHON, "`Base` is the parent of `Client`.", S),
        (PYTHON, "`Client` is the parent of `Base`.", U),
        (PYTHON, "`encode` is part of the functions that `send` calls.", S),
        (PYTHON, "`send` is among the functions that `encode` calls.", C),
        (PYTHON, "`send` fails with `ValueError` if `retries` is no more than `LIMIT`.", C),
        (PYTHON, "There is no check in `send` that `retries` is above `LIMIT`.", C),
        (PYTHON, "There is no check in `send` that `timeout` is above `LIMIT`.", S),
        (PYTHON, "`send` is not a coroutine but an ordinary function.", S),
        (PYTHON, "The return type of `send` is `Data`, not `Response`.", N),
        (PYTHON, "`send` raises `ValueError` rather than `KeyError`.", N),
        (PYTHON, "`write` receives `data`.", N),
        (PYTHON, "`send` doesn't use `timeout` in its body.", N),
        (PYTHON, "The class defines two methods, `send` and `close`.", N),
        (GO, "If `most` is greater than or equal to `maxKeys`, `Get` returns `ErrTooMany`.", S),
        (GO, "If `most` is smaller than `maxKeys`, `Get` returns `ErrTooMany`.", C),
        (GO, "`load` is only called if `most` is below `maxKeys`.", N),
        (RUST, "`close` is a method of `Pool`.", S),
        (PYTHON, "`send` calls `encode` after the request was sent.", N),
        (PYTHON, "`send` calls `encode` only sometimes.", N),
        (PYTHON, "It takes values of which only `timeout` is not 30.", N),
        (PYTHON, "`open` is not called when the server is down.", N),
        (PYTHON, "`send` calls `encode`, so nothing is not called.", N),
        (RUST, "`close` calls `shut`.", S),
        (RUST, "`close` has two parameters.", S),
        (RUST, "`close` has three parameters.", C),
        (RUST, "`close` returns `Result<(), Failure>`.", S),
        (JAVA, "`put` throws a `NullPointerException`.", S),
        (JAVA, "`Tree.put` calls `find`.", S),
        (JAVA, "`find` calls `put`.", C),
        (JAVA, "`put` has two parameters.", S),
        (JAVA, "`put` returns a `Map<K, V>`.", S),
        (C_LANGUAGE, "`run` calls `poll`.", S),
        (C_LANGUAGE, "`run` calls `close`.", U),
        (C_LANGUAGE, "`run` has three parameters.", C),
        (C_VOID, "`stop` takes no parameters.", S),
        (CPP, "`Pool::add` takes `name` and `done`.", S),
        (CPP, "`add` has two parameters.", S),
    ],
)
def test_what_is_found_of_a_statement(cited: CitedLines, statement: str, verdict: Verdict) -> None:
    judgement = check(statement, [cited])
    assert judgement.verdict is verdict, judgement.reason
    assert bool(judgement.reason) is (verdict in (C, U))


def test_several_citations_carry_a_statement_together() -> None:
    statement = "`send` raises `ValueError`, which `Get` does not."
    assert check(statement, [PYTHON, GO]).verdict is not Verdict.UNSUPPORTED
    assert check("`send` calls `load`.", [PYTHON]).verdict is Verdict.UNSUPPORTED


def test_a_refusal_says_what_is_missing() -> None:
    assert check("It waits for `lock`.", [PYTHON]).reason == "lock does not occur in the lines."


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("`encode` calls `send`.", "The lines contradict that `encode` calls `send`."),
        ("`send` does not call `open`.", "The lines do say that `send` calls `open`."),
        ("`send` returns `request`.", "The lines do not say that `send` returns `request`."),
        (
            "`timeout` cannot be left out when calling `send`.",
            "The lines contradict what the sentence says of `timeout` and `send`.",
        ),
    ],
)
def test_a_refusal_says_what_the_lines_do_not_say(statement: str, reason: str) -> None:
    assert check(statement, [PYTHON]).reason == reason


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [("It takes at most 5 MB.", N), ("It takes at most 6 MB.", U), ("It takes 60 seconds.", N)],
)
def test_numbers_count_in_other_units(statement: str, verdict: Verdict) -> None:
    lines = CitedLines("a.py", 1, ("MOST = 5 * 1024 * 1024", "WAIT_MS = 60_000"))
    assert check(statement, [lines]).verdict is verdict


def test_a_number_that_lines_may_stand_for_is_left_to_a_model() -> None:
    for line, statement, sure in (
        ("const top int8 = math.MaxInt8 >> 1", "`top` is 63.", False),
        ("c.Abort(http.StatusRequestEntityTooLarge)", "`Abort` sends 413.", False),
        ("const top int8 = 64", "`top` is 63.", True),
    ):
        found = check(statement, [CitedLines("a.go", 1, (line,))])
        assert (found.verdict, found.sure) == (Verdict.UNSUPPORTED, sure)


PARSE = CitedLines("src/parse.py", 5, ("def parse(text):", "    return split(text)"))
C_LINES = CitedLines("src/read.c", 12, ("    text = parse(file);",))
IMPORTING = CitedLines("a.py", 1, ("from b import split",))
CALLED: Calls = {
    "parse": (
        CallSite("src/load.py", 9, ("Loader", "load"), sure=True),
        CallSite("src/parse.py", 7, ("parse",), sure=True),  # itself
        CallSite("src/read.c", 12, ("read_file",), sure=False),
    ),
    "split": (CallSite("tests/test_split.py", 3, ("test_split",), sure=True),),
    "close": (CallSite("src/load.py", 11, ("Loader", "load"), sure=False),),
}
IN_LOAD = "`Loader.load` (src/load.py, line 9)"


@pytest.mark.parametrize(
    ("cited", "statement", "verdict", "where"),
    [
        (PARSE, "`parse` is never called.", C, IN_LOAD),
        (PARSE, "Note that `parse` has no callers.", C, IN_LOAD),
        (PARSE, "Nothing calls `parse`.", C, IN_LOAD),
        (PARSE, "`parse` calls `split`, and only `main` calls `parse`.", C, IN_LOAD),
        (PARSE, "`parse` is only called by `main` and `start`.", C, IN_LOAD),
        (PARSE, "The only caller of `parse` is `main`.", C, IN_LOAD),
        # what is found does not speak against it, and never for it
        (PARSE, "Only `load` calls `parse`.", U, "load does not occur"),
        (PARSE, "`parse` is never called by `main`.", N, ""),
        (PARSE, "In this file, `parse` is never called.", N, ""),
        (PARSE, "It is not so that `parse` is never called.", N, ""),
        (
            CitedLines("a.py", 1, ("from b import split",)),
            "`split` is never called.",
            N,
            "",
        ),  # tests do not count
        (CitedLines("a.py", 1, ("def close(self):", "    pass")), "`close` is unused.", N, ""),
        # the lines do not show the call: it is said where it is
        (PARSE, "`load` calls `parse`.", U, f"The call of `parse` is in {IN_LOAD}."),
        (PARSE, "`parse` is called by `start`.", U, f"`parse` is called in {IN_LOAD}."),
        (PARSE, "`parse` calls `close`.", U, "close does not occur in the lines."),
        # they show it, in a definition that only the index knows
        (C_LINES, "`read_file` calls `parse`.", S, ""),
        (C_LINES, "`parse` is called by `read_file`.", S, ""),
        (C_LINES, "`read_file` does not call `parse`.", C, "The lines do say"),
        (C_LINES, "`load` calls `parse`.", U, IN_LOAD),
    ],
)
def test_calls_of_the_workspace_refute_and_tell_places(
    cited: CitedLines, statement: str, verdict: Verdict, where: str
) -> None:
    found = check(statement, [cited], CALLED)
    assert found.verdict is verdict, found.reason
    assert where in found.reason


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("`load` calls `parse`.", ("parse",)),
        ("`parse` is called by `load`.", ("parse",)),
        ("`parse` is never called.", ("parse",)),
        ("`parse` has no callers.", ("parse",)),
        ("`parse` splits the text.", ()),
    ],
)
def test_the_names_whose_calls_are_looked_up(statement: str, names: tuple[str, ...]) -> None:
    assert names_called(statement, [PARSE]) == names
