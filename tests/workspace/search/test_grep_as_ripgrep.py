"""Grep finds what ripgrep finds in a tree, but for the differences that decision 0013 names."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from glossator.workspace.search.ripgrep import Request
from glossator.workspace.search.scan import compile_pattern, matching_lines
from tests.workspace.search.searching import RIPGREP, lines, pending, write

WORDS = "foo foobar Key x1 update_key Straße 错误 kit a.b (x) 2024".split()
PATTERNS = [
    *(
        "foo",
        "fo+b?",
        "key$",
        "^foo",
        "^$",
        "x|Key",
        r"\(x\)",
        "(?i)KEY",
        ".",
        "[^a-z ]",
        "错",
        "ß.",
    ),
    *("foobar.*kit", "x1|2024", "a.b", "nothing", "[[:digit:]]{4}", "(?i)straße", "e K", "^.{3}$"),
]


async def grep(root: Path, pattern: str) -> list[tuple[str, list[int]]]:
    return lines(await pending(root), Request(pattern))


def ripgrep(root: Path, pattern: str) -> list[tuple[str, list[int]]]:
    command = [RIPGREP, "--no-config", "--crlf", "--hidden", "--line-number", "--null"]
    run = subprocess.run(
        [*command, f"--regexp={pattern}", "./"], cwd=root, capture_output=True, check=False
    )
    assert run.returncode < 2, run.stderr
    found: dict[str, list[int]] = {}
    for line in run.stdout.split(b"\n"):
        name, nul, rest = line.partition(b"\0")
        if nul:
            found.setdefault(name.decode().removeprefix("./"), []).append(int(rest.split(b":")[0]))
    return sorted(found.items())


def content(random: Random) -> bytes:
    end = random.choice([b"\n", b"\r\n"])
    texts = [" ".join(random.choices(WORDS, k=random.randrange(4))).encode() for _ in range(9)]
    texts += [b"foo " * 30_000] * (random.randrange(10) == 0)
    return end.join(random.sample(texts, random.randrange(9))) + random.choice([end, b""])


@pytest.mark.parametrize("seed", range(2))
async def test_the_same_lines(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    write(tmp_path, {f"{n % 4}/{n}": content(random) for n in range(30)})
    write(tmp_path, {".hidden": b"foo\n", "utf16": "Key foo\r\nkit\n".encode("utf-16")})
    snapshot = await pending(tmp_path)
    for pattern in PATTERNS:
        assert lines(snapshot, Request(pattern)) == ripgrep(tmp_path, pattern), pattern


@pytest.mark.parametrize(
    ("raw", "pattern", "ours", "theirs"),
    [
        (b"a\rb\nb\n", "b", [2, 3], [1, 2]),
        (b"caf\xe9\n", "é", [1], []),
        (b"\xef\xbb\xbfa\n", "^a", [1], [1]),
        (b"\xef\xbb\xbfa\n", "\ufeff", [], []),
        (b"a\n" * 5000 + b"\0", "\\x00", [5001], None),
        (b"a\0a\n", "a", [], []),
        (b"a\nb\n", r"a|\n", [1], None),
    ],
)
async def test_where_they_differ(
    tmp_path: Path, raw: bytes, pattern: str, ours: list[int], theirs: list[int] | None
) -> None:
    write(tmp_path, {"f": raw})
    assert await grep(tmp_path, pattern) == ([("f", ours)] if ours else [])
    if theirs is not None:
        assert ripgrep(tmp_path, pattern) == ([("f", theirs)] if theirs else [])


EDGES = (
    r"\büber\b",
    r"\<über\>",
    r"über\b",
    r"\w+\b",
    r"\bx\b",
    r"\<\w",
    r"\w\>",
    r"def \w+\(",
    r"^ *\<",
    r"\d{2}",
    r"[\d.]+",
    r"[^\w\s]",
    r"[\W_]x",
    r"\S\s\S",
    r"[^\S ]",
    r"\Sx\b",
    r"\b[[:alpha:]]",
    r"a\b.\bb",
    r"\b(?:é|ß)+\b",
    r"(?i)\bÜBER\b",
    r"\b\b",
    r"\bx$",
    r"^\b",
    r"$\b|x\b$",
    r"\b\(|-\b",
)
UNICODE = "über überall x.über def größe(self) ٣٤ 12.5 a-b é ß éß x ² Ⓐ _x (x -é a\u0301x".split(
    " "
)


@pytest.mark.parametrize("multiline", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_words_digits_and_space_are_unicodes(seed: int, multiline: bool) -> None:
    random = Random(seed)
    for _ in range(4):
        text = "\n".join(
            random.choice([" ", "\u2003", "\v", "-", ""]).join(
                random.choices(UNICODE, k=random.randrange(4))
            )
            for _ in range(40)
        )
        for pattern in EDGES:
            compiled = compile_pattern(pattern, multiline=multiline)
            assert not compiled.may_miss
            command = [RIPGREP, "--no-config", "--line-number", f"--regexp={pattern}"]
            command += ["--multiline", "--multiline-dotall"] * multiline
            raw = text.encode()
            run = subprocess.run([*command, "-"], input=raw, capture_output=True, check=False)
            theirs = [int(line.split(b":")[0]) for line in run.stdout.split(b"\n")[:-1]]
            assert list(matching_lines(raw, compiled)) == theirs, (pattern, text)


@pytest.mark.parametrize("pattern", [r"\Büber", r"\A\büber", r"\büber\z"])
def test_a_pattern_that_may_miss_says_so(pattern: str) -> None:
    assert compile_pattern(pattern).may_miss
