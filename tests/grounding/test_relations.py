"""False sentences that name only what stands in their lines: no rule verifies one."""

from __future__ import annotations

import pytest

from glossator.core.span import Basis, CitationStatus
from glossator.grounding.citation_checks import Sources
from glossator.grounding.verdicts import check_answer
from tests.grounding.readers import judged
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "feed.py": """class Feed:
    def push(self, item, conn):
        conn.send(item)
        self.audit.close()

    def name(self, first, last, kind):
        self.first = first
        self.last = last
        if kind is None:
            return 2
        elif kind == "short":
            raise KeyError(kind)
        else:
            raise TypeError(kind)

    def area(self):
        return self.width * self.height

    def labels(self, items):
        return [each.label for each in items if each.shown] or None
""",
    "feed.ts": """export class Feed {
  push(item: Item, conn: Conn): void {
    conn.send(item);
    this.audit.close();
  }

  name(first: string, last: string, kind?: string): number {
    this.first = first;
    this.last = last.trim();
    if (kind === undefined) {
      return 2;
    }
    if (!this.open) return 3;
    throw new TypeError(kind);
  }

  area(): number {
    return this.width * this.height;
  }
}
""",
    "feed.go": """func (f *Feed) Push(item Item, conn *Conn) error {
\tif err := conn.Send(item); err != nil {
\t\treturn ErrSend
\t}
\tif f.audit.Empty() {
\t\treturn nil
\t} else if f.open {
\t\treturn ErrOpen
\t}
\tf.audit.Close()
\tf.first, f.last = item.first, conn.last
\treturn f.width * f.height, nil
}
""",
}
LINES = {name: text.count("\n") for name, text in FILES.items()}

RECEIVER = [
    ("feed.py", "`push` calls `conn.close`.", "self.audit.close()"),
    ("feed.py", "`push` calls `self.audit.send`.", "conn.send(item)"),
    ("feed.py", "`Feed.push` closes `conn` after sending.", "self.audit.close()"),
    ("feed.ts", "`push` calls `conn.close`.", "this.audit.close();"),
    ("feed.ts", "`push` calls `this.audit.send` with `item`.", "conn.send(item);"),
    ("feed.ts", "`conn.trim` is called by `name`.", "this.last = last.trim();"),
    ("feed.go", "`Push` calls `conn.Close`.", "f.audit.Close()"),
    ("feed.go", "`Push` calls `f.audit.Send`.", "conn.Send(item)"),
    ("feed.go", "`conn.Empty` is called by `Push`.", "f.audit.Empty()"),
]
RIGHT_SIDE = [
    ("feed.py", "`name` sets `last` to `first`.", "self.last = last"),
    ("feed.py", "`name` sets `self.first` to `last`.", "self.first = first"),
    ("feed.py", "`self.first` is assigned `kind`.", "self.first = first"),
    ("feed.ts", "`name` sets `last` to `first`.", "this.last = last.trim();"),
    ("feed.ts", "`name` sets `this.last` to `last`.", "this.last = last.trim();"),
    ("feed.ts", "`this.first` is set to `kind`.", "this.first = first;"),
    ("feed.go", "`Push` sets `f.last` to `item.first`.", "f.first, f.last = item.first, conn.last"),
    ("feed.go", "`Push` sets `f.first` to `conn.last`.", "f.first, f.last = item.first, conn.last"),
    ("feed.go", "`f.first` is set to `item`.", "f.first, f.last = item.first, conn.last"),
]
GUARD = [
    ("feed.py", "`name` raises `TypeError` if `kind` is `None`.", "if kind is None:"),
    ("feed.py", '`name` raises `KeyError` unless `kind` is "short".', 'elif kind == "short":'),
    ("feed.py", "`name` returns 2 if `kind` is not `None`.", "if kind is None:"),
    ("feed.ts", "`name` throws `TypeError` if `kind` is `undefined`.", "kind === undefined"),
    ("feed.ts", "`name` returns 3 if `this.open` is set.", "if (!this.open) return 3;"),
    ("feed.ts", "`name` throws `TypeError` if `this.open` is false.", "(!this.open) return 3"),
    ("feed.go", "`Push` returns `ErrSend` if `err` is `nil`.", "err != nil"),
    ("feed.go", "`Push` returns `ErrOpen` if `f.audit` is empty.", "if f.audit.Empty() {"),
    ("feed.go", "`Push` returns `nil` unless `f.audit` is empty.", "if f.audit.Empty() {"),
]
PART_OF_A_RESULT = [
    ("feed.py", "`area` returns `self.width`.", "return self.width * self.height"),
    ("feed.py", "`labels` returns `items`.", "return [each.label for each in items"),
    ("feed.py", "`labels` always returns the `label` of each of the `items`.", "if each.shown"),
    ("feed.ts", "`area` returns `this.width`.", "return this.width * this.height;"),
    ("feed.ts", "`area` gives `this.height` back.", "return this.width * this.height;"),
    ("feed.ts", "The result of `area` is `height`.", "return this.width * this.height;"),
    ("feed.go", "`Push` returns `f.width`.", "return f.width * f.height, nil"),
    ("feed.go", "`Push` returns `f.height` at the end.", "return f.width * f.height, nil"),
    ("feed.go", "The first value that `Push` returns is `f.width`.", "f.width * f.height, nil"),
]
FALSE = [*RECEIVER, *RIGHT_SIDE, *GUARD, *PART_OF_A_RESULT]
TRUE = [
    ("feed.py", "`push` closes `self.audit`.", "self.audit.close()"),
    ("feed.py", "`name` raises `TypeError` if `kind` is another text.", "raise TypeError(kind)"),
    ("feed.ts", "`name` sets `last` to what `trim` leaves of it.", "this.last = last.trim();"),
    ("feed.ts", "`area` returns the product of `width` and `height`.", "width * this.height"),
    ("feed.go", "`Push` returns `ErrSend` if sending fails.", "return ErrSend"),
    ("feed.go", "`Push` sets `f.last` to `conn.last`.", "f.last = item.first, conn.last"),
]


@pytest.fixture
async def ws(workspace: MakeWorkspace) -> Workspace:
    ws = await workspace(FILES)
    for path in FILES:
        await ws.call("Read", path=path)
    return ws


def answer_of(path: str, statement: str) -> str:
    return f"{statement} [cite: doc, {path}, L1-L{LINES[path]}]"


@pytest.mark.parametrize(("path", "statement", "words"), FALSE)
def test_a_false_relation_is_never_verified(
    ws: Workspace, path: str, statement: str, words: str
) -> None:
    answer, sources = answer_of(path, statement), Sources(ws.snapshot, ws.reads)
    (alone,) = check_answer(answer, sources).citations
    assert (alone.status, alone.basis) == (CitationStatus.READ, None), "the rules do not know"
    # one who reads with care quotes what stands there instead
    (read,) = judged(answer, sources, {"": ("CONTRADICTED", [words])}).citations
    assert (read.status, read.basis) == (CitationStatus.CONTRADICTED, Basis.MODEL)
    # one who says yes, and quotes the statement for it, is not believed
    said = statement.replace("`", "")
    (careless,) = judged(answer, sources, {"": ("SUPPORTED", [said])}).citations
    assert (careless.status, careless.basis) == (CitationStatus.READ, None)
    assert careless.reason == "Not judged: the model quoted words that are not in the lines."


@pytest.mark.parametrize(("path", "statement", "words"), TRUE)
def test_a_true_relation_is_verified_by_a_model_alone(
    ws: Workspace, path: str, statement: str, words: str
) -> None:
    answer, sources = answer_of(path, statement), Sources(ws.snapshot, ws.reads)
    (alone,) = check_answer(answer, sources).citations
    assert (alone.status, alone.basis) == (CitationStatus.READ, None)
    (read,) = judged(answer, sources, {"": ("SUPPORTED", [words])}).citations
    assert (read.status, read.basis) == (CitationStatus.VERIFIED, Basis.MODEL)
