"""What the rest of a definition says of a denial that a model found in a part of it.

A model is asked about the cited lines alone. That a function never does something it can only tell
of those; so the other lines are looked through for the names of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from glossator.grounding.checking import Judgement, Verdict
from glossator.grounding.cited import CitedLines, Code, Evidence, bodies, code_only, holds
from glossator.grounding.claim import Relation
from glossator.grounding.claims import claims_of
from glossator.grounding.encoding import encoded
from glossator.grounding.english import is_english
from glossator.grounding.evidence import find
from glossator.grounding.wording import Kind, Token, tokens_of

_NAMED: Final = frozenset({Kind.NAME, Kind.STRING, Kind.FRAGMENT, Kind.NUMBER})
_OF_SOME: Final = re.compile(  # then it is about a part of the definition, or about all the others
    r"\b(?:only|here|this|these|branch|case|lines?|part|block|first|then|yet|until|before|after|if|else"
    r"|when|while|unless|otherwise|directly|itself|again|twice)\b",
    re.IGNORECASE,
)
_READS: Final = re.compile(
    r"(?:never|not|n't) (?:reads?|uses?|mentions?|looks? at|access(?:es)?|refers? to) (?:the )?"
    r"(?P<name>N\d+)(?!\d)"
)
_STEM: Final = re.compile(  # "retr" of "retries", "log" of "logging"
    r"(?P<stem>\w{3,}?)(?:(?<=(?P<last>[^aeiou\W]))(?P=last))?(?:ing|ed|ies|es|s|e|y|er)?"
)


def by_rest(statement: str, cited: Sequence[CitedLines], rest: Sequence[CitedLines]) -> Judgement:
    """Whether a denial that its cited lines carry holds of the rest of its definition, too.

    It is supported if none of its names and words stands there, contradicted if what it denies is
    written there, else undecided.
    """
    tokens = tokens_of(statement)
    codes = [Code(each) for each in rest]
    owners = [Code(each) for each in cited]
    names = [each for each in tokens if each.kind in _NAMED and not _is_owner(each, owners)]
    is_named = any(_is_there(each, rest) for each in names)
    is_about_all = re.search(r"\bonly\b", statement, re.IGNORECASE) is not None
    if names and not is_named and not is_about_all and not _is_worded(tokens, codes):
        return Judgement(Verdict.SUPPORTED)
    if not is_named or _OF_SOME.search(statement) or not _is_written(tokens, codes):
        return Judgement(Verdict.UNDECIDED)
    return Judgement(Verdict.CONTRADICTED, "Another line of the same definition says otherwise.")


def _is_owner(token: Token, cited: Sequence[Code]) -> bool:
    """Whether it names the definition that the lines begin or stand in."""
    first = {each.name for code in cited for each in code.definitions[:1]}
    return token.inside or token.last in first or any(code.is_within(token) for code in cited)


def _is_there(token: Token, rest: Sequence[CitedLines]) -> bool:
    """Whether a line holds a name or text; of quoted code, each of its names."""
    words = re.findall(r"\w+", token.text) if token.kind is not Kind.NAME else [token.last]
    lines = (line for each in rest for line in each.lines)
    return bool(words) and any(all(holds(line, word) for word in words) for line in lines)


def _is_worded(tokens: Sequence[Token], codes: Sequence[Code]) -> bool:
    """Whether the lines hold a word of the sentence in any form: `retry(3)` for "retries"."""
    words = [each.text for each in tokens if each.kind is Kind.WORD and not is_english(each.text)]
    stems = {found["stem"].lower() for word in words if (found := _STEM.fullmatch(word))}
    text = "\n".join(code.text for code in codes).lower()
    return any(stem in text for stem in stems)


def _is_written(tokens: Sequence[Token], codes: Sequence[Code]) -> bool:
    """Whether the lines say what the statement denies."""

    def known(word: str) -> bool:
        return any(code.has(word) for code in codes)

    bare = [Code(_without_texts(code.cited)) for code in codes]
    for clause in claims_of(tokens, known):
        denied = [
            (each, bare if each.relation is Relation.USES else codes)
            for each in clause
            if each.negated and each.sure and not each.condition
        ]
        if denied and all(any(find(e, c) is Evidence.FOUND for c in among) for e, among in denied):
            return True
    read = _READS.search(encoded(tokens, known))
    if read is None:
        return False
    name = tokens[int(read["name"][1:])].text
    chain = re.escape(name).replace(r"\.", r"\??\.")
    pattern = rf"(?<![\w$]){chain}(?![\w$])(?!\s*=(?!=))"  # not where it is set
    return any(re.search(pattern, bodies(code.text)) for code in bare)


def _without_texts(cited: CitedLines) -> CitedLines:
    return replace(cited, lines=tuple(code_only("\n".join(cited.lines)).split("\n")))
