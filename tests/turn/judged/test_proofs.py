"""Sentences about all code that a language server proves or refutes, and those that stay open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from glossator.commands.answers.checked import CheckedSentence
from glossator.commands.check import CheckRequest, check_text
from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.core.code import CodeAnswer, CodeKind, CodePlace, CodeQuestion
from glossator.core.events import CitationChecked
from glossator.core.span import Basis, CitationStatus
from glossator.core.uri import to_path, to_uri
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


def knowing(
    root: Path,
    references: Places = KNOWN,
    implementations: Places = (),
    definitions: Mapping[str, Places] | None = None,
) -> Told:
    """A server that tells these places; definitions by the line that is asked about.

    Of what is asked about elsewhere the first reference is the definition.
    """

    def answer(question: CodeQuestion) -> CodeAnswer | None:
        at = f"{Path(to_path(question.uri) or '').relative_to(root)}:{question.line + 1}"
        every = {
            CodeKind.REFERENCES: references,
            CodeKind.IMPLEMENTATIONS: implementations,
            CodeKind.DEFINITIONS: (definitions or {}).get(at, references[:1]),
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
        ("`_parse` is never called.", "contradicted"),
        ("Only `save` calls `_parse`.", "contradicted"),
        ("`_parse` is called by only `save`.", "contradicted"),
        ("`_parse` is used only in `save`.", "contradicted"),
        (ONLY, "undecided"),
        ("`_parse`'s only caller is `load`.", "undecided"),
        ("Only `load` and `save` call `_parse`.", "undecided"),
        ("❌ Only `save` calls `_parse`.", "unsupported"),
        ("Only `save` calls the class `_parse`.", "unsupported"),
    ],
)
async def test_callers(tmp_path: Path, said: str, verdict: str) -> None:
    """A call refutes; that a server tells no other supports nothing."""
    root = tmp_path / "ws"
    async with stage(root, FILES, [], coded=knowing(root)) as s:
        found = await sentence(s, said)
        assert found.verdict == verdict, found.reason
        by = {"contradicted": Basis.SERVER, "unsupported": Basis.CHECKS}.get(verdict)
        assert found.basis == by
        assert [each.basis for each in found.citations] == [by]
        if by is Basis.SERVER:
            assert found.reason == "`_parse` is called in `load` (load.py, line 5)."


@pytest.mark.parametrize(
    ("files", "references"),
    [
        ({"tests/test_parse.py": LOAD}, ("tests/test_parse.py:1", "tests/test_parse.py:5")),
        ({"on.py": "from parse import _parse\n\nHOOKS = [_parse]\n"}, ("on.py:1", "on.py:3")),
        # of another that overrides the same, which servers count among the references
        ({"other.py": "def run(x):\n    x._parse()\n"}, ("other.py:2",)),
        ({"same.py": "def other():\n    return _parse(1)\n"}, ()),  # as nothing tells
        ({"parse.py": PARSE + "    return _parse(text)\n"}, ("parse.py:6",)),
    ],
)
async def test_what_is_no_call_of_it_by_another_refutes_nothing(
    tmp_path: Path, files: dict[str, str], references: Places
) -> None:
    root = tmp_path / "ws"
    told = knowing(root, ("parse.py:4", *references), (), {"other.py:2": ("base.py:7",)})
    async with stage(root, {"parse.py": PARSE} | files, [], coded=told) as s:
        found = await sentence(s, "`_parse` is never called.")
        assert found.verdict == "undecided", found.reason


@pytest.mark.parametrize(
    ("text", "said", "verdict"),
    [
        ("def load():\n    run = lambda: _parse(1)\n", "Only `run` calls `_parse`.", "undecided"),
        (
            "def load():\n    hooks.run = lambda: _parse(1)\n",
            "Only `run` calls `_parse`.",
            "undecided",
        ),
        ("def load():\n    run(_parse(1))\n", "Only `run` calls `_parse`.", "contradicted"),
        ("_parse(1)\n", "No function calls `_parse`.", "undecided"),
        ("_parse(1)\n", "`_parse` is not called by any function.", "undecided"),
        ("_parse(1)\n", "`save` is the only function that calls `_parse`.", "undecided"),
        ("_parse(1)\n", "Nothing calls `_parse`.", "contradicted"),
    ],
)
async def test_what_may_be_meant_by_who_calls(
    tmp_path: Path, text: str, said: str, verdict: str
) -> None:
    """A variable that holds the call is what calls; who speaks of functions says nothing else."""
    root, line = tmp_path / "ws", text.count("\n")
    told = knowing(root, ("parse.py:4", f"on.py:{line}"))
    async with stage(root, {"parse.py": PARSE, "on.py": text}, [], coded=told) as s:
        found = await sentence(s, said)
        assert found.verdict == verdict, found.reason


async def test_an_overload_is_a_part_of_it(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    text = "export class A {\n  f(a: string): void;\n  f(a: number) {}\n}\n"
    called = 'import { A } from "./a";\nfunction go(a: A) {\n  a.f("");\n}\n'
    told = knowing(root, ("a.ts:2", "a.ts:3", "b.ts:3"), (), {"b.ts:3": ("a.ts:2",)})
    async with stage(root, SCRIPT | {"a.ts": text, "b.ts": called}, [], coded=told) as s:
        found = await sentence(s, "`A.f` is never called.", "[cite: doc, a.ts, L3]")
        assert (found.verdict, found.basis) == ("contradicted", Basis.SERVER), found.reason


async def test_a_context_may_turn_it_round(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, {"a.py": SHAPES}, [], coded=knowing(root, (), ("a.py:5",))) as s:
        said = "`Square` extends `Shape`. [cite: doc, a.py, L1-L6]"
        for text, verdict in ((said, "supported"), (f"These are all wrong:\n\n- {said}", None)):
            checked = await check_text(s.app, CheckRequest(text, model=False))
            found = checked.sentences[-1]
            assert found.verdict == (verdict or "undecided")


async def test_what_rules_hide_is_not_told(tmp_path: Path) -> None:
    root, hides = tmp_path / "ws", {"permissions": {"deny": ["Read(secret.py)"]}}
    files = FILES | {"secret.py": LOAD.replace("load", "steal")}
    references = (*KNOWN, "secret.py:1", "secret.py:5")
    async with stage(root, files, [], hides, coded=knowing(root, references)) as s:
        found = await sentence(s, ONLY)
        assert (found.verdict, found.reason) == ("undecided", NOT_SHOWN)


NOT_SHOWN = "Not judged: its lines cannot show what all other code does."


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (  # by its name
            {"a.py": "def run():\n    pass\n", "b.py": "import a\n\ngetattr(a, 'r' + 'un')()\n"},
            "`run` is never called.",
        ),
        (  # by a factory
            {"a.py": "class A:\n    pass\n", "b.py": "import a\n\nB = type('B', (a.A,), {})\n"},
            "Nothing extends `A` in the workspace.",
        ),
    ],
)
async def test_silence_supports_nothing(tmp_path: Path, files: dict[str, str], said: str) -> None:
    root = tmp_path / "ws"
    async with stage(root, files, [], coded=knowing(root, ("a.py:1",))) as s:
        found = await sentence(s, said, "[cite: doc, a.py, L1-L2]")
        assert found.verdict == "undecided", found.reason


@pytest.mark.parametrize(
    ("said", "verdict", "why"),
    [
        ("`Square` extends `Shape`.", "supported", ""),
        ("`Cube` is a subclass of `Shape`.", "supported", ""),
        ("`Square` and `Cube` extend `Shape`.", "supported", ""),
        ("`Shape` is extended by `Square` and `Cube`.", "supported", ""),
        ("`Shape` is extended by `Square`.", "undecided", ""),  # it may mean no other
        ("`Shape` extends `Square`.", "contradicted", "`Shape` does not extend `Square`"),
        ("`Shape` implements `Square`.", "undecided", ""),  # it may be registered as one
        ("Only `Square` and `Cube` extend `Shape`.", "undecided", ""),
        (
            "Nothing extends `Shape`.",
            "contradicted",
            "`Shape` is extended by `Square` (a.py, line 5).",
        ),
        ("Only `Cube` extends `Shape`.", "contradicted", "`Shape` is also extended by `Square`"),
        ("No class extends `Shape`.", "contradicted", "`Shape` is extended by `Square`"),
    ],
)
async def test_implementations(tmp_path: Path, said: str, verdict: str, why: str) -> None:
    root, bases = tmp_path / "ws", {"a.py:5": ("a.py:1",), "a.py:9": ("a.py:5",)}
    told = knowing(root, (), ("a.py:1", "a.py:5", "a.py:9"), bases)
    if said.startswith("`Shape`") and said.endswith("`Square`.") and "by" not in said:
        told = knowing(root, (), ("a.py:5", "a.py:9"))
    async with stage(root, {"a.py": SHAPES}, [], coded=told) as s:
        found = await sentence(s, said, "[cite: doc, a.py, L1-L10]")
        assert found.verdict == verdict, found.reason
        assert found.reason.startswith(why)
        assert found.basis == (None if verdict == "undecided" else Basis.SERVER)


STUB = "/lib/typeshed-fallback/stdlib/abc.pyi:2", "/lib/python3/abc.py:2"


@pytest.mark.parametrize(
    ("head", "definitions", "verdict"),
    [
        ("class Disc(ABC):", {"b.py:1": STUB}, "contradicted"),
        ("class Disc(\n    ABC,\n    metaclass=Meta,\n):", {"b.py:2": STUB}, "contradicted"),
        ("class Disc(Of[int, list[int]], ABC):", {"b.py:1": STUB}, "contradicted"),
        ("class Disc(ABC):", {"b.py:1": ("/lib/python3/abc.py:2",)}, "undecided"),
        ("class Disc(ABC):", {"b.py:1": (*STUB, "/lib/site-packages/x.py:2")}, "undecided"),
        ("class Disc(of(ABC)):", {"b.py:1": STUB}, "undecided"),
        ("class Disc(ABC): # as `size = (1):`", {"b.py:1": STUB}, "contradicted"),
        ("class Disc(Round): # as `size = (1):`", {}, "undecided"),
        ("class Disc[T](abc.ABC, total=False):", {"b.py:1": STUB}, "contradicted"),
        ("class Disc:", {}, "contradicted"),
        ("class Disc(Round):", {"b.py:1": ("c.py:1",), "c.py:1": STUB}, "contradicted"),
        ("class Disc(Round):", {"b.py:1": ("c.py:4",), "c.py:4": STUB}, "undecided"),
    ],
)
async def test_that_it_extends_nothing_else_is_known_by_its_bases(
    tmp_path: Path, head: str, definitions: dict[str, Places], verdict: str
) -> None:
    """All of them, up to those of the language; a decorator may add one."""
    root = tmp_path / "ws"
    files = {
        "a.py": SHAPES,
        "b.py": f"{head}\n    pass\n",
        "c.py": "class Round(ABC): ...\n\n@shaped\nclass Round(ABC): ...\n",
    }
    told = knowing(root, (), ("a.py:1",), definitions)
    async with stage(root, files, [], coded=told) as s:
        last = head.count("\n") + 2
        found = await sentence(s, "`Disc` extends `Shape`.", f"[cite: doc, b.py, L1-L{last}]")
        assert found.verdict == verdict, found.reason


@pytest.mark.parametrize("head", ["Shape(Protocol)", "Shape[T: (int, str)](x.Protocol[T])"])
async def test_what_a_class_may_fulfil_without_extending_it_is_left_open(
    tmp_path: Path, head: str
) -> None:
    root, text = tmp_path / "ws", f"class {head}:\n    pass\n\n\nclass Disc:\n    pass\n"
    async with stage(root, {"a.py": text}, [], coded=knowing(root, (), ("a.py:1",))) as s:
        found = await sentence(s, "`Disc` extends `Shape`.", "[cite: doc, a.py, L5-L6]")
        assert found.verdict == "undecided", found.reason


UNPLAIN = [
    # comments, behind which the head seemed to go on, and strings
    "class Disc(make()): # a comment\n    size = 1\n\n    def f(self):\n        pass\n",
    "class Disc(make()):\t# a comment\n    size: int = 1\n    def f(self):\n        pass\n",
    "class Disc(make()):  #: a comment\n    size = 1\n\n    def f(self):\n        pass\n",
    "class Disc(make()): x = 1; f = lambda a=(2): a\n",
    "class Disc(\n    # size=1):\n    make(),\n):\n    pass\n",
    'class Disc(Of["]=("], make()):\n    pass\n',
    "class Disc \\\n    (make(a=1)):\n    pass\n",
    # what has `=` and is no keyword
    "class Disc(make(a=1)):\n    pass\n",
    "class Disc(of(a=1, b=2)):\n    pass\n",
    "class Disc(make(a = X)):\n    pass\n",
    "class Disc(*bases_of(a=1)):\n    pass\n",
    "class Disc(base := make):\n    pass\n",
    "class Disc(make(lambda x=1:\n    x), a=(2)):\n    pass\n",
    "class Disc(made[a == 1]):\n    pass\n",
    # what may bring a base
    "class Disc(metaclass=of(Shape)):\n    pass\n",
    "class Disc(ABC, also=Shape):\n    pass\n",
    # what another object of the language has, and is no class of it
    "class Disc(Square.__mro__[1]):\n    pass\n",
    "class Disc(Kind.DISC.value):\n    pass\n",
]


@pytest.mark.parametrize("text", UNPLAIN)
async def test_a_head_that_is_not_plain_is_left_open(tmp_path: Path, text: str) -> None:
    """Even where all that is named in it is of the language itself."""
    root = tmp_path / "ws"
    every = {f"b.py:{line}": STUB for line in range(1, 6)}
    told = knowing(root, (), ("a.py:1",), every)
    async with stage(root, {"a.py": SHAPES, "b.py": text}, [], coded=told) as s:
        cite = f"[cite: doc, b.py, L1-L{text.count(chr(10))}]"
        found = await sentence(s, "`Disc` extends `Shape`.", cite)
        assert found.verdict == "undecided", found.reason


LIB = ("/lib/lib.es5.d.ts:9",)
SCRIPT = {
    "tsconfig.json": "{}",
    "a.ts": "export class Shape {\n  a = 1;\n}\nexport class Round {\n  b = 1;\n}\n",
}


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        ("class Disc", "contradicted"),
        ("export default abstract class Disc<T, U = T[]>", "contradicted"),
        ("export class Disc extends Round", "contradicted"),
        ("export class Disc<T extends Shape>\n  extends Round<T, Map<T, Shape>>", "contradicted"),
        ("class Disc extends Error implements Round, Kept<Shape>", "contradicted"),
        ("class Disc implements ns.Round", "contradicted"),
        ("class Disc<\n  S extends {\n    id: string;\n  },\n> extends make(Shape)", "undecided"),
        ("class Disc<\n  T = {}\n> extends make(Shape)", "undecided"),
        ("class Disc<T = {\n a: 1 }> extends make(Shape)", "undecided"),
        ("class Disc<T extends () => {}> extends make(Shape)", "undecided"),
        ("class Disc\n  // a {}\n  extends make(Shape)\n", "undecided"),
        ("class Disc\n  // a {\n  extends make(Shape)\n", "undecided"),
        ("class Disc // of { what {\n  extends make(Shape)", "undecided"),
        ("class Disc /* {} */ extends make(Shape)", "undecided"),
        ("class Disc /* < */ extends Shape // >\n", "undecided"),
        ("class Disc extends make((a) => Shape)", "undecided"),
        ("class Disc extends make(a = Shape)", "undecided"),
        ("class Disc extends make({ a: 1 })", "undecided"),
        ("class Disc extends Made[shape]", "undecided"),
        ("class Disc extends Made<Round>.of", "undecided"),
        ("class Disc extends shape.constructor", "undecided"),
        ("class Disc extends class extends Shape", "undecided"),
        ("@mixes(Shape)\nexport class Disc", "undecided"),
        ("@mixes(Shape) class Disc", "undecided"),
        ("export const Made = mixed(Shape, class Disc", "undecided"),
    ],
)
async def test_heads_of_typescript(tmp_path: Path, head: str, verdict: str) -> None:
    """Those that are plain tell that a class extends another; the rest tell nothing."""
    root, text = tmp_path / "ws", f"{head} {{\n  x = 1;\n}}\n"
    every = {f"b.ts:{line}": LIB for line in range(1, 9)}
    told = knowing(root, (), ("a.ts:1",), every)
    async with stage(root, SCRIPT | {"b.ts": text}, [], coded=told) as s:
        cite = f"[cite: doc, b.ts, L1-L{text.count(chr(10))}]"
        found = await sentence(s, "`Disc` extends `Shape`.", cite)
        assert found.verdict == verdict, found.reason


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        ("Cube(Shape): # one of six", "contradicted"),
        ("Cube(\n    Shape\n):", "undecided"),  # where another of that name is meant
        ("Cube(Square, a.Shape[int]):", "contradicted"),
        ("Cube(Square): # six of them", "undecided"),
        ("Cube(Square):\t# six of them", "undecided"),
        ("Cube(Square[Shape]):", "undecided"),
        ("Cube(Square, of=Shape):", "undecided"),
        ("Cube(Square, metaclass=Shape):", "undecided"),
    ],
)
async def test_one_more_is_known_by_its_head(tmp_path: Path, head: str, verdict: str) -> None:
    """Not by its body, nor by what else its head names."""
    root = tmp_path / "ws"
    text = SHAPES.partition("class Cube")[0]
    text += f"class {head}\n    shape = Shape()\n\n    def f(self):\n        pass\n"
    bases = {"a.py:5": ("a.py:1",), "a.py:9": ("a.py:1",), "a.py:10": ("b.py:1",)}
    told = knowing(root, (), ("a.py:1", "a.py:5", "a.py:9"), bases)
    async with stage(root, {"a.py": text}, [], coded=told) as s:
        found = await sentence(s, "Only `Square` extends `Shape`.", "[cite: doc, a.py, L1-L6]")
        assert found.verdict == verdict, found.reason


@pytest.mark.parametrize(
    ("head", "said", "verdict"),
    [
        ("class Disc extends Shape", "Nothing extends `Shape`.", "contradicted"),
        ("class Disc implements Shape", "Nothing extends `Shape`.", "undecided"),
        ("class Disc<T extends Shape> extends Made<T>", "Nothing extends `Shape`.", "undecided"),
        ("interface Disc extends Shape", "Nothing extends `Shape`.", "contradicted"),
        ("interface Disc extends Shape", "No class extends `Shape`.", "undecided"),
        ("class Disc implements Kept", "Nothing implements `Kept`.", "contradicted"),
        ("class Disc extends Made<Kept>", "Nothing implements `Kept`.", "undecided"),
    ],
)
async def test_one_more_in_typescript(tmp_path: Path, head: str, said: str, verdict: str) -> None:
    root = tmp_path / "ws"
    files = {
        "a.ts": "class Shape {\n}\n",
        "c.ts": "interface Kept {\n}\n",
        "b.ts": head + " {\n}\n",
    }
    cited = "a.ts" if "Shape`" in said else "c.ts"
    told = knowing(root, (), ("b.ts:1",), {"b.ts:1": (f"{cited}:1",)})
    async with stage(root, SCRIPT | files, [], coded=told) as s:
        found = await sentence(s, said, f"[cite: doc, {cited}, L1-L2]")
        assert found.verdict == verdict, found.reason


async def test_two_classes_of_a_name_are_both_said(tmp_path: Path) -> None:
    root, text = tmp_path / "ws", "class Disc extends Shape {\n}\n"
    files = SCRIPT | {"a.ts": "class Shape {\n}\n", "b.ts": text, "c.ts": text}
    shape = {"b.ts:1": ("a.ts:1",), "c.ts:1": ("a.ts:1",)}
    told = knowing(root, (), ("b.ts:1", "c.ts:1"), shape)
    async with stage(root, files, [], coded=told) as s:
        cite = "[cite: doc, a.ts, L1-L2]"
        assert (await sentence(s, "Only `Disc` extends `Shape`.", cite)).verdict == "undecided"
        assert (await sentence(s, "Only `b.Disc` extends `Shape`.", cite)).verdict == "contradicted"


@pytest.mark.parametrize(
    ("head", "verb", "verdict"),
    [
        ("class Disc extends Shape", "extends", "supported"),
        ("class Disc extends Round", "extends", "supported"),
        ("class Disc<T extends { a: () => 1 }> extends Round", "extends", "supported"),
        ("class Disc implements Shape", "extends", "undecided"),
        ("class Disc extends Flat", "extends", "undecided"),  # which implements it
        ("class Disc implements Kept", "implements", "supported"),
        ("class Disc extends Held", "implements", "supported"),
    ],
)
async def test_in_typescript_heads_must_lead_to_what_is_extended(
    tmp_path: Path, head: str, verb: str, verdict: str
) -> None:
    """The server tells the same of a class that implements another."""
    root = tmp_path / "ws"
    files = {
        "a.ts": "class Shape {\n}\nclass Round extends Shape {\n}\n"
        "class Flat implements Shape {\n}\n",
        "c.ts": "interface Kept {\n}\nclass Held implements Kept {\n}\n",
        "b.ts": f"{head} {{\n}}\n",
    }
    lines = {
        "Shape": "a.ts:1",
        "Round": "a.ts:3",
        "Flat": "a.ts:5",
        "Kept": "c.ts:1",
        "Held": "c.ts:3",
    }
    bases = {"b.ts:1": (lines[head.rpartition(" ")[2]],), "a.ts:3": ("a.ts:1",)}
    bases |= {"a.ts:5": ("a.ts:1",), "c.ts:3": ("c.ts:1",)}
    told = knowing(root, (), ("a.ts:3", "a.ts:5", "c.ts:3", "b.ts:1"), bases)
    what = "Shape" if verb == "extends" else "Kept"
    async with stage(root, SCRIPT | files, [], coded=told) as s:
        found = await sentence(s, f"`Disc` {verb} `{what}`.", "[cite: doc, b.ts, L1-L2]")
        assert found.verdict == verdict, found.reason


async def test_a_namespace_of_the_same_name_is_no_base(tmp_path: Path) -> None:
    root, kept = tmp_path / "ws", "interface Kept {\n}\nnamespace Kept {\n}\n"
    files = SCRIPT | {"c.ts": kept, "b.ts": "class Disc implements Kept {\n}\n"}
    told = knowing(root, (), ("b.ts:1",), {"b.ts:1": ("c.ts:1", "c.ts:3")})
    async with stage(root, files, [], coded=told) as s:
        found = await sentence(s, "`Disc` implements `Kept`.", "[cite: doc, b.ts, L1-L2]")
        assert found.verdict == "supported", found.reason


async def test_a_base_called_like_it_is_left_open(tmp_path: Path) -> None:
    """Such as one of the language itself, where the workspace has a class of that name, too."""
    root, files = tmp_path / "ws", SCRIPT | {"b.ts": "class Click extends Shape {\n}\n"}
    told = knowing(root, (), ("a.ts:1",), {"b.ts:1": LIB})
    async with stage(root, files, [], coded=told) as s:
        cite = "[cite: doc, b.ts, L1-L2]"
        assert (await sentence(s, "`Click` extends `Shape`.", cite)).verdict == "undecided"
        assert (await sentence(s, "`Click` extends `Round`.", cite)).verdict == "contradicted"


async def test_a_base_by_another_name_is_left_open(tmp_path: Path) -> None:
    """The lines need not name it, but who calls or extends something they must."""
    files = {"a.py": "class Shape:\n    pass\n\n\nBase = Shape\n\n\nclass Disc(Base):\n    pass\n"}
    async with stage(tmp_path / "ws", files, []) as s:
        found = await sentence(s, "`Disc` extends `Shape`.", "[cite: doc, a.py, L8-L9]")
        assert found.verdict == "undecided"
        found = await sentence(s, "`Disc` extends `Shape`.", "[cite: doc, a.py, L1-L2]")
        assert found.verdict == "unsupported"


async def test_without_a_server_nothing_is_proved(tmp_path: Path) -> None:
    said = "`Cube` extends `Shape`."
    for coded in (None, lambda _: None):
        async with stage(tmp_path / "ws", {"a.py": SHAPES}, [], coded=coded) as s:
            assert (await sentence(s, said, "[cite: doc, a.py, L1-L10]")).verdict == "undecided"


async def test_a_proof_counts_before_the_model_and_is_no_fact(tmp_path: Path) -> None:
    """Nor is the model asked what all code does, which no lines can show."""
    root, said = tmp_path / "ws", "`Cube` extends `Shape`. [cite: doc, a.py, L1-L10]"
    says = {"Cube": ("CONTRADICTED", "class Cube")}
    turns = [Turn(ToolUse("Read", {"path": "a.py"})), Turn(Text(said))]
    told = knowing(root, (), ("a.py:5", "a.py:9"))
    async with stage(root, {"a.py": SHAPES}, judging(turns, **says), JUDGED, coded=told) as s:
        answer = await s.ask("?")
        (citation,) = answer.citations
        assert (citation.status, citation.basis) == (CitationStatus.VERIFIED, Basis.SERVER)
        kept = (await resume_session(s.app, ResumeSessionRequest(answer.session_id))).events
        again = [e.event.citation for e in kept if isinstance(e.event, CitationChecked)]
        assert [each.basis for each in again] == [Basis.SERVER]
        assert list(s.app.ledger.all()) == []
    one = "`_parse` has a single caller, `load`."
    says = {"single": ("SUPPORTED", "return text")}
    turns = [Turn(ToolUse("Read", {"path": "parse.py"})), Turn(Text(f"{one} {CITE}"))]
    async with stage(root, FILES, judging(turns, **says), JUDGED) as s:
        (citation,) = (await s.ask("?")).citations
        assert (citation.status, citation.basis) == (CitationStatus.READ, None)
        assert citation.reason == NOT_SHOWN
        assert list(s.app.ledger.all()) == []
