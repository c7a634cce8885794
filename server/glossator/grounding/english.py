"""English words that are no names of code, whatever the code calls its things."""

from __future__ import annotations

import re
from typing import Final

VERBS: Final = (
    r"calls?|invokes?|delegates?|uses?|contains?|includes?|raises?|throws?|catch(?:es)?|handles?"
    r"|returns?|yields?|inherits?|extends?|imports?|defaults?|sets?|assigns?|takes?|accepts?|has"
    r"|expects?|defines?|declares?|makes?|checks?|tests?|is|are|carries|can|may|must|does|doesn't"
    r"|requires?|isn't|receives?|rel(?:y|ies)|runs?|needs?|stores?|updates?|writes?|gives?|fails?"
    r"|signals?|swallows?|deals?|intercepts?|evaluates?|ends?|comes|belongs?|builds?|derives?"
    r"|mentions?|executes?|triggers?|wraps?|produces?|awaits?|initiali[sz]es?|compares?|treats?"
    r"|appears?|holds?|equals|implements?|subclasses|overrides?|decorates?|precedes?|follows?"
    r"|exceeds?|differs?|lacks?|omits?|gets?|lets|cannot|can't|will|should|would|never|not"
)

NEUTRAL: Final = frozenset(
    """
    doesn't don't isn't aren't won't can't didn't doesn needs need makes make made gets get
    got own single once again whether tests verifies verify there ever actually simply
    directly immediately explicitly internally always also given name length size comes come
    passed pass equal initialised initialized stores store requires require carries carry
    bears uses using calling raising returning throwing catching importing inheriting
    extending taking accepting words shows show says say above below under over beyond lower
    higher bigger longer shorter fewer matches same different differs identical must strictly
    compare compares compared treat treats treated case cases condition conditions clause part
    parts place places list lists result results back instance instances object objects kind
    hint hints text literal constant field fields attribute attributes property properties
    member members code line lines block body statement expression declaration definition
    definitions program project package library file's there's it's that's exactly precisely
    merely really indeed therefore thus hence also still even already yet again now later
    earlier finally eventually afterwards anywhere somewhere everywhere nowhere according
    looking seen see note noting stated states means meaning say told otherwise unless
    during along together plus further well such very quite rather hidden visible
    belongs belong goes go going keeps keep leaves leave lets let done do stands stand
    reads read sees seen written write using used through onto upon toward towards
    particular certain specific given default defaults omitted left off out no such
    ordinary normal plain regular common usual value's lazily eagerly iterate iterated iteration
    over consumers consumer users people anyone everyone who something anything control work
    behaviour behavior top bottom start starts end ends beginning path paths way ways leads lead
    lives live found find touches touch alone untouched unchanged lazy sync whole entire
    produce produces produced produces become becomes turn turns act acts works serve serves
    caller's callee callees callers every
    """.split()
)
NAMING: Final = frozenset(
    """
    method function parameter argument class called named constant decorator
    """.split()
)
ENGLISH: Final = frozenset(
    """
    among every whose position positionally below above inside within ends whenever once
    i we you he she they me us him her one's there here python javascript this everything
    nothing code error callers caller users user a an the it is are was were be been being
    not no never in on at to of for from by as if when while unless because since until
    before after then than and or nor but so that these which who where how what all any
    both each only also just itself its their has have had does do did can may must will
    would should called calls call invoke invokes use uses used raise raises raised throw
    throws thrown catch catches caught handle handles handled return returns returned yield
    yields yielded inherit inherits extends extend derive derives subclass base parent
    superclass implement implements import imports imported default defaults set sets equal
    equals assigned assigns assign take takes accept accepts expect expects receive receives
    value values type types argument arguments parameter parameters method methods function
    functions class classes module modules file files string strings literal literals number
    numbers keyword keywords optional required decorator decorated async asynchronous
    synchronous coroutine generator interface struct enum trait constant property signature
    annotated awaited define defines defined declare declares declared contain contains
    include includes appear appears check checks test tests branch greater less larger
    smaller least most more exceeds exceed with without first always new back up out two one
    three four five six none true false named exactly except via
    either itself per just about around like some many few own callers need needs pass passed
    given makes make made run runs running name names type typed length size
    """.split()
)

NEGATION: Final = (
    r"(?:not|no|never|neither|nor|without|nothing|none|nowhere|nobody|cannot|lacks?|omits?"
    r"|fails? to|\w+n't)"
)
_NEGATION: Final = re.compile(rf"{NEGATION}|rather|instead|unlike")
_DENIAL: Final = re.compile(
    rf"\b(?:{_NEGATION.pattern}|only|alone|solely|exclusively|unused|skip\w*|ignor\w+|avoid\w*)(?!\w)"
)


def is_negation(word: str) -> bool:
    """Whether a word, in lower case, says that something is not so."""
    return _NEGATION.fullmatch(word) is not None


def denies(words: str) -> bool:
    """Whether words, in lower case, say that something is not so, or is so of some alone."""
    return _DENIAL.search(words) is not None


def is_english(word: str) -> bool:
    """Whether a word stands for no name, in lower case."""
    return word.lower() in ENGLISH
