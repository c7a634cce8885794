"""Edits of a model while the user types, at random: each is made once, or the model hears it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Mapping
from enum import Enum, auto

import pytest

from glossator.core.document import Document
from glossator.core.edit import Applied, EditOutcome, EditPlan, FileEdit
from glossator.core.errors import InvalidPosition
from glossator.core.line_diff import Replacement
from glossator.core.ports import NotApplied
from glossator.core.text import LineTable, Position
from glossator.edits import wait
from glossator.edits.apply import PlanEditing
from glossator.workspace.documents.overlays import Edited, Opened, TextEdit
from tests.lsp.support.chance import seeded
from tests.stage import Recorder
from tests.workspaces import MakeWorkspace, Workspace

_RUNS = 40  # of each kind
_SENT_LATE = 0.01  # seconds
_EDIT = "MODEL"


class Kind(Enum):
    """What an editor does with an edit of a text that it has not sent."""

    REFUSES = auto()  # it keeps versions
    SKIPS = auto()  # and says that it applied the edit, as Neovim 0.11 does
    BLIND = auto()  # it has no versions, and applies the edit at the old places
    BLIND_WHOLE = auto()  # and sends whole texts


class _NotKept:
    async def before(self, _paths: Iterable[str]) -> None: ...

    async def after(
        self, _changed: Mapping[str, str | None], _untouched: Iterable[str]
    ) -> None: ...


class _Typing(Recorder):
    """An editor of one document, of lines that are all different, whose user types.

    `before` the next so many edits, and after one `after` that probability.
    """

    def __init__(self, ws: Workspace, name: str, kind: Kind, chance: random.Random) -> None:
        super().__init__()
        self.ws, self.name, self.kind, self.chance = ws, name, kind, chance
        self.lines = [f"line {number}\n" for number in range(chance.randint(2, 8))]
        self.text = "".join(self.lines)
        self.typed: list[str] = []
        self.deleted: set[str] = set()
        self.version = 1
        self.unsent: list[TextEdit] = []
        self.before, self.after = chance.choice([(1, 0.0), (1, 0.5), (0, 1.0), (3, 0.3)])
        ws.write(name, self.text)
        ws.host.apply(Opened(ws.uri(name), 1, self.text))

    @property
    def edits_blindly(self) -> bool:
        return self.kind is not Kind.REFUSES

    async def apply_edit(self, plan: EditPlan, *, confirm: bool) -> NotApplied | None:
        assert not confirm
        (change,) = plan.files
        assert isinstance(change, FileEdit)
        assert change.base is not None
        if self.before:
            self.before -= 1
            self._type()
        asyncio.get_running_loop().call_later(_SENT_LATE, self.send)
        is_old = change.base.version != self.version
        if self.kind is Kind.REFUSES and is_old:
            return NotApplied("The document changed.")
        if not (self.kind is Kind.SKIPS and is_old):
            table = LineTable(self.text)
            try:
                places = [
                    (table.offset(each.start, "utf-16"), table.offset(each.end, "utf-16"))
                    for each in change.positioned("utf-16")
                ]
            except InvalidPosition:
                return NotApplied("There is no such place.")
            for place, each in reversed([*zip(places, change.positioned("utf-16"), strict=True)]):
                self._change(*place, each.text)
        if self.chance.random() < self.after:
            self._type()
        return None

    def send(self) -> None:
        """Tell of what was typed and edited since."""
        if self.unsent:
            whole = (TextEdit(None, self.text),)
            changes = whole if self.kind is Kind.BLIND_WHOLE else tuple(self.unsent)
            self.unsent = []
            self.ws.host.apply(Edited(self.ws.uri(self.name), self.version, changes))

    def _type(self) -> None:
        """A line is added or deleted, or a letter is put before one."""
        kind = self.chance.choice(["add", "add", "delete", "letter"])
        starts = [0, *(at + 1 for at, letter in enumerate(self.text) if letter == "\n")]
        at = self.chance.choice(starts)
        line = self.text[at : self.text.find("\n", at) + 1]
        if kind == "add":
            self.typed.append(f"# {len(self.typed)}\n")
            self._change(at, at, self.typed[-1])
        elif kind == "letter" and line:
            self._change(at, at, "u")
        elif kind == "delete" and line in self.lines:
            self.deleted.add(line)
            self._change(at, at + len(line), "")

    def _change(self, start: int, end: int, text: str) -> None:
        table = LineTable(self.text)
        place: tuple[Position, Position] = (
            table.position(start, "utf-16"),
            table.position(end, "utf-16"),
        )
        self.text = self.text[:start] + text + self.text[end:]
        self.unsent.append(TextEdit(place, text))
        self.version += 1


@pytest.mark.parametrize("kind", Kind)
async def test_an_edit_is_made_once_or_told(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    for name, seconds in [("SETTLE", 0.05), ("QUIET", 0.03), ("LATE", 0.1)]:
        monkeypatch.setattr(wait, f"{name}_SECONDS", seconds)
    chance = seeded()
    ws = await workspace({})
    numbers = [chance.getrandbits(32) for _ in range(_RUNS)]
    misplaced = await asyncio.gather(
        *(_check(ws, kind, f"{at}.txt", random.Random(n)) for at, n in enumerate(numbers))
    )
    assert kind in (Kind.BLIND, Kind.BLIND_WHOLE) or not any(misplaced)


async def _check(ws: Workspace, kind: Kind, name: str, chance: random.Random) -> bool:
    """Whether user and model were told that the edit may be in a wrong place."""
    editor = _Typing(ws, name, kind, chance)
    at = chance.randrange(len(editor.lines))
    old = editor.lines[at]
    new = chance.choice([f"{_EDIT}\n", f"{old}{_EDIT}\n", f"{_EDIT}\n{old}"])
    path = str(ws.root / name)
    base = ws.snapshot.read(path)
    assert isinstance(base, Document)
    start = base.text.index(old)
    edit = FileEdit(base.uri, path, base, (Replacement(start, start + len(old), new),))
    editing = PlanEditing(
        ws.host, editor, lambda _: None, _NotKept(), review=False, permitted=frozenset({path})
    )
    outcome = await editing.apply(EditPlan.of("Edit", edit))
    editor.send()
    return _judge(editor, outcome, old, new)


def _judge(editor: _Typing, outcome: EditOutcome, old: str, new: str) -> bool:
    """The document holds all that was typed, and the edit once in its place or not at all.

    True if it may be in a wrong place, and both were told.
    """
    if isinstance(outcome, Applied) and "What is there now is shown" in outcome.note:
        assert editor.told
        return True
    if editor.kind is Kind.BLIND_WHOLE and editor.text == "".join(editor.lines).replace(old, new):
        return False  # as planned; no text shows what the user typed before that
    lines = [line.lstrip("u") for line in editor.text.splitlines(keepends=True)]
    shown = (editor.kind, outcome, old, new, editor.text)
    assert [line for line in editor.typed if line in lines] == editor.typed, shown
    expected = (
        "".join(editor.lines).replace(old, new).splitlines(keepends=True)
        if isinstance(outcome, Applied)
        else editor.lines
    )
    kept = [line for line in expected if line not in editor.deleted]
    assert [line for line in lines if line not in editor.typed] == kept, shown
    return False
