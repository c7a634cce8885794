"""Whether a sentence refers to something that was named before it.

A pronoun that is an object in the first clause is not the subject of that clause: in "`send` calls
it", what is called stands in an earlier sentence. Further on it may be anything that the sentence
names, as in "`send` closes the connection when it fails".
"""

from __future__ import annotations

import re

_CODE = re.compile(r"`[^`]*`")
_THINGS = "it|them|this|these|those"
_NEXT_CLAUSE = re.compile(
    r"[,;:(]|[.!?]\s|\b(?:and|or|but|if|unless|whether|when(?:ever)?|while|until|once|after|before"
    r"|because|although|since|so|as|than|which|who|whose|where|what|how|why"
    rf"|to(?! (?:{_THINGS})\b)|that(?!\W*$|,| (?:in|for|by|at|from|with)\b))\b"
    rf"(?! (?:{_THINGS})(?:\W*$|,))",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\S+ (?:.* )?(?:(?<=\bof )(?:it|them)"
    r"|(?:these|this|that)(?=\W*$| (?:is|are|was|were|in|for|by|at|from|with|once|twice)\b)"
    r"|(?<!\b[io]n )(?:it|them|there)"  # "has a header in it"
    r"(?! (?:is|are|was|were|has|had|can|may|must|will"  # "the file it opens"
    r"|[a-z]{2,}(?:[^aiusy\W]s|ed))\b))(?![\w'\u2019])",
    re.IGNORECASE,
)
_LIKEWISE = re.compile(  # "`close` does, too."
    r"\b(?:do|does|did)(?: not|n['\u2019]t)?"
    r"(?:,? (?:too|so|likewise|either|as well|the same)\b|\W*$)"
    r"|\b(?:is|are|was|were|has|have|had|can|may|must|will)(?: not|n['\u2019]t)?, too\b",
    re.IGNORECASE,
)
_THAT_ONE = re.compile(  # "`None` is replaced by that default."
    r"\b(?:by|from|in|into|of|to|with) that [a-z]+\W*$", re.IGNORECASE
)


def refers_back(sentence: str) -> bool:
    """Whether an object of its first clause, its end, or what it says was named in an earlier one.

    A pronoun at its beginning, which refers back in another way, does not count.
    """
    plain = " ".join(_CODE.sub("x", sentence).split())
    clause = _NEXT_CLAUSE.split(plain, maxsplit=1)[0]
    found = _OBJECT.match(clause) or _LIKEWISE.search(plain) or _THAT_ONE.search(plain)
    return found is not None
