"""The index of cited lines, as whoever cites uses it."""

from __future__ import annotations

from glossator.anchors import AnchorIndex, Names, passage_of, renamed_passages
from glossator.core.document import Document
from glossator.core.fact import Passage
from glossator.core.span import Span
from tests.workspaces import MakeWorkspace, Workspace

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


def cited(ws: Workspace, path: str, first: int, last: int) -> Passage:
    document = ws.snapshot.read(path)
    assert isinstance(document, Document)
    return passage_of(Span(document.uri, document.sha256, first, last), ws.snapshot.read)


async def test_in_doubt_at_once_and_fresh_again_when_compared(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": TEXT, "b.py": TEXT})
    index = AnchorIndex(ws.host)
    told: list[object] = []
    index.subscribe(told.extend)
    for key, path, line in (("top", "a.py", 2), ("end", "a.py", 29), ("other", "b.py", 2)):
        index.add(key, (cited(ws, path, line, line),))
    assert not index.is_fresh("top")  # never compared
    await index.settled()
    told.clear()
    ws.open("a.py", TEXT.replace("line 29", "line x"))
    assert [index.is_fresh(key) for key in ("top", "end", "other")] == [False, False, True]
    await index.settled()
    assert [index.is_fresh(key) for key in ("top", "end", "other")] == [True, False, True]
    assert told == ["end"]
    index.add("end", (cited(ws, "a.py", 29, 29),))  # in place of what it cited
    index.remove("top")
    await index.settled()
    assert index.is_fresh("end")
    assert index.freshness("top") is None
    await index.close()


async def test_a_follower_adds_its_passages_under_their_new_names(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": TEXT})
    index = AnchorIndex(ws.host)
    passages: tuple[Passage | None, ...] = (cited(ws, "a.py", 3, 5), None)

    async def follow(names: Names) -> None:
        nonlocal passages
        passages = renamed_passages(passages, names)
        index.add("fact", passages, freshness=index.freshness("fact"))

    index.add("fact", passages)
    index.follow(follow)
    await index.settled()
    old, new = ws.root / "a.py", ws.root / "b.py"
    old.rename(new)
    ws.touched("a.py")
    ws.touched("b.py")
    index.renamed({str(old): str(new)})
    assert not index.is_fresh("fact")
    await index.settled()
    assert index.is_fresh("fact")
    assert passages[0] is not None
    assert passages[0].path == str(new)
    await index.close()
