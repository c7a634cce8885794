"""The literal that every match of a pattern holds."""

from __future__ import annotations

from random import Random

import pytest

from glossator.core.errors import UsageError
from glossator.index.required import analyse
from glossator.search.scan import compile_pattern
from tests.workspace_text.test_required_random import SHARED, sample


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"func \w+Scheduler\(", b"Scheduler("),
        (r"\bint32\b", b"int32"),
        (r"(?:ab(cd)e)+x?", b"abcde"),
        (r"(?:ab)*cdef?", b"cde"),
        (r"\w+\(\w+, \w+\)", b""),
        ("straße|weg", b""),
        ("stra(ß)e", "straße".encode()),
        ("(?i)abc", b""),
        ("[a]bc[de]", b"abc"),
        (r"^\s*$", b""),
    ],
)
def test_the_longest_one_is_found(pattern: str, literal: bytes) -> None:
    assert analyse(pattern).literal == literal


@pytest.mark.parametrize("seed", range(3))
def test_every_match_holds_it(seed: int) -> None:
    random = Random(seed)
    held = 0
    for _ in range(500):
        pattern, matching = sample(random, SHARED, 2)
        try:
            regex = compile_pattern(pattern).regex
        except UsageError:
            continue
        literal = analyse(pattern).literal
        for match in regex.finditer(matching.encode("utf-8", "surrogatepass")):
            found = matching.encode("utf-8", "surrogatepass")[match.start() : match.end()]
            assert literal in found, pattern
            held += bool(literal)
    assert held > 50
