"""Sentences about all code that a language server proves or refutes, and those that stay open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.checked import CheckedSentence
from glossator.commands.check import CheckRequest, check_text
from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.core.code import CodeAnswer, CodeKind, CodePlace, CodeQuestion
from glossator.core.events import CitationChecked
from glossator.core.span import Basis
from glossator.core.uri import to_path, to_uri
from glossator.workspace import Opened
from tests.sides import JUDGED, judging
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

Places = Sequence[str]  # such as "a.py:3"
Told = Callable[[CodeQuestion], CodeAnswer | None]

PARSE = "from x import y\n\n\ndef _parse(text):\n    return text\n"
LOAD = "from parse import _parse\n\n\ndef load(text):\n    return _parse(text)\n"
FILES = {"parse.py": PARSE, "load.py": LOAD, "README.md": "`_parse` is internal.\n"}
KNOWN = ("parse.py:4", "load.py:1", "load.py:5")
CITE = "[cite: doc, parse.py, L4-L5]"
ONLY = "Only `load` calls `_parse`."
SHAPES = """\
class Shape:
    pass


class Square(Shape):
    pass


class Cube(Square):
    pass
"""
POOL = """\
    def _drain(self):
        pass

    def stop(self):
        self._drain()
"""


def knowing(
    root: Path,
    references: Places = KNOWN,
    implementations: Places = (),
    definitions: Mapping[str, Places] | None = None,
) -> Told:
    """A server that tells these places; definitions by the line that is asked about."""

    def answer(question: CodeQuestion) -> CodeAnswer | None:
        at = f"{Path(to_path(question.uri) or '').relative_to(root)}:{question.line + 1}"
        every = {
            CodeKind.REFERENCES: references,
            CodeKind.IMPLEMENTATIONS: implementations,
            CodeKind.DEFINITIONS: (definitions or {}).get(at),
        }
        if (told := every.get(question.kind)) is None:
            return None
        parts = (each.rpartition(":") for each in told)
        places = [CodePlace(to_uri(str(root / path)), int(line) - 1) for path, _, line in parts]
        return CodeAnswer("pyls", tuple(places))

    return answer


async def sentence(
    s: Stage, said: str, cite: str = CITE, *, model: bool = False
) -> CheckedSentence:
    (found,) = (await check_text(s.app, CheckRequest(f"{said} {cite}", model))).sentences
    return found


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may be busy."""
    monkeypatch.setattr("glossator.commands.check._PROVING_SECONDS", 60.0)
    monkeypatch.setattr("glossator.turn.judged.judge.PROVING_SECONDS", 60.0)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (ONLY, "supported"),
        ("`_parse` is used only in `load`.", "supported"),
        ("`_parse` is never called.", "contradicted"),
        ("Only `save` calls `_parse`.", "contradicted"),
        ("Only `load` and `save` call `_parse`.", "undecided"),  # who knows of `save`?
        ("Only `Loader.load` calls `_parse`.", "undecided"),
        ("Only `load` calls `other._parse`.", "unsupported"),
    ],
)
async def test_callers(tmp_path: Path, said: str, verdict: str) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "logo").write_bytes(b"\0_parse")
    async with stage(root, FILES, [], coded=knowing(root)) as s:
        found = await sentence(s, said)
        assert found.verdict == verdict, found.reason
        reasons = {
            "supported": "Nothing else in the workspace ",
            "contradicted": "`_parse` is called in `load` (load.py, line 5).",
            "unsupported": "other._parse does not occur",
        }
        assert found.reason.startswith(reasons.get(verdict, ""))
        by = {"undecided": None, "unsupported": Basis.CHECKS}.get(verdict, Basis.SERVER)
        assert found.basis == by
        assert [each.basis for each in found.citations] == [found.basis]


Case = tuple[dict[str, str], dict[str, Any]]
MORE: Mapping[str, Case] = {  # files beside the others, and what else is told
    "a test calls it": (
        {"tests/test_parse.py": LOAD.replace("load", "test_it")},
        {"references": (*KNOWN, "tests/test_parse.py:1", "tests/test_parse.py:5")},
    ),
    "a server did not read a file": ({"tests/late.py": LOAD.replace("load", "late")}, {}),
    "an object is unknown": ({"any.py": "def run(x):\n    x._parse()\n"}, {}),
    "a text names it": ({"by_text.py": 'def run(x):\n    getattr(x, "_parse")()\n'}, {}),
    "settings name it": ({"setup.cfg": "run = parse:_parse\n"}, {}),
    "a notebook names it": ({"n.ipynb": '{"cells": ["_parse"]}\n'}, {}),
    "another language names it": ({"page.html": "<b>_parse</b>\n"}, {}),
    "it is imported by another name": (
        {"alias.py": "from parse import _parse as p\n"},
        {"references": (*KNOWN, "alias.py:1")},
    ),
    "it is told under another name": (
        {"alias.py": "x = 1\np(1)\n"},
        {"references": (*KNOWN, "alias.py:2")},
    ),
    "it is passed on": (
        {"on.py": "from parse import _parse\n\nHOOKS = [_parse]\n"},
        {"references": (*KNOWN, "on.py:1", "on.py:3")},
    ),
    "another has its name": ({"two.py": "def _parse(): ...\n"}, {"definitions": {}}),
    "a stub has its name": (
        {"sub/any.py": "def run(x):\n    return _parse\n"},
        {"definitions": {"sub/any.py:2": ("parse.pyi:1",)}},
    ),
    "its module is asked by name": (
        {"by.py": "import parse\n\n\ndef run(name):\n    return getattr(parse, name)()\n"},
        {},
    ),
    "its name is put together": (
        {"built.py": 'def run(m, x):\n    return getattr(m, f"_par{x}")("_" + x, f"{x}_parse")\n'},
        {},
    ),
    "it is decorated": ({"parse.py": PARSE.replace("\n\ndef", "\n@keep\ndef")}, {}),
    "it is offered by its package": (
        {"__init__.py": "from parse import _parse\n"},
        {"references": (*KNOWN, "__init__.py:1")},
    ),
}


@pytest.mark.parametrize("case", MORE.values(), ids=MORE)
async def test_what_is_open_is_not_proved(tmp_path: Path, case: Case) -> None:
    root, (files, told) = tmp_path / "ws", case
    async with stage(root, FILES | files, [], coded=knowing(root, **told)) as s:
        found = await sentence(s, ONLY)
        assert found.verdict == "undecided", found.reason


async def test_unsaved_text_counts(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    for uri in ("untitled:Untitled-1", to_uri(str(root / "new.py"))):
        async with stage(root, FILES, [], coded=knowing(root)) as s:
            assert (await sentence(s, ONLY)).verdict == "supported"
            s.app.host.apply(Opened(uri, 1, "x = _parse\n"))
            assert (await sentence(s, ONLY)).verdict == "undecided", uri


async def test_what_rules_hide_is_open_and_not_told(tmp_path: Path) -> None:
    root, hides = tmp_path / "ws", {"permissions": {"deny": ["Read(secret.py)"]}}
    files = FILES | {"secret.py": LOAD.replace("load", "steal")}
    references = (*KNOWN, "secret.py:1", "secret.py:5")
    async with stage(root, files, [], hides, coded=knowing(root, references)) as s:
        found = await sentence(s, ONLY)
        assert (found.verdict, found.reason) == ("undecided", "")


@pytest.mark.parametrize(
    ("files", "definitions"),
    [
        # a parameter, and a method that something else has
        ({"other.py": "def run(_parse):\n    return _parse\n"}, ("other.py:1",)),
        ({"other.py": "import lib\nlib._parse()\n"}, ("/usr/lib/typeshed/lib.pyi:4",)),
        ({"other.py": "# _parse\ndef run():\n    '''_parse'''\n"}, ()),
        ({"docs/parse.md": "_parse\n", "CHANGES.txt": "_parse\n"}, ()),
    ],
)
async def test_other_things_of_the_name_are_explained(
    tmp_path: Path, files: dict[str, str], definitions: Places
) -> None:
    root = tmp_path / "ws"
    told = knowing(root, definitions={f"other.py:{line}": definitions for line in (1, 2)})
    async with stage(root, FILES | files, [], coded=told) as s:
        assert (await sentence(s, ONLY)).verdict == "supported"


@pytest.mark.parametrize(
    ("name", "said", "verdict"),
    [
        ("_dead", "`{}` is never called.", "supported"),
        ("dead", "`{}` is never called.", "undecided"),  # code outside may call it
        ("dead", "`{}` is never called in this repository.", "supported"),
        ("test_dead", "`{}` is never called in this repository.", "undecided"),
        ("__dead", "`{}` is never called in this repository.", "undecided"),  # `_Pool__dead`
        ("__getattr__", "`{}` is never called in this repository.", "undecided"),
    ],
)
async def test_what_nothing_calls(tmp_path: Path, name: str, said: str, verdict: str) -> None:
    root = tmp_path / "ws"
    files = {"parse.py": PARSE.replace("_parse", name)}
    async with stage(root, files, [], coded=knowing(root, ("parse.py:4",))) as s:
        found = await sentence(s, said.format(name))
        assert found.verdict == verdict
        assert verdict != "supported" or found.reason == "Nothing in the workspace calls it."


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        ("class Pool:", "supported"),
        ("class Pool(Generic[T], ABC):", "supported"),
        ("class Pool(Missing):", "undecided"),  # which may call what it defines
        ("@keep\nclass Pool:", "undecided"),
    ],
)
async def test_methods(tmp_path: Path, head: str, verdict: str) -> None:
    root, more = tmp_path / "ws", head.count("\n")
    text = f"{head}\n{POOL}"
    told = knowing(root, (f"pool.py:{2 + more}", f"pool.py:{6 + more}"))
    async with stage(root, {"pool.py": text}, [], coded=told) as s:
        cite = f"[cite: doc, pool.py, L{2 + more}-L{3 + more}]"
        found = await sentence(s, "`Pool._drain` is only called by `Pool.stop`.", cite)
        assert found.verdict == verdict, found.reason


@pytest.mark.parametrize(
    ("said", "verdict", "why"),
    [
        ("`Square` extends `Shape`.", "supported", ""),
        ("`Cube` is a subclass of `Shape`.", "supported", ""),
        ("`Shape` extends `Square`.", "contradicted", "`Shape` does not extend `Square`"),
        ("Only `Square` and `Cube` extend `Shape`.", "undecided", ""),
        (
            "Nothing extends `Shape`.",
            "contradicted",
            "`Shape` is extended by `Square` (a.py, line 5).",
        ),
        ("Only `Cube` extends `Shape`.", "contradicted", "`Shape` is also extended by `Square`"),
    ],
)
async def test_implementations(tmp_path: Path, said: str, verdict: str, why: str) -> None:
    root = tmp_path / "ws"
    told = knowing(root, ("a.py:1", "a.py:5"), ("a.py:1", "a.py:5", "a.py:9"))
    if said.startswith("`Shape` extends"):
        told = knowing(root, (), ("a.py:5", "a.py:9"))
    async with stage(root, {"a.py": SHAPES}, [], coded=told) as s:
        found = await sentence(s, said, "[cite: doc, a.py, L1-L10]")
        assert found.verdict == verdict, found.reason
        assert found.reason.startswith(why)


async def test_who_extends_a_class_alone(tmp_path: Path) -> None:
    """It is proved where each place of the name is known; a server that may not know it is not."""
    root, text = tmp_path / "ws", SHAPES.partition("\n\n\nclass Cube")[0] + "\n"
    said, cite = "`Square` is the only subclass of `Shape`.", "[cite: doc, a.py, L1-L2]"
    late = "from lib import Shape\n\n\nclass Disc(Shape):\n    pass\n"
    made = late.replace("(Shape)", "(with_meta(Shape))")
    cases: list[tuple[dict[str, str], Places, str]] = [
        ({}, (), "supported"),
        ({"late.py": late}, (), "undecided"),
        ({"late.py": made}, ("late.py:1", "late.py:4"), "undecided"),
    ]
    for files, more, verdict in cases:

        def answer(question: CodeQuestion, more: Places = more) -> CodeAnswer | None:
            own = ("a.py:1", "a.py:5", *more) if question.line == 0 else ("a.py:5",)
            return knowing(root, own, ("a.py:5",))(question)

        async with stage(root, {"a.py": text} | files, [], coded=answer) as s:
            assert (await sentence(s, said, cite)).verdict == verdict


async def test_without_a_server_nothing_is_proved(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        assert (await sentence(s, ONLY)).verdict == "undecided"
    async with stage(tmp_path / "ws", FILES, [], coded=lambda _: None) as s:
        assert (await sentence(s, ONLY)).verdict == "undecided"


async def test_a_proof_counts_before_the_model_and_is_no_fact(tmp_path: Path) -> None:
    """Nor is what the model says of it, where no server knows."""
    root, says = tmp_path / "ws", {"Only": ("CONTRADICTED", "return text")}
    turns = [Turn(ToolUse("Read", {"path": "parse.py"})), Turn(Text(f"{ONLY} {CITE}"))]
    async with stage(root, FILES, judging(turns, **says), JUDGED, coded=knowing(root)) as s:
        answer = await s.ask("?")
        (citation,) = answer.citations
        assert citation.basis is Basis.SERVER
        kept = (await resume_session(s.app, ResumeSessionRequest(answer.session_id))).events
        again = [e.event.citation for e in kept if isinstance(e.event, CitationChecked)]
        assert [each.basis for each in again] == [Basis.SERVER]
        assert citation.reason == "Nothing else in the workspace calls it."
        assert list(s.app.ledger.all()) == []
    one = "`_parse` has a single caller, `load`."
    says = {"single": ("SUPPORTED", "return text")}
    turns = [Turn(ToolUse("Read", {"path": "parse.py"})), Turn(Text(f"{one} {CITE}"))]
    async with stage(root, FILES, judging(turns, **says), JUDGED) as s:
        (citation,) = (await s.ask("?")).citations
        assert citation.basis is Basis.MODEL
        assert list(s.app.ledger.all()) == []
