"""What a question mentions by `@`."""

from __future__ import annotations

import pytest

from glossator.turn.told.mentions import (
    MAX_MENTIONS,
    as_mention,
    find_mentions,
    resolve_mentions,
    unfinished_mention,
)
from tests.workspaces import MakeWorkspace

FILES = {
    "src/app.py": "import os\n\n\nclass App:\n    def run(self):\n        return 1\n",
    "src/other.py": "def run():\n    pass\n",
    "src/app/[id]/(own)/page.tsx": "export const page = 1;\n",
    "pkg/__init__.py": "app = 3\n",
    "schema.yaml": "property:\n  a: 1\nroute: 2\n",
    "notes.md": "# route\n",
    "my notes.txt": "one\ntwo\n",
    "node/@types/x.d.ts": "export {};\n",
    "empty.py": "",
    "Makefile": "all:\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "data.bin": b"\0\1",
    "fake.png": b"\0\1",
    "App/x.txt": "x\n",
    ".gitignore": "/made/\n",
    "made/x.txt": "x\n",
}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does @run do?", "run"),
        ("@src/app.py, @src/app.py: and @src/app.py.", "src/app.py"),
        ("See (@App.run) or @zoo::Fish::swim!", "App.run zoo::Fish::swim"),
        ("Lines @a.py:3-5? And @a.py#L3-L5.", "a.py:3-5 a.py#L3-L5"),
        ("me@example.org, @@x, node/@types/x, a.@b, @ x, @... @-", ""),
        ("@app/[id]/(g)/p.tsx, (@app/(g)/p.tsx), [@a.py](b) {@b.py}",
         "app/[id]/(g)/p.tsx app/(g)/p.tsx a.py b.py"),
        ("@f() and @app.route('/x') @a[1 @n/@t/x.d", "f() app.route a n/@t/x.d"),
        ('@"my notes.txt":1-2 and @"a b" @"', "my notes.txt:1-2 a b"),
        ("`@one` ``a ` @two`` @three `@four", "three four"),
        ("`@a ``@b` @c\n\n`` @d `@e` @f", "c d f"),
        ("Why?\n```py\n@property\ndef x(): ...\n```\n@five\n~~~\n@six", "five"),
    ],
)  # fmt: skip
def test_mentions(question: str, found: str) -> None:
    assert " ".join(mention.text for mention in find_mentions(question)) == found


@pytest.mark.parametrize(
    ("question", "attached"),
    [
        ("@src/app.py", "src/app.py:1-6"),
        ("@src/app.py:4-5 and @Makefile", "src/app.py:4-5, Makefile:1"),
        ("@src/app.py:5", "src/app.py:5"),
        ("@src/app.py#L4-L5, @src/app.py#L2", "src/app.py:4-5, src/app.py:2"),
        ("@App", "src/app.py:4-6"),
        ("@run", "src/app.py:5-6, src/other.py:1-2"),
        ("@App.run()", "src/app.py:5-6"),
        ("@src/app/[id]/(own)/page.tsx:1", "src/app/[id]/(own)/page.tsx:1"),
        ('@"my notes.txt":2', "my notes.txt:2"),
        ("@node/@types/x.d.ts", "node/@types/x.d.ts:1"),
        ("@logo.png", "logo.png"),
        ("@src/ and @App/.", "src/, App/"),
        ("@src, @src/app/[id]", "src/app/[id]/, src/"),
    ],
)
async def test_what_is_attached(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch, question: str, attached: str
) -> None:
    # the machine may be busy
    monkeypatch.setattr("glossator.turn.told.mentions._SYMBOL_SECONDS", 60.0)
    ws = await workspace(FILES)
    found = await resolve_mentions(find_mentions(question), ws.snapshot, ws.symbols)
    assert len(found.attached) == attached.count(",") + 1
    assert found.notice == f"Attached: {attached}."


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("@src/app.py:70", "@src/app.py:70 (src/app.py:70 is not there: src/app.py ends at line 6"),
        ("@src/no.py", "@src/no.py (there is no such file)"),
        ("@pkg/app", "@pkg/app (there is no such file)"),
        ("@app/[no]/page.tsx", "@app/[no]/page.tsx (there is no such file)"),
        ("@app/[", "@app (there is no such file)"),
        ("@property", "@property (no file and no symbol of code has this name)"),
        ("@route", "@route (no file and no symbol of code has this name)"),
        ("@made/", "@made (made/ holds no file that is listed, for it is left out: .gitignore:1"),
        ("@made", "@made (made/ holds no file that is listed"),
        ("@fish/", "@fish (there is no such file)"),
        ("@$", "@$ (no file and no symbol of code has this name)"),
        ("@" + "x" * 300, "@xxx"),
        ("@empty.py", "@empty.py (empty.py is empty"),
        ("@data.bin", "@data.bin (it is binary)"),
        ("@fake.png", "@fake.png (fake.png is not an image that models can see"),
        ("@empty.py:1", "@empty.py:1 (empty.py is empty"),
        ("@/etc/passwd", "@/etc/passwd (/etc/passwd is outside the workspace"),
    ],
)
async def test_what_is_not_attached_is_said(
    workspace: MakeWorkspace, question: str, why: str
) -> None:
    ws = await workspace(FILES)
    found = await resolve_mentions(find_mentions(question), ws.snapshot, ws.symbols)
    assert found.attached == ()
    assert found.notice.startswith(f"Not attached: {why}")


async def test_limits_are_said(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"f{n}.py": "def swim():\n    pass\n" for n in range(5)})
    question = "@swim " + " ".join(f"@f{n % 5}.py:{n // 5 + 1}" for n in range(MAX_MENTIONS))
    found = await resolve_mentions(find_mentions(question), ws.snapshot, ws.symbols)
    assert [item.name for item in found.attached[-3:]] == ["f0.py:1-2", "f1.py:1-2", "f2.py:1-2"]
    assert "@swim (all but its first 3 definitions)" in found.notice
    assert f"@f2.py:2 (more than {MAX_MENTIONS} are not looked up)" in found.notice


async def test_what_could_not_be_looked_up_is_said(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = await workspace(FILES)
    monkeypatch.setattr("glossator.turn.told.mentions._SYMBOL_SECONDS", 0.0)
    found = await resolve_mentions(find_mentions("@src/app.py @run"), ws.snapshot, ws.symbols)
    assert [item.name for item in found.attached] == ["src/app.py:1-6"]
    assert "@run (it could not be looked up: symbols took more than 0 s)" in found.notice


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("@", ("@", "")),
        ("See @src/a", ("@src/a", "src/a")),
        ('(@"my no', ('@"my no', "my no")),
        ("@a @b", ("@b", "b")),
        ("a `b @c", ("@c", "c")),
        ("`a` @c", ("@c", "c")),
        ("`@c", ("@c", "c")),
        ("@a ", None),
        ("@a\n", None),
        ("a@b", None),
        ("```\n@a", None),
        ('@"a" b', None),
    ],
)
def test_a_mention_that_is_being_typed(text: str, typed: tuple[str, str] | None) -> None:
    assert unfinished_mention(text) == typed


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("src/app.py", "@src/app.py"),
        ("src/", "@src/"),
        ("my notes/", '@"my notes/"'),
        ("my notes.txt", '@"my notes.txt"'),
        ("app/[id]/(g)/p.tsx", "@app/[id]/(g)/p.tsx"),
        ("a(b", '@"a(b"'),
        ("end.", '@"end."'),
        ("Makefile", "@Makefile"),
        ("diagnostics", '@"diagnostics"'),
        ("selection", '@"selection"'),
        ("node/@types/x.d.ts", "@node/@types/x.d.ts"),
        ('a"b', None),
        ("a`b", None),
    ],
)
async def test_how_a_path_is_mentioned(
    workspace: MakeWorkspace, path: str, written: str | None
) -> None:
    """What is written is one mention, of just that path, wherever it stands."""
    assert as_mention(path, name=False) == written
    if written is not None:
        ws = await workspace({f"{path}x.txt" if path.endswith("/") else path: "one\n"})
        found = await resolve_mentions(
            find_mentions(f"What of {written}, then?"), ws.snapshot, ws.symbols
        )
        assert [item.name.removesuffix(":1") for item in found.attached] == [path]


def test_how_a_name_is_mentioned() -> None:
    assert as_mention("Parser.parse", name=True) == "@Parser.parse"
    for name in ("operator ==", "a b", "diagnostics", "selection", "a[0]", ""):
        assert as_mention(name, name=True) is None
