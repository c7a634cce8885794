"""Statements about code are true, and their twins are not: as the running code itself tells."""

from __future__ import annotations

import dis
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from glossator_eval import MadeStatement, SourceText, phrasings, statements
from glossator_eval.facts import KINDS, Fact, key
from glossator_eval.falsifying import (
    FALSIFICATIONS,
    INVENTED,
    NEIGHBOUR,
    WRONG_CITATION,
    WRONG_FILE,
)
from glossator_eval.outline_facts import outline_facts
from glossator_eval.phrasing import slots_in

TILL = '''\
from collections import OrderedDict
from functools import cache
from os.path import basename

LIMIT = 40
NAME = "till"
IS_OPEN = True


class Till:
    """A till."""

    slots = 7

    def __init__(self, owner, *, coins=12):
        self.owner = owner
        self.coins = coins

    def take(self, coin: int, count: int = 1) -> bool:
        """Takes coins."""
        if count > LIMIT:
            raise OverflowError("so many")
        coin = check(coin)
        self.store(coin)
        return True

    def store(self, coin):
        self.last = coin
        return coin

    def empty(self):
        self.coins = 0
        log("emptied the till")


class BigTill(Till):
    def store(self, coin):
        names = OrderedDict()
        names.update(coin=coin)
        self.named = names
        return names

    async def wait(self, seconds):
        return None


class Broken(RuntimeError):
    def told(self):
        return "broken"


@cache
def check(coin):
    try:
        value = int(coin)
    except ValueError:
        return None
    if value < 3:
        raise KeyError(coin)
    return value


def log(message, level="info", *, prefix=None):
    text = basename(message)
    print(text)


def walk(till):
    while till.coins <= 9:
        yield till.coins


def idle():
    return False
'''
STORE = """\
from collections import deque
from json import dumps

SHELVES = 250
LABEL = "store"


class Shelf:
    def __init__(self, width=30):
        self.width = width
        self.items = deque()

    def put(self, item):
        if self.width < 5:
            raise ValueError("too narrow")
        self.items.append(item)
        return self.items


def label(shelf, text="plain"):
    first = dumps(text)
    shelf.put(first)
    return text


def spread(shelves, gap: float = 2.5):
    for shelf in shelves:
        yield shelf
    return None


async def fetch(place):
    if place >= SHELVES:
        raise LookupError("no such shelf")
    return place
"""
FILES = {"till.py": TILL, "store.py": STORE}


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModuleType]:
    folder = tmp_path_factory.mktemp("shop")
    found = {}
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
        found[name] = _loaded(folder / name)
    return found


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(half: str = "all", most: int = 400, seed: int = 0) -> list[MadeStatement]:
    documents = [SourceText(path, text) for path, text in FILES.items()]
    return statements(documents, phrasings(half), most=most, seed=seed)


def test_what_is_called_true_is_true(modules: dict[str, ModuleType]) -> None:
    for each in made():
        if not each.falsification:
            for claim in each.claims:
                truth = _is_true(modules[each.cited[0].path], claim)
                assert truth is claim.holds, f"{each.text} {claim}"


def test_what_is_called_false_is_false(modules: dict[str, ModuleType]) -> None:
    twins = list(_twins(made()))
    assert {false.falsification for _, false in twins} == set(FALSIFICATIONS)
    for true, false in twins:
        module = modules[true.cited[0].path]
        if false.falsification in {WRONG_FILE, NEIGHBOUR, WRONG_CITATION}:
            assert false.text == true.text
            assert not _meet(module, true, false)
        else:
            assert false.cited == true.cited
            assert false.text != true.text
            truths = [_is_true(module, claim) is claim.holds for claim in false.claims]
            if false.falsification == INVENTED:
                assert all(truths)
                assert false.text.startswith(true.text.removesuffix("."))
                continue
            assert truths.count(False) == 1, f"{false.text} {false.claims}"


def test_no_line_of_a_function_tells_of_what_is_invented() -> None:
    found = [each for each in made(seed=5) if each.falsification == INVENTED]
    clauses = phrasings().clauses
    assert len(found) > 5
    for each in found:
        (words,) = [words for clause, words in clauses if each.text.endswith(f"{clause}.")]
        assert not any(words.search(line) for span in each.cited for line in span.lines)


def test_all_kinds_that_the_files_have_are_said() -> None:
    kinds = {claim.kind for each in made() for claim in each.claims}
    assert kinds == set(KINDS) - {"sort", "throw"}  # of other languages


def test_a_true_statement_cites_what_it_rests_on() -> None:
    for each in made():
        if not each.falsification:
            shown = "\n".join(
                line for span in each.cited for line in (*span.enclosing, *span.lines)
            )
            for claim in each.claims:
                said = KINDS[claim.kind][1:] if claim.holds else ()
                for slot, term in zip(KINDS[claim.kind][1:], claim.terms[1:], strict=True):
                    if slot in said and slot not in {"count", "o"}:
                        assert key(term).strip("'\"") in shown, f"{each.text}\n{shown}"


def test_the_seed_decides() -> None:
    assert made(seed=3, most=50) == made(seed=3, most=50)
    assert made(seed=3, most=50) != made(seed=4, most=50)
    assert len(made(most=50)) == 100


def test_the_halves_share_no_phrasing() -> None:
    dev, held_out = phrasings("dev"), phrasings("held-out")
    assert not {each for each, _ in dev.clauses} & {each for each, _ in held_out.clauses}
    for kind in KINDS:
        assert not {*sum(dev.pairs[kind], ())} & {*sum(held_out.pairs[kind], ())}
        assert 4 <= len(phrasings().pairs[kind]) == len(dev.pairs[kind]) + len(held_out.pairs[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_phrasings_say_slots_of_their_kind(kind: str) -> None:
    for positive, negative in phrasings().pairs[kind]:
        assert slots_in(positive) == slots_in(negative) <= set(KINDS[kind])
        assert positive != negative


def _twins(every: Sequence[MadeStatement]) -> Iterator[tuple[MadeStatement, MadeStatement]]:
    for true, false in zip(every[::2], every[1::2], strict=True):
        assert true.number == false.number
        assert not true.falsification
        yield true, false


def _meet(module: ModuleType, true: MadeStatement, false: MadeStatement) -> bool:
    """Whether the false statement cites lines of what the true one is about."""
    subject = true.claims[0].terms[0]
    if false.cited[0].path != true.cited[0].path or KINDS[true.claims[0].kind][0] != "f":
        return any(span in true.cited for span in false.cited)
    meant = [each for each in _functions(module, subject) if _overlap(each, true)]
    return any(_overlap(each, false) for each in meant)


def _overlap(function: FunctionType, said: MadeStatement) -> bool:
    lines, first = inspect.getsourcelines(function)
    return any(
        span.first_line < first + len(lines) and first < span.first_line + len(span.lines)
        for span in said.cited
    )


# What the running code says, without a syntax tree


def _is_true(module: ModuleType, claim: Fact) -> bool:
    first, *rest = claim.terms
    if KINDS[claim.kind][0] == "f":
        return any(_OF_FUNCTION[claim.kind](each, *rest) for each in _functions(module, first))
    return _OF_MODULE[claim.kind](module, first, *rest)


def _functions(module: ModuleType, name: str) -> list[FunctionType]:
    places = [module, *(each for each in vars(module).values() if inspect.isclass(each))]
    found = (vars(place).get(name) for place in places)
    unwrapped = (inspect.unwrap(each) for each in found if each is not None)
    return [
        each
        for each in unwrapped
        if inspect.isfunction(each) and each.__module__ == module.__name__
    ]


def _parameters(function: FunctionType) -> dict[str, inspect.Parameter]:
    found = dict(inspect.signature(function, follow_wrapped=False).parameters)
    found.pop("self", None)
    return found


def _default(function: FunctionType, name: str) -> Any:
    found = _parameters(function).get(name)
    return inspect.Parameter.empty if found is None else found.default


def _named(function: FunctionType, *opcodes: str) -> list[str]:
    """The names that instructions of these kinds use, in order."""
    return [at.argval for at in dis.get_instructions(function) if at.opname in opcodes]


def _calls(function: FunctionType) -> list[str]:
    names = _named(function, "LOAD_GLOBAL", "LOAD_METHOD", "LOAD_ATTR")
    source = inspect.getsource(function)
    return [name for name in names if re.search(rf"(?<!class ){name}\(", source)]


def _order(function: FunctionType, one: str, other: str) -> bool:
    calls = [name for name in _calls(function) if name in {key(one), key(other)}]
    return calls == [key(one), key(other)]


def _raised(function: FunctionType) -> set[str]:
    return set(re.findall(r"raise (\w+)", inspect.getsource(function)))


def _compares(function: FunctionType, one: str, sign: str, other: str) -> bool:
    mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
    source = inspect.getsource(function)
    return f"{one} {sign} {other}:" in source or f"{other} {mirrored} {one}:" in source


_MISSING = object()
_OF_FUNCTION: dict[str, Callable[..., bool]] = {
    "parameter": lambda f, p: p in _parameters(f),
    "no parameters": lambda f: not _parameters(f),
    "parameter count": lambda f, count: len(_parameters(f)) == int(count),
    "default": lambda f, p, v: repr(_default(f, p)) == repr(_value(v)),
    "required": lambda f, p: p in _parameters(f) and _default(f, p) is inspect.Parameter.empty,
    "keyword-only": lambda f, p: (
        p in _parameters(f) and _parameters(f)[p].kind is inspect.Parameter.KEYWORD_ONLY
    ),
    "parameter type": lambda f, p, t: (
        p in _parameters(f) and getattr(_parameters(f)[p].annotation, "__name__", "") == t
    ),
    "return type": lambda f, t: getattr(f.__annotations__.get("return"), "__name__", "") == t,
    "attribute": lambda f, a: key(a) in _named(f, "STORE_ATTR"),
    "call": lambda f, g: key(g) in _calls(f),
    "order": _order,
    "raise": lambda f, e: e in _raised(f),
    "raise if": lambda f, e, a, o, x: e in _raised(f) and _compares(f, a, o, x),
    "catch": lambda f, e: f"except {e}" in inspect.getsource(f),
    "return": lambda f, v: re.search(rf"return {re.escape(v)}\n", inspect.getsource(f)) is not None,
    "decorator": lambda f, d: f"@{d}" in inspect.getsource(f),
    "string": lambda f, s: _value(s) in f.__code__.co_consts,
    "comparison": _compares,
    "async": inspect.iscoroutinefunction,
    "generator": inspect.isgeneratorfunction,
}
_OF_MODULE: dict[str, Callable[..., bool]] = {
    "base": lambda module, c, b: (
        inspect.isclass(vars(module).get(c))
        and b in {each.__name__ for each in vars(module)[c].__mro__}
    ),
    "member": lambda module, c, m: m in vars(vars(module)[c]),
    "constant": lambda module, n, v: (
        _value(v)
        in {
            vars(place).get(n, _MISSING)
            for place in (module, *filter(inspect.isclass, vars(module).values()))
            if isinstance(vars(place).get(n), int | str)
        }
    ),
    "import": lambda module, n, m: f"from {m} import {n}\n" in inspect.getsource(module),
}


def _value(text: str) -> Any:
    """Of a literal; a name stands for nothing that the files have."""
    try:
        return eval(text, {}, {})
    except NameError:
        return ("name", text)


# Other languages

TYPESCRIPT = """\
import { join, resolve } from "./paths";

export const LIMIT = 12;

export interface Shape {
  area(): number;
}

export class Box<T extends Thing = Thing> extends Solid {
  fill(depth: number, label = "full"): boolean {
    if (depth > 3) {
      throw new RangeError("deep");
    }
    this.measure(depth);
    return true;
  }
}

export async function load(path: string) {
  await join(path);
}
"""
GO = """\
package shop

const Limit = 40

type Till struct {
	coins int
}

func (t *Till) Take(coin, count int) error {
	if count > 9 {
		log.Print("many")
	}
	return nil
}
"""
RUST = """\
use std::sync::Arc;

pub const LIMIT: usize = 8;

pub struct Till {
    coins: usize,
}

impl Till {
    pub fn take(&mut self, coin: usize) -> bool {
        self.store(coin);
        if coin > 3 {
            return false;
        }
        true
    }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "box.ts",
            TYPESCRIPT,
            {
                "import(join, ./paths)", "import(resolve, ./paths)", "constant(LIMIT, 12)",
                "sort(Shape, interface)", "sort(Box, class)", "base(Box, Solid)",
                "member(Shape, area)", "member(Box, fill)", "parameter(fill, depth)",
                "parameter(fill, label)", 'default(fill, label, "full")',
                "parameter count(fill, 2)", "comparison(fill, depth, >, 3)",
                "throw(fill, RangeError)", "call(fill, measure)", "return(fill, true)",
                "async(load)", "parameter(load, path)", "call(load, join)", "no parameters(area)",
                "not async(area)", "not async(fill)", "not no parameters(fill)",
                "not no parameters(load)",
            },
        ),
        (
            "till.go",
            GO,
            {
                "constant(Limit, 40)", "sort(Till, struct)", "member(Till, Take)",
                "parameter(Take, coin)", "parameter(Take, count)", "parameter count(Take, 2)",
                "comparison(Take, count, >, 9)", "call(Take, log.Print)", "return(Take, nil)",
                "not no parameters(Take)",
            },
        ),
        (
            "till.rs",
            RUST,
            {
                "import(Arc, std::sync)", "constant(LIMIT, 8)", "sort(Till, struct)",
                "member(Till, take)", "parameter(take, coin)", "call(take, store)",
                "comparison(take, coin, >, 3)", "not async(take)", "not no parameters(take)",
            },
        ),
    ],
)  # fmt: skip
def test_outlines_give_facts(path: str, text: str, expected: set[str]) -> None:
    language = {"ts": "typescript", "go": "go", "rs": "rust"}[path.rpartition(".")[2]]
    file = outline_facts(path, text, language)
    assert file is not None
    found = {
        f"{'' if each.holds else 'not '}{each.kind}({', '.join(each.terms)})" for each in file.facts
    }
    assert found == expected
