"""Says claims in English, in the words of `phrasings.toml` and in several styles."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from glossator_eval.facts import KINDS, Terms

HALVES = ("dev", "held-out")
_FILE = Path(__file__).with_name("phrasings.toml")
_SLOT = re.compile(r"\{(\w+)\}")
_COMPARED = "{a} {o} {x}"
_PLACED_ITSELF = ("In {", "From {", "If ", "When ", "Whenever ", "After {", "Since {")
_FRAME = "{said}"
_NO_FRAME = 30
_NUMBERS = "no one two three four five six seven eight nine ten".split()
_CALLED = frozenset("fgmh")  # slots of what may be written with ()
_SORTS = {"interface": "an interface", "enum": "an enum"}

Pair: TypeAlias = tuple[str, str]  # a statement and its negation
Clause: TypeAlias = tuple[str, re.Pattern[str]]  # and the words of code that it could be true of


@dataclass(frozen=True, slots=True)
class Style:
    """How names are written, and whether the file is named before them."""

    ticks: bool  # `name`, or bare
    bold: bool  # the subject
    called: bool  # name() for functions
    qualified: bool  # Class.name for methods
    short: bool  # path.join for os.path.join
    digits: bool  # 3 for three
    place: str  # how the file is named before it: "", "name" or "path"
    frame: int  # which frame, or one that is not there
    word: int  # which word for an operator

    @staticmethod
    def drawn(chance: random.Random) -> Style:
        """One as frequent as it is in explanations that models write."""
        return Style(
            ticks=chance.random() < 0.75,
            bold=chance.random() < 0.05,
            called=chance.random() < 0.25,
            qualified=chance.random() < 0.4,
            short=chance.random() < 0.3,
            digits=chance.random() < 0.5,
            place=chance.choices(("", "name", "path"), (8, 1, 1))[0],
            frame=chance.randrange(_NO_FRAME),
            word=chance.randrange(12),
        )

    def plain(self) -> Style:
        """Without anything around the sentence."""
        return replace(self, place="", frame=_NO_FRAME)


@dataclass(frozen=True, slots=True)
class Phrasings:
    """The phrasings of each kind, words for the operators, and what may stand around or behind."""

    pairs: Mapping[str, Sequence[Pair]]
    operators: Mapping[str, Sequence[str]]
    frames: Sequence[str]
    clauses: Sequence[Clause]

    def say(
        self,
        template: str,
        kind: str,
        terms: Terms,
        style: Style,
        *,
        owner: str = "",
        path: str = "",
    ) -> str:
        """The sentence; `owner` stands before the subject where that is qualified: `Class.`."""
        slots = dict(zip(KINDS[kind], terms, strict=True))
        said = template.replace(_COMPARED, self._compared(slots, style))
        parts = said.split("`")
        for number, part in enumerate(parts):
            code = number % 2 == 1

            def one(found: re.Match[str], *, code: bool = code) -> str:
                slot = found[1]
                subject = slot == KINDS[kind][0]
                return _shown(slot, slots[slot], style, owner if subject else "", code, subject)

            parts[number] = _SLOT.sub(one, part)
        text = ("`" if style.ticks else "").join(parts)
        within = text if template.startswith(("{", "`")) else text[0].lower() + text[1:]
        if style.place and not template.startswith(_PLACED_ITSELF):
            named = path if style.place == "path" else PurePosixPath(path).name
            return f"In {_code(named, style)}, {within}"
        if style.frame < len(self.frames):
            frame = self.frames[style.frame]
            return frame.replace(_FRAME, within if frame[0].isalpha() else text)
        return text

    def _compared(self, slots: Mapping[str, str], style: Style) -> str:
        """`{a} is less than {x}`, or the three as one piece of code; "" if there is no operator."""
        if "o" not in slots:
            return ""
        words = self.operators[slots["o"]]
        word = words[style.word % len(words)]
        return f"`{{a}} {word} {{x}}`" if word == slots["o"] else f"{{a}} {word} {{x}}"


@cache
def phrasings(half: str = "all") -> Phrasings:
    """Those of one of `HALVES`, or all."""
    halves = HALVES if half == "all" else (half,)
    table = tomllib.loads(_FILE.read_text("utf-8"))
    operators: dict[str, list[str]] = {}
    for name in halves:
        for sign, words in table["operators"][name].items():
            operators.setdefault(sign, []).extend(words)
    pairs = {
        kind: tuple(
            (positive, negative) for name in halves for positive, negative in table[kind][name]
        )
        for kind in KINDS
    }
    frames = [each for name in halves for each in table["frames"][name]]
    clauses = [
        (clause, re.compile(words, re.IGNORECASE))
        for name in halves
        for clause, words in table["clauses"][name]
    ]
    return Phrasings(pairs, operators, frames, clauses)


def slots_in(template: str) -> frozenset[str]:
    """The slots that a template says."""
    return frozenset(_SLOT.findall(template))


def _shown(slot: str, term: str, style: Style, owner: str, code: bool, subject: bool) -> str:
    if slot == "count":
        number = int(term)
        return term if style.digits or number >= len(_NUMBERS) else _NUMBERS[number]
    if slot == "sort":
        return _SORTS.get(term, f"a {term}")
    text = term
    if style.short and slot in "gd" and re.fullmatch(r"[\w.]+", term):
        text = term.rpartition(".")[2]
    if owner and style.qualified and not code:
        text = f"{owner}{text}"
    if style.called and slot in _CALLED and not code:
        text += "()"
    if code:
        return text
    if subject and style.bold and style.ticks:
        return f"**`{text}`**"
    return _code(text, style)


def _code(text: str, style: Style) -> str:
    return f"`{text}`" if style.ticks else text
