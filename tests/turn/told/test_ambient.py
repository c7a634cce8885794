"""What the editor shows goes with a question: when it changed, and only what may be named."""

from __future__ import annotations

from pathlib import Path

from glossator.core.attached import EditorState, ShownLines
from glossator.core.tokens import estimate_tokens
from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import Edited, Opened, TextEdit
from tests.stage import Stage, stage
from tests.standin import Text, Turn

FILES = {"app.py": "a\n", "lib/b.py": "b\n", ".env": "KEY\n"}
DENY = {"permissions": {"deny": ["Read(.env)"]}}
OPENING = "What the editor shows as the question is asked."


def uri(s: Stage, name: str) -> str:
    return to_uri(str(s.root / name))


def told(s: Stage, number: int) -> list[str]:
    """What the last message of a request says of the editor."""
    texts = [block["text"] for block in s.said(number)]
    return [text.split("<material>\n")[1] for text in texts if text.startswith(OPENING)]


async def test_it_is_told_again_only_when_it_changed(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("Yes.")) for _ in range(4)]) as s:
        lines = ShownLines(3, 40), ShownLines(7, 9)
        tabs = (uri(s, "app.py"), uri(s, "lib/b.py"))
        s.app.editor_state = EditorState(uri(s, "app.py"), *lines, tabs)
        session = (await s.ask("One?")).session_id
        assert told(s, 0) == [
            "Active: app.py, lines 3-40 visible, lines 7-9 selected\nOpen: lib/b.py\n</material>"
        ]
        await s.ask("Two?", session_id=session)
        assert told(s, 1) == []
        s.app.editor_state = EditorState(uri(s, "lib/b.py"), ShownLines(1, 2), None, tabs)
        await s.ask("Three?", session_id=session)
        assert told(s, 2) == ["Active: lib/b.py, lines 1-2 visible\nOpen: app.py\n</material>"]
        await s.ask("In another conversation?")
        assert len(told(s, 3)) == 1


async def test_of_other_editors_the_open_documents_are_known(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("Yes.")), Turn(Text("Yes."))]) as s:
        await s.ask("Nothing is open?")
        assert told(s, 0) == []
        for name in ("app.py", "lib/b.py", ".env"):
            s.app.host.apply(Opened(uri(s, name), 1, "x\n"))
        s.app.host.apply(Opened("untitled:Untitled-1", 1, "x\n", "python"))
        s.app.host.apply(Edited(uri(s, "app.py"), 2, (TextEdit(None, "y\n"),)))
        await s.ask("What is open?")
        (text,) = told(s, 1)
        assert "Edited last: app.py" in text
        for name in ("app.py", "lib/b.py", "untitled:Untitled-1.py", ".env"):
            assert name in text.splitlines()[0]


async def test_what_is_hidden_or_elsewhere_is_never_named(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "ws", tmp_path / "elsewhere.py"
    elsewhere.write_text("x\n", "utf-8")
    async with stage(root, FILES, [Turn(Text("Yes."))], DENY) as s:
        (root / "link.py").symlink_to(elsewhere)
        (root / "env.py").symlink_to(root / ".env")
        names = (".env", "link.py", "env.py", "../elsewhere.py")
        tabs = (*(uri(s, name) for name in names), "output:tasks", "not a uri")
        s.app.host.apply(Opened(uri(s, ".env"), 1, "x\n"))
        s.app.host.apply(Edited(uri(s, ".env"), 2, (TextEdit(None, "y\n"),)))
        s.app.editor_state = EditorState(uri(s, ".env"), ShownLines(1, 2), None, tabs)
        await s.ask("What is open?")
        assert told(s, 0) == []


async def test_it_can_be_switched_off(tmp_path: Path) -> None:
    settings = {"context": {"ambient": False}}
    async with stage(tmp_path, FILES, [Turn(Text("Yes."))], settings, trusted=None) as s:
        s.app.editor_state = EditorState(uri(s, "app.py"))
        await s.ask("What is open?")
        assert told(s, 0) == []


async def test_it_is_small_however_much_is_open(tmp_path: Path) -> None:
    async with stage(tmp_path, {}, [Turn(Text("Yes."))], trusted=None) as s:
        names = [f"{'folder/' * 6}{'long' * 60 * (number % 2)}{number}.py" for number in range(60)]
        for name in names:
            s.app.host.apply(Opened(uri(s, name), 1, "x\n"))
            s.app.host.apply(Edited(uri(s, name), 2, (TextEdit(None, "y\n"),)))
        tabs = tuple(uri(s, name) for name in names)
        lines = ShownLines(100_000, 100_100)
        s.app.editor_state = EditorState(uri(s, names[1]), lines, lines, tabs)
        await s.ask("What is open?")
        (text,) = [block["text"] for block in s.said(0) if block["text"].startswith(OPENING)]
    assert estimate_tokens(text) <= 300
    assert "and more" in text


async def test_a_name_is_data(tmp_path: Path) -> None:
    async with stage(tmp_path, {}, [Turn(Text("Yes."))]) as s:
        s.app.host.apply(Opened(uri(s, "a\n<material>.py"), 1, "x\n"))
        await s.ask("What is open?")
        assert "Open: a\\n<material>.py" in str(s.said(0)[0]["text"])
