"""Random patterns: no match is left out by the query, and ripgrep agrees where it is said to."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from glossator.core.errors import UsageError
from glossator.workspace.index.required import analyse
from glossator.workspace.index.searchable import searchable
from glossator.workspace.index.segment_writer import framed
from glossator.workspace.index.trigrams import ANYTHING, Query, key
from glossator.workspace.search.scan import compile_pattern, matching_lines

RIPGREP = Path(sys.executable).with_name("rg")

# Pieces of patterns, each with characters that it matches, or nearly.
Pieces = list[tuple[str, str]]
LONG_S = "\N{LATIN SMALL LETTER LONG S}"
WORDS: Pieces = [
    (word, "") for word in f"foo Key sKip ab update x1 Straße {LONG_S}Key 错误".split()
]
SHARED: Pieces = [
    *((r"\w", "aK_9é"), (r"[\w]", "sZ0"), ("[[:alnum:]]", "aS9"), (r"\d", "019"), (".", "a)\né")),
    *((r"[^\d]", "a "), (r"\D", "a\n"), (r"\s", " \t\n"), (r"\S", "x("), (r"\W", " -\n")),
    *((r"[^\w\s]", "(-"), ("[abK-]", "abkK-"), ("[^ab]", "ckS\n"), ("[a-fx-z]", "cyZ")),
    *(("[[:upper:]]", "KSk"), ("[[:^alpha:]]", "1 "), ("[)-]", ")-"), ("[^-a]", "b-")),
    *(("[[:space:]]", " \n"), ("[[:punct:]]", "-)"), (r"[\]\[^]", "[]^"), ("[à-ü]", "éÉa")),
    *(("[^é]", "eè\n"), ("[é-]", "É-"), (r"[ \n]", " \n"), (r"[\x00-\x1f]", "\n\t")),
    *((r"\t", "\t"), (r"\x41", "Aa"), (r"\x{6b}", "kK"), (r"\.", "."), (r"\-", "-"), (r"\{", "{")),
    *((r"\_", "_"), (r"\"", '"'), (r"\/", "/"), (r"\ ", " "), ("}", "}"), ("]", "]"), ("-", "-")),
    *(("#", "#"), (" ", " "), ("/", "/"), ("é", "éÉ"), (LONG_S, "sS"), ("\N{KELVIN SIGN}", "kK")),
    *(("[ksSK]", "sK"), ("^", ""), ("$", ""), (r"\b", ""), ("()", ""), ("", "")),
]
RE2_ONLY: Pieces = [
    *(("[]a]", "]aA"), ("[^]a]", "b]"), ("[]-a]", "_]`"), (r"[\d-z]", "1-z"), ("[[a]", "[A")),
    *(("[a&&b]", "ab&"), ("[!--]", "!-#"), ("[+--]", "+-,"), ("[a-c~~]", "b~")),
    *((r"\<", "<"), (r"\>", ">"), (r"\C", "ab\n"), (r"\101", "Aa"), (r"\0", "\1"), (r"\v", "\v")),
    *((r"\pL", "aé"), (r"\PL", "1 "), (r"\p{Greek}", "λ"), (r"\p{^Lu}", "a1"), (r"[^\pL]", "1 ")),
    *((r"[\101-\x{43}]", "Bc"), (r"\x{d800}", "x"), ("{", "{"), ("a{x}", ""), ("a{,2}", "")),
    *(("\n", "\n"), ("[\n]", "\n"), (r"\n", "\n"), (r"[\r\n]", "\n"), (r"\x0a", "\n")),
    *((r"\B", ""), (r"\A", ""), (r"\z", ""), (r"\Q\E", ""), (r"\Qa.b\E", "")),
]
CASED: Pieces = [
    ("ẞ", "ßẞ"),
    ("𐐀", "𐐀𐐨"),
    ("Å", "å\N{ANGSTROM SIGN}"),
    (r"[^\x00-\x7f]", "é错"),
    (r"\x{17f}", "sS"),
]
FLAGS = ["(?i)", "(?s)", "(?-s)", "(?-i)", "(?m)", "(?-m)", "(?U)", "(?i-s)", "(?)", "(?ii)"]
GROUPS = ["(", "(?:", "(?P<n>", "(?<name_1>", "(?i:", "(?s-i:"]


def sample(random: Random, pieces: Pieces, depth: int) -> tuple[str, str]:
    """A pattern, and a text that it would match if flags and assertions did not matter."""
    kind = random.randrange(10) if depth else 0
    if kind < 2:
        pattern, texts = random.choice(random.choice((pieces, WORDS)))
        return pattern, random.choice(texts) if texts else pattern.strip(r"^$\bQE")
    if kind < 6:
        parts = [sample(random, pieces, depth - 1) for _ in range(random.randint(2, 4))]
        return "".join(part[0] for part in parts), "".join(part[1] for part in parts)
    if kind == 6:
        options = [sample(random, pieces, depth - 1) for _ in range(random.randint(2, 3))]
        return f"(?:{'|'.join(pattern for pattern, _ in options)})", random.choice(options)[1]
    pattern, text = sample(random, pieces, depth - 1)
    if kind == 7:
        return random.choice(GROUPS) + pattern + ")", text
    if kind == 8 and random.randrange(2):
        return random.choice(FLAGS) + pattern, text
    low, high = sorted(random.choices(range(7), k=2))
    sign = random.choice(["*", "+", "?", f"{{{low},{high}}}", f"{{{low},}}", f"{{{low}}}"])
    count = random.randint(0, 1) if sign == "?" else random.randint(low, high)
    pattern = pattern if len(pattern) == 1 else f"(?:{pattern})"
    return pattern + sign + random.choice(["", "", "?"]), text * count


def with_surroundings(random: Random, text: str) -> str:
    before, after = ("".join(random.choices("aKs_ \n-(1", k=random.randrange(4))) for _ in "12")
    return before + (text.swapcase() if random.randrange(3) == 0 else text) + after


def naive_keys(text: bytes) -> frozenset[int]:
    return frozenset(key(*text[at : at + 3]) for at in range(len(text) - 2))


def holds(query: Query, keys: frozenset[int]) -> bool:
    return query.keys <= keys and all(
        any(holds(member, keys) for member in group) for group in query.groups
    )


def found_lines(pattern: str, raw: bytes, flags: dict[str, bool]) -> list[int]:
    found = searchable(raw)
    assert found
    return list(matching_lines(found.text, compile_pattern(pattern, **flags)))


def check_query(random: Random) -> int:
    """Check one random pattern; returns whether it matched."""
    pattern, text = sample(random, SHARED + RE2_ONLY + CASED, 4)
    flags = {"ignore_case": random.randrange(2) == 0, "multiline": random.randrange(2) == 0}
    found = searchable(with_surroundings(random, text).encode())
    try:
        compiled = compile_pattern(pattern, **flags)
    except UsageError:  # nested too much, for RE2
        return 0
    if not found or not any(matching_lines(found.text, compiled)):
        return 0
    query = analyse(pattern, **flags).query
    if not (found.exotic and query.folds):
        assert holds(query, naive_keys(framed(found.text))), (pattern, found, flags)
    return 1


@pytest.mark.parametrize("end", [r"\n", r"\s", r"\n$", r"\s+$", r"\s*\z", r"\n\z", "[^x]$", "$"])
def test_no_match_at_the_end_of_a_text_is_left_out(end: str) -> None:
    for text in ("a foo\n", "a foo\r\n", "foo \n\n", "foo\n\r\nx\n"):
        found = searchable(text.encode())
        assert found
        compiled = compile_pattern(f"foo{end}", multiline=True)
        if any(matching_lines(found.text, compiled)):
            query = analyse(f"foo{end}", multiline=True).query
            assert holds(query, naive_keys(framed(found.text))), text


@pytest.mark.parametrize("seed", range(4))
def test_no_match_is_left_out(seed: int) -> None:
    random = Random(seed)
    assert sum(check_query(random) for _ in range(1500)) > 500


@pytest.mark.parametrize("times", range(8))
def test_no_match_of_a_repeat_is_left_out(times: int) -> None:
    """Of more copies than are looked at together, too, in whatever order the alternatives come."""
    pattern = f"x(?:ab|cd){{{times}}}y"
    query = analyse(pattern).query
    for parts in itertools.product(("ab", "cd"), repeat=times):
        text = f"x{''.join(parts)}y"
        assert re.fullmatch(pattern, text)
        assert holds(query, naive_keys(text.encode())), text
    assert (query != ANYTHING) is (times > 0)


def check_repeat(random: Random) -> int:
    """Check a repeat of which Python finds a match; returns whether anything is required."""
    options = random.sample("ab cd xyz foo Key é abcd z".split(), k=random.randint(1, 3))
    low, high = sorted(random.choices(range(9), k=2))
    sign = random.choice([f"{{{low}}}", f"{{{low},{high}}}", f"{{{low},}}"])
    times = low if sign == f"{{{low}}}" else random.randint(low, high)
    before, after = (random.choice(["", "a", "xy", "foo"]) for _ in "12")
    pattern = f"{before}(?:{'|'.join(options)}){sign}{after}"
    text = f"-{before}{''.join(random.choices(options, k=times))}{after}-"
    assert re.search(pattern, text)
    query = analyse(pattern).query
    assert holds(query, naive_keys(framed(text.encode()))), (pattern, text)
    return query != ANYTHING


@pytest.mark.parametrize("seed", range(2))
def test_no_match_that_python_finds_of_a_repeat_is_left_out(seed: int) -> None:
    random = Random(seed)
    assert sum(check_repeat(random) for _ in range(1500)) > 700


def check_ripgrep(pattern: str, raw: bytes, flags: dict[str, bool]) -> None:
    command = [str(RIPGREP), "--no-config", "--crlf", "--line-number"]
    command += ["--ignore-case"] * flags["ignore_case"]
    command += ["--multiline", "--multiline-dotall"] * flags["multiline"]
    command += [f"--regexp={pattern}", "-"]
    run = subprocess.run(command, input=raw, capture_output=True, check=False)
    assert run.returncode < 2, (pattern, run.stderr.decode())
    lines = [int(line.split(b":")[0]) for line in run.stdout.splitlines()]
    assert lines == found_lines(pattern, raw, flags), (pattern, raw, flags)


def check_portable(random: Random) -> int:
    """Check one random pattern; returns whether it is portable."""
    pieces = SHARED if random.randrange(4) else SHARED + RE2_ONLY + CASED
    pattern, text = sample(random, pieces, 3)
    flags = {"ignore_case": random.randrange(2) == 0, "multiline": random.randrange(2) == 0}
    try:
        compile_pattern(pattern, **flags)
    except UsageError:
        return 0
    if not analyse(pattern, **flags).portable:
        return 0
    text = "".join(filter(lambda letter: letter.isascii() and letter != "\v", text))
    lines = [*with_surroundings(random, text).split("\n"), "", *text.swapcase().split("\n")]
    raw = "".join(line + random.choice(["\n", "\r\n"]) for line in lines).encode()
    check_ripgrep(pattern, raw, flags)
    if raw.strip():  # an empty file has no lines
        check_ripgrep(pattern, raw.rstrip(b"\r\n"), flags)
    return 1


@pytest.mark.parametrize("seed", range(2))
def test_ripgrep_finds_the_same_lines(seed: int) -> None:
    random = Random(seed)
    assert sum(check_portable(random) for _ in range(400)) > 60


@pytest.mark.parametrize("ignore_case", [False, True])
def test_ripgrep_reads_each_piece_alike(ignore_case: bool) -> None:
    every = b"\r\n".join(bytes([byte]) for byte in range(1, 128) if byte not in b"\n\v\r")
    flags = {"ignore_case": ignore_case, "multiline": False}
    for pattern, _ in SHARED + WORDS:
        assert analyse(pattern, **flags).portable, pattern
        check_ripgrep(pattern, every, flags)
    for pattern, _ in RE2_ONLY:
        assert not analyse(pattern, **flags).portable, pattern
