"""What the rest of a definition says of a denial that a model found in a part of it.

A model is asked about the cited lines alone. That a function never does something it can only tell
of those; so the other lines are looked through for the names of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from glossator.grounding.checking import Judgement, Verdict
from glossator.grounding.cited import CitedLines, Code, Evidence, bodies, holds
from glossator.grounding.claims import claims_of
from glossator.grounding.encoding import encoded
from glossator.grounding.evidence import find
from glossator.grounding.wording import Kind, Token, tokens_of

_NAMED: Final = frozenset({Kind.NAME, Kind.STRING, Kind.FRAGMENT, Kind.NUMBER})
_OF_SOME: Final = re.compile(  # then it is about a part of the definition, or about all the others
    r"\b(?:only|here|this|these|branch|case|lines?|part|block|first|then|yet|until|before|after|if|else"
    r"|when|while|unless|otherwise|directly|itself|again|twice)\b",
    re.IGNORECASE,
)
_READS: Final = re.compile(
    r"(?:never|not|n't) (?:reads?|uses?|mentions?|looks? at|touch(?:es)?|access(?:es)?"
    r"|refers? to|consults?|inspects?|checks?) (?:the )?(?P<name>N\d+)(?!\d)"
)


def by_rest(statement: str, cited: Sequence[CitedLines], rest: Sequence[CitedLines]) -> Judgement:
    """Whether a denial that its cited lines carry holds of the rest of its definition, too.

    It is supported if none of its names stands there, contradicted if what it denies is written
    there, else undecided.
    """
    tokens = tokens_of(statement)
    codes = [Code(each) for each in rest]
    owners = [Code(each) for each in cited]
    names = [each for each in tokens if each.kind in _NAMED and not _is_owner(each, owners)]
    there = next((line for each in names if (line := _line_of(each, rest))), None)
    if names and there is None and not re.search(r"\bonly\b", statement, re.IGNORECASE):
        return Judgement(Verdict.SUPPORTED)
    if there is None or _OF_SOME.search(statement) or not _is_written(tokens, codes):
        return Judgement(Verdict.UNDECIDED)
    reason = f"Another line of the same definition says otherwise: line {there}."
    return Judgement(Verdict.CONTRADICTED, reason)


def _is_owner(token: Token, cited: Sequence[Code]) -> bool:
    """Whether it names the definition that the lines begin or stand in."""
    first = {each.name for code in cited for each in code.definitions[:1]}
    return token.inside or token.last in first or any(code.is_within(token) for code in cited)


def _line_of(token: Token, rest: Sequence[CitedLines]) -> int | None:
    """The first line that holds a name or text, 1-based; of quoted code, each of its names."""
    words = re.findall(r"\w+", token.text) if token.kind is not Kind.NAME else [token.last]
    for each in rest:
        for number, line in enumerate(each.lines, each.first_line):
            if words and all(holds(line, word) for word in words):
                return number
    return None


def _is_written(tokens: Sequence[Token], codes: Sequence[Code]) -> bool:
    """Whether the lines say what the statement denies."""

    def known(word: str) -> bool:
        return any(code.has(word) for code in codes)

    for clause in claims_of(tokens, known):
        denied = [each for each in clause if each.negated and each.sure and not each.condition]
        if denied and all(any(find(e, c) is Evidence.FOUND for c in codes) for e in denied):
            return True
    read = _READS.search(encoded(tokens, known))
    if read is None:
        return False
    name = tokens[int(read["name"][1:])].text
    chain = re.escape(name).replace(r"\.", r"\??\.")
    pattern = rf"(?<![\w$]){chain}(?![\w$])(?!\s*=(?!=))"  # not where it is set
    return any(re.search(pattern, bodies(code.text)) for code in codes)
