"""Statements and their lines: what rules refuse, and what they leave undecided."""

from __future__ import annotations

from time import process_time

import pytest

from glossator.grounding.cited_lines import CallSite, CitedLines
from glossator.grounding.rules import UNDECIDED, Calls, Verdict, check, names_called

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
GENERIC = CitedLines(
    "src/verify.ts",
    1,
    (
        "export async function verify<",
        "  Payload = Claims,",
        "  Key extends CryptoKey = CryptoKey,",
        ">(",
        "  token: string | Uint8Array,",
        "  key: Key,",
        "): Promise<Payload> {",
        "  return read(token, key)",
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
REST = CitedLines("log.go", 1, ("func log(text string, parts ...any) {", "}"))
CHANNELS = CitedLines("pump.go", 1, ("func pump(in <-chan int, out chan<- int) {", "}"))
C, U, N = Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("cited", "statement"),
    [
        # the receiver, the right side, the guard, a part of what is returned: a model has to say
        (PYTHON, "`Client.send` calls `encode` before `open`."),
        (PYTHON, "`encode` calls `send`."),
        (PYTHON, "`send` calls `data.write`."),
        (PYTHON, "`send` sets `data` to `request`."),
        (PYTHON, "`send` raises `ValueError` if `retries` is below `LIMIT`."),
        (PYTHON, "`send` returns `request`."),
        (PYTHON, "`send` takes a `timeout` that defaults to 30."),
        (PYTHON, "The default of `timeout` is 3."),
        (PYTHON, "`Client` inherits from `Base`."),
        (PYTHON, "`request` must be passed to `send` by keyword."),
        (PYTHON, "`close` sets `self.done` in a background thread."),
        (PYTHON, "The client gives up when it was tried too often."),
        (PYTHON, "`send` does not call `open`."),
        (PYTHON, "`send` never calls `shutdown`."),
        (PYTHON, "`shutdown` is not called by `send`."),
        (PYTHON, "Only `send` calls `encode`."),
        (PYTHON, "The return type of `send` is `Data`, not `Response`."),
        (TYPESCRIPT, "`total` throws `EmptyBasket` unless the basket is empty."),
        (TYPESCRIPT, "`tax` defaults to `1`."),
        (GO, "`Get` returns `ErrTooMany` if `most` is below `maxKeys`."),
        (RUST, "`close` calls `shut` and returns `Result<(), Failure>`."),
        (JAVA, "`put` returns `value`."),
        (C_LANGUAGE, "`run` calls `poll`."),
    ],
)
def test_how_things_are_related_is_left_open(cited: CitedLines, statement: str) -> None:
    assert check(statement, [cited]) == UNDECIDED


@pytest.mark.parametrize(
    ("cited", "statement", "reason"),
    [
        (PYTHON, "`send` takes a `timeout` that defaults to 31.", "31"),
        (PYTHON, "`send` raises `KeyError`.", "KeyError"),
        (PYTHON, 'The message of the error is "too few retries".', "“too few retries”"),
        (PYTHON, "`server.py` defines `send`.", "server.py"),
        (PYTHON, "`Server.send` calls `encode`.", "Server.send"),
        (PYTHON, "`stop` does not call `send`.", "stop"),  # the lines are not about it
        (PYTHON, "`Server` never retries.", "Server"),
        (NARROW, "`encode` raises `ValueError`.", "encode"),
        (TYPESCRIPT, "`Basket` is imported from `./shop_list.js`.", "./shop_list.js"),
        (C_LANGUAGE, "`run` calls `close`.", "close"),
        (GO, "`Store.Get` gives up after 3 seconds.", "3"),
    ],
)
def test_what_stands_nowhere_in_the_lines_is_refused(
    cited: CitedLines, statement: str, reason: str
) -> None:
    found = check(statement, [cited])
    expect = Verdict.UNSUPPORTED, f"{reason} does not occur in the lines."
    assert (found.verdict, found.reason) == expect


@pytest.mark.parametrize(
    ("cited", "statement", "reason"),
    [
        (TYPESCRIPT, "`total` has three parameters.", "The lines say 2: `basket`, `tax`."),
        (GENERIC, "`verify` has three parameters.", "The lines say 2: `token`, `key`."),
        (RUST, "`close` has three parameters.", "The lines say 2: `first`, `then`."),
        (RUST, "`close` has two parameters.", ""),
        (JAVA, "`put` has two parameters.", ""),
        (JAVA, "`put` has 1 parameter.", "The lines say 2: `key`, `value`."),
        (C_LANGUAGE, "`run` has three parameters.", "The lines say 2: `loop`, `mode`."),
        (C_VOID, "`stop` takes no parameters.", ""),
        (C_VOID, "`stop` takes one argument.", "The lines say 0."),
        (CPP, "`add` has two parameters.", ""),
        (GO, "`Store.Get` takes two arguments and calls `load`.", ""),
        (GO, "`Get` takes 3 arguments.", "The lines say 2: `key`, `most`."),
        (
            PYTHON,
            "`send` has four parameters.",
            "The lines say 3: `request`, `timeout`, `retries`.",
        ),
        # of something else, or not plainly so
        (PYTHON, "`send` is called with two arguments.", ""),
        (PYTHON, "`send` takes two arguments by keyword.", ""),
        (CHANNELS, "`pump` takes two parameters.", ""),
        (PYTHON, "`send` has no argument named `request`.", ""),
        (PYTHON, "`send` calls `encode`, which takes one argument.", ""),
        (REST, "`log` takes one argument.", ""),
        (REST, "`log` takes two arguments.", ""),
        (REST, "`log` takes three arguments.", "The lines say 2: `text`, `parts`."),
    ],
)
def test_how_many_parameters_a_signature_has(
    cited: CitedLines, statement: str, reason: str
) -> None:
    found = check(statement, [cited])
    assert found.reason == reason
    assert found.verdict is (Verdict.CONTRADICTED if reason else Verdict.UNDECIDED)


def test_several_citations_carry_a_statement_together() -> None:
    statement = "`send` raises `ValueError`, which `Get` does not."
    assert check(statement, [PYTHON, GO]).verdict is not Verdict.UNSUPPORTED
    assert check("`send` calls `load`.", [PYTHON]).verdict is Verdict.UNSUPPORTED


def test_a_refusal_says_what_is_missing() -> None:
    assert check("It waits for `lock`.", [PYTHON]).reason == "lock does not occur in the lines."


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [("It takes at most 5 MB.", N), ("It takes at most 6 MB.", U), ("It takes 60 seconds.", N)],
)
def test_numbers_count_in_other_units(statement: str, verdict: Verdict) -> None:
    lines = CitedLines("a.py", 1, ("MOST = 5 * 1024 * 1024", "WAIT_MS = 60_000"))
    assert check(statement, [lines]).verdict is verdict


def test_a_number_that_lines_may_stand_for_is_left_to_a_model() -> None:
    for line, statement, verdict in (
        ("const top int8 = math.MaxInt8 >> 1", "`top` is 63.", N),
        ("c.Abort(http.StatusRequestEntityTooLarge)", "`Abort` sends 413.", N),
        ("wait = 300 * 2 ** attempt  # ms", "The second `wait` takes 600 ms.", N),
        ("const top int8 = 64 // not 2**6", "`top` is 63.", U),
    ):
        assert check(statement, [CitedLines("a.go", 1, (line,))]).verdict is verdict, statement


DIGEST = CitedLines(
    "sign.py",
    7,
    (
        "def sign(key: bytes, text: str, digest=sha1) -> str:",
        "    # The text is encoded as UTF-8,",
        "    # and each part is signed apart.",
        "    for part in parts(text):",
        '        yield f"{part}: {hmac.new(key, part.encode(), digest)} of {key}"',
        '    headers["Retry-After"] = 10_240  # rfc2104',
    ),
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # numbers that are a part of a name, or count something
        ("`sign` makes an HMAC with SHA-1 by default.", N),
        ("`sign` reads HTTP/2, ISO-8859-1 and UTF-8.", N),
        ("It follows RFC 2104.", N),
        ("The `digest` is one of the 14 algorithms.", N),
        ("The header is set to 10 KiB.", N),
        ("The header is set to 11.", U),
        ("It waits 14 seconds.", U),
        # what is quoted word for word, over the ends of lines and comments
        ("The text is encoded as UTF-8, and each part is signed apart.", N),
        ("> each part is signed apart", N),
        ('It says that "each part is signed apart".', N),
        ('It says that "each part is signed twice".', U),
        # texts with holes, and names that are written in another way
        ('It gives "a: 0f of k".', N),
        ('It gives "a: 0f and k".', U),
        ("The response has a `retry-after` header.", N),
    ],
)
def test_what_is_true_is_not_accused(statement: str, verdict: Verdict) -> None:
    found = check(statement, [DIGEST])
    assert found.verdict is verdict, found.reason


PARSE = CitedLines("src/parse.py", 5, ("def parse(text):", "    return split(text)"))
C_LINES = CitedLines("src/read.c", 12, ("    text = parse(file);",))
IMPORTING = CitedLines("a.py", 1, ("from b import split",))
CALLED: Calls = {
    "parse": (
        CallSite("src/load.py", 9, ("Loader", "load"), sure=True, held=frozenset({"read"})),
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
        (PARSE, "By default, `parse` is never called.", N, ""),
        (PARSE, "`parse` is only called by `main` and `start`.", C, IN_LOAD),
        (PARSE, "The only caller of `parse` is `main`.", C, IN_LOAD),
        # what is found does not speak against it, and never for it
        (PARSE, "Only `load` calls `parse`.", N, ""),
        (PARSE, "Only `read` calls `parse`.", N, ""),  # a variable within `load`
        (PARSE, "No function calls `parse`.", N, ""),  # `load` may be no function
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
        # the lines do not show the call: it is said where one is
        (PARSE, "`load` calls `split`.", U, "load does not occur in the lines."),
        (IMPORTING, "`split` is called by `parse`.", U, f"`parse` is called in {IN_LOAD}."),
        (C_LINES, "`read_file` calls `parse`.", U, "read_file does not occur in the lines."),
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
        ("`load` calls `parse`.", ("load", "parse")),
        ("`parse` is called by `load`.", ("parse", "load")),
        ("`parse` is never called.", ("parse",)),
        ("`parse` has no callers.", ("parse",)),
        ("`parse` splits the text.", ()),
    ],
)
def test_the_names_whose_calls_are_looked_up(statement: str, names: tuple[str, ...]) -> None:
    assert names_called(statement) == names


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ('text = f"aaaaaa' + "{x}a" * 40 + 'Z"', f'It says "{"a" * 300}" and `b`.'),
        ('name = f"' + "{a}_" * 30 + '"', f"It sets `{'a_' * 100}b`."),
        ("P = 0x" + "F" * 512, "`P` is 3."),
        (f"Q = {'9' * 5_000} << 2", "`Q` is 3."),
        (" " * 100_000, "`Q` is 3."),
        ("q = 1", "`" * 10_000),
        ("q = 1", "a." * 10_000),
        ("q = 1", "[a](" * 25_000),
    ],
)
def test_hostile_lines_and_sentences_take_no_time(line: str, statement: str) -> None:
    began = process_time()
    check(statement, [CitedLines("a.py", 1, (line,), (line,))])
    assert process_time() - began < 2


PLAN = CitedLines(
    "plan.go",
    40,
    (
        "func (p *Planner) mergeEnvVars(taskVars map[string]string) {",
        "\tp.outputDir = filepath.Join(p.root, defaultTTL)",
        '\tp.request.Header.Set("x-trace", accept)',
        "}",
    ),
)


@pytest.mark.parametrize(
    "said",
    [
        "The `env` of the planner is merged.",
        "`vars` are those of the task.",
        "It joins the `dir` of the `output`.",
        "The `ttl` is the default.",
        "The `Accept` header is set.",
        "The `Trace` is set.",
    ],
)
def test_a_name_that_is_a_word_of_longer_ones_is_left_to_a_model(said: str) -> None:
    assert check(said, [PLAN]) == UNDECIDED


@pytest.mark.parametrize(
    "said",
    [
        "`envs` are merged.",  # no word of a name
        "The `ask` is merged.",  # a part of a word
        "`envVars` are merged.",  # several words mean one name
        "`task_vars` are merged.",
        "`_root` is joined.",
        "`p.vars` are merged.",
        "It joins `dir` and `cwd`.",
    ],
)
def test_another_name_is_refused_for_sure(said: str) -> None:
    found = check(said, [PLAN])
    assert (found.verdict, found.sure) == (Verdict.UNSUPPORTED, True)


@pytest.mark.parametrize(
    "said",
    [
        "`save` doesn't get called in `Get`.",
        "`save` will never be called by `Get`.",
        "`Get` takes two parameters.",
    ],
)
def test_a_passive_denial_names_what_is_not_there(said: str) -> None:
    assert check(said, [GO]) == UNDECIDED


def test_an_annotated_object_may_count_as_a_parameter_or_not() -> None:
    lines = CitedLines(
        "m.py", 1, ("@classmethod", "def load(cls: type[M], path: str) -> M:", "    ...")
    )
    for count in ("one parameter", "two parameters"):
        assert check(f"`load` takes {count}.", [lines]) == UNDECIDED
    assert check("`load` takes three parameters.", [lines]).verdict is Verdict.CONTRADICTED
