"""Judges the sentences of an answer while it streams, and the whole answer once it is complete.

Checks without a model come first, in a thread. What they leave open is asked of the fast model, in
batches, several sentences at once while words arrive. Nothing waits for it until the answer is
whole, and then not for long. No failure of it ends a run: what nobody judged keeps what the checks
found, and a notice says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Self

from glossator.application import Application
from glossator.core.document import Document
from glossator.core.errors import ModelError, UsageError
from glossator.core.events import CitationChecked, Event
from glossator.core.file_kinds import CODE
from glossator.core.run_events import UncitedClaim
from glossator.core.span import Citation
from glossator.grounding import (
    MOST_JUDGED,
    NO_CALLS,
    Calls,
    CallSite,
    CheckedAnswer,
    CitedLines,
    CitedStatement,
    Claim,
    Entailed,
    Judgement,
    Key,
    Sources,
    Verdict,
    by_checks,
    calls_wanted,
    carrying_lines,
    cited_statements,
    claim_of,
    entailment,
    is_for_model,
    merged_all,
    place_of,
    settled,
)
from glossator.llm import Meter, ask_for_json
from glossator.symbols import (
    CALLS,
    Definition,
    Limits,
    Name,
    SearchScope,
    Use,
    is_call_of,
    may_need_imports,
    only_definition,
)
from glossator.turn.judged.proofs import SECONDS as PROVING_SECONDS
from glossator.turn.judged.proofs import call_site, prove
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

logger = logging.getLogger(__name__)

LOOK_UP_SECONDS = 3.0  # for all names of a look at an answer

_LIMITS = Limits(texts=300, hits=100, seconds=1.0)


async def calls_of(app: Application, names: Iterable[str]) -> Calls:
    """The calls of these names in visible files, as far as `LOOK_UP_SECONDS` suffice to find them.

    Names that cannot be looked up are left out: finding no call proves nothing.
    """
    snapshot = app.host.snapshot()
    found: dict[str, tuple[CallSite, ...]] = {}
    try:
        async with asyncio.timeout(LOOK_UP_SECONDS):
            for name in names:
                try:
                    found[name] = await _calls_of(app, snapshot, Name.parse(name))
                except (WorkerGone, JobFailed, UsageError) as failure:
                    logger.warning("Calls of %s were not looked up: %s", name, failure)
    except TimeoutError:
        logger.warning("Not all calls were looked up within %g s", LOOK_UP_SECONDS)
    return found


async def _calls_of(
    app: Application, snapshot: WorkspaceSnapshot, name: Name
) -> tuple[CallSite, ...]:
    """The calls that are spelled so."""
    may_be_shown = SearchScope(languages=CODE, hides=app.acting.hidden())
    uses = await app.symbols.uses(snapshot, name, CALLS, may_be_shown, _LIMITS)
    if not uses.hits:
        return ()
    everywhere = SearchScope(languages=CODE)
    definition = only_definition(await app.symbols.definitions(snapshot, name, everywhere, _LIMITS))
    return tuple([await _site(app, snapshot, each, definition) for each in uses.hits])


async def _site(
    app: Application, snapshot: WorkspaceSnapshot, use: Use, definition: Definition | None
) -> CallSite:
    is_sure = definition is not None and is_call_of(use, definition)
    if definition is not None and not is_sure and may_need_imports(use, definition):
        document = await asyncio.to_thread(snapshot.read, use.line.path)
        if isinstance(document, Document) and document.sha256 == use.line.sha256:
            imports = await app.symbols.imports(snapshot, document)
            is_sure = is_call_of(use, definition, imports)
    return call_site(snapshot, use, sure=is_sure)


SECONDS = 15.0  # that a whole answer waits for the model

_MIN_PAUSE_SECONDS = 0.2  # between two looks at the streaming reply
_PAUSE_FACTOR = 4  # the pause lasts this many times as long as a look; each parses the whole text
_BATCHING_SECONDS = 2.0  # that sentences wait, so that one request asks about more of them
_ENOUGH = 4  # sentences that do not wait for others
_TOO_LONG_NOTICE = (
    f"The answer is very long: only its first {MOST_JUDGED:,} characters were judged, and citations"
    " behind count as read at best."
)
Claims = dict[Key, Claim]

_ENDS = frozenset(".!?:…]`|\n")  # after these a sentence may be complete


@dataclass(slots=True)
class _Found:
    """The verdicts on statements so far, and those of the current reply that were shown."""

    checks: dict[Key, Judgement] = field(default_factory=dict)
    claims: dict[Key, Claim] = field(default_factory=dict)  # that no server answered to
    told: dict[Key, Entailed] = field(default_factory=dict)
    asked: set[Key] = field(default_factory=set)
    shown: dict[object, Citation] = field(default_factory=dict)
    uncited: set[UncitedClaim] = field(default_factory=set)


def _nothing(_: object) -> None:
    """Shows nothing; used where nobody watches the verdicts."""


class Judging:
    """Judges the words of one run or one sub-agent, as long as its block lasts.

    `sources` gives the lines that the words are compared with. `show` gets citations and claims
    while a reply streams, `tell` gets notices for people. Without `asks`, the model is not asked.
    Language servers have `proving` seconds for proofs; where that is given, they may be started.
    """

    def __init__(
        self,
        app: Application,
        meter: Meter,
        sources: Callable[[], Awaitable[Sources]],
        *,
        asks: bool = True,
        proving: float | None = None,
        show: Callable[[Event], None] = _nothing,
        tell: Callable[[str], None] = _nothing,
    ) -> None:
        self._meter, self._sources = meter, sources
        self._settled = app.anchors.settled
        self._calls_of = partial(calls_of, app)
        seconds = PROVING_SECONDS if proving is None else proving
        self._prove = partial(prove, app, seconds=seconds, begins=proving is not None)
        self._show, self._tell = show, tell
        self._model = app.models.fast
        self._asks = asks and app.settings.grounding.entailment and not self._model.offline
        self._text, self._replies = "", 0  # the reply under way, and how many there were
        self._heard = asyncio.Event()
        self._looked = asyncio.Event()  # there may be more sentences to ask about
        self._told_long = False
        self._found = _Found()
        self._statements: tuple[CitedStatement, ...] = ()  # complete ones of the reply under way
        self._listening: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None  # begins requests while a reply streams
        self._requests: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end()

    def hear(self, text: str) -> None:
        """Take the next piece of the current reply."""
        if len(self._text) > MOST_JUDGED:
            return
        self._text += text
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())
        if not _ENDS.isdisjoint(text):
            self._heard.set()

    def discard(self) -> None:
        """Forget the current reply; another one begins."""
        self._text, self._statements = "", ()
        self._replies += 1
        self._found.shown.clear()
        self._found.uncited.clear()
        for request in self._requests:
            request.cancel()  # its sentences are gone

    async def judged(self, answer: str, seconds: float | None = None) -> CheckedAnswer:
        """The verdicts on the whole answer; the model has `seconds` for those still open."""
        await self._stop_listening()
        statements, others = await self._check(answer)
        if len(answer) > MOST_JUDGED and not self._told_long:
            self._told_long = True
            self._tell(_TOO_LONG_NOTICE)
        seconds = SECONDS if seconds is None else min(SECONDS, seconds)
        if seconds > 0:
            left = self._open(statements)
            too_long = [each.key for each in left if entailment.is_too_long(each)]
            self._found.told |= dict.fromkeys(too_long, entailment.TOO_LONG)
            for batch in entailment.batches(left):
                self._ask_about(batch)
        await self._wait_for_answers(seconds)
        return merged_all(statements, others, self._found.checks, self._found.told)

    async def cited(self, answer: str) -> tuple[CitedStatement, ...]:
        """The statements of an answer with the lines that they cite."""
        return (await self._check(answer))[0]

    async def carrying(
        self, fallen: Iterable[CitedStatement], answer: Sequence[CitedStatement]
    ) -> list[CitedLines]:
        """The shown lines that may carry the fallen statements of an answer, if a request has room.

        They stand beside those that the statements cite; see `grounding/correction_lines.py`.
        """
        sources = await self._sources()

        def work() -> list[CitedLines]:
            return list(entailment.that_fit(carrying_lines(fallen, answer, sources)))

        return await asyncio.to_thread(work)

    async def end(self) -> None:
        """Stop judging."""
        await self._stop_listening()
        await _ended(self._requests)

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._heard.wait()
            self._heard.clear()
            began = loop.time()
            await self._look()
            await asyncio.sleep(max(_MIN_PAUSE_SECONDS, _PAUSE_FACTOR * (loop.time() - began)))

    async def _look(self) -> None:
        """Judge the sentences that are complete by now."""
        text, reply = self._text, self._replies
        statements, _ = await self._check(text, is_whole=False)
        complete = await asyncio.to_thread(settled, text, statements)
        if reply != self._replies:  # discarded meanwhile: its verdicts belong to no text any more
            return
        self._statements = complete
        self._tell_news()
        self._looked.set()
        if self._open(self._statements) and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask_soon())

    async def _check(
        self, text: str, *, is_whole: bool = True
    ) -> tuple[tuple[CitedStatement, ...], tuple[Citation, ...]]:
        await self._settled()  # else a fact whose file was just touched would count as stale
        sources, known = await self._sources(), self._found.checks

        def work() -> tuple[
            tuple[CitedStatement, ...], tuple[Citation, ...], dict[Key, Judgement], Claims
        ]:
            statements, others = cited_statements(text, sources, is_whole=is_whole)
            fresh = [each for each in statements if each.key not in known]
            new = {each.key: _by_checks(each) for each in fresh}
            claims = {each.key: claim for each in fresh if (claim := claim_of(each))}
            return statements, others, new, claims

        statements, others, new, claims = await asyncio.to_thread(work)
        judged = {each.key: each for each in statements if each.key in new}
        left = self._found.claims
        claims |= {each.key: left[each.key] for each in statements if each.key in left}
        proofs = await self._proofs(claims)
        decided = {
            key: each for key, each in proofs.items() if each.verdict is not Verdict.UNDECIDED
        }
        new |= decided
        calls = await self._with_calls(judged, new)
        # All at once: a look that is cancelled before leaves nothing half judged.
        known.update({**new, **calls})
        left |= claims
        for key in proofs:
            left.pop(key, None)
        return statements, others

    async def _proofs(self, claims: Mapping[Key, Claim]) -> dict[Key, Judgement]:
        """What language servers say of claims; those are left out to which none answers."""
        found = await self._prove(tuple(claims.values())) if claims else ()
        return {key: each for key, each in zip(claims, found, strict=True) if each is not None}

    async def _with_calls(
        self, judged: Mapping[Key, CitedStatement], found: Mapping[Key, Judgement]
    ) -> Mapping[Key, Judgement]:
        """The judgements of statements about calls that stand elsewhere in the workspace."""

        def wanted() -> dict[Key, tuple[str, ...]]:
            return {key: calls_wanted(each, found[key]) for key, each in judged.items()}

        names = {key: each for key, each in (await asyncio.to_thread(wanted)).items() if each}
        if not names:
            return {}
        calls = await self._calls_of(dict.fromkeys(chain.from_iterable(names.values())))

        def again() -> dict[Key, Judgement]:
            return {key: _by_checks(judged[key], calls) for key in names}

        return await asyncio.to_thread(again)

    def _tell_news(self) -> None:
        """Show the new verdicts on the current reply."""
        found = self._found
        checked = merged_all(self._statements, (), found.checks, found.told)
        for citation in checked.citations:
            place = (citation.at, *place_of(citation))
            if found.shown.get(place) != citation:
                found.shown[place] = citation
                self._show(CitationChecked(citation))
        sure = replace(checked, statements=tuple(s for s in checked.statements if not s.citations))
        for claim in sure.uncited:
            if claim not in found.uncited:
                found.uncited.add(claim)
                self._show(claim)

    def _open(self, statements: Iterable[CitedStatement]) -> list[CitedStatement]:
        """The statements that the model has not been asked about, each once."""
        if not self._asks:
            return []
        found = self._found
        return list(
            {
                each.key: each
                for each in statements
                if each.key not in found.asked and is_for_model(each, found.checks[each.key])
            }.values()
        )

    async def _ask_soon(self) -> None:
        """Ask the model about statements as they are completed, about several at once."""
        while self._open(self._statements):
            with suppress(TimeoutError):
                async with asyncio.timeout(_BATCHING_SECONDS):
                    while len(self._open(self._statements)) < _ENOUGH:
                        self._looked.clear()
                        await self._looked.wait()
            batch = next(entailment.batches(self._open(self._statements)), None)
            if batch is None:  # all are too long
                return
            self._ask_about(batch)

    def _ask_about(self, batch: Sequence[CitedStatement]) -> None:
        self._found.asked |= {each.key for each in batch}
        self._requests.add(asyncio.create_task(self._ask(batch)))

    async def _wait_for_answers(self, seconds: float) -> None:
        if not self._requests:
            return
        _, late = await asyncio.wait(self._requests, timeout=seconds)
        if late:
            self._fail(f"the model did not answer within {seconds:.3g} s", self._found.asked)
        await _ended(self._requests)

    async def _ask(self, batch: Sequence[CitedStatement]) -> None:
        """Ask the model about statements; after a failure tell the user, and ask nothing more."""
        tokens = entailment.TOKENS * (len(batch) + 1)
        prompt, schema = entailment.prompt_of(batch), entailment.SCHEMA
        try:
            reply = await ask_for_json(self._model, self._meter, "verify", prompt, tokens, schema)
        except asyncio.CancelledError:
            self._found.asked -= {each.key for each in batch}
            raise
        except ModelError as error:
            self._fail(str(error), {each.key for each in batch})
            return
        told = entailment.answers_in(reply, batch)
        self._found.told |= {batch[at].key: each for at, each in told.items()}
        self._tell_news()

    def _fail(self, why: str, keys: Iterable[Key]) -> None:
        """Tell the user why statements were not judged, and ask the model no more."""
        self._asks = False
        why = why if why.endswith(".") else f"{why}."
        failed = Entailed(Verdict.UNDECIDED, failure=f"Not judged: {why}")
        self._found.told = dict.fromkeys(keys, failed) | self._found.told
        self._tell(f"Some sentences were not judged, so their citations count as read: {why}")

    async def _stop_listening(self) -> None:
        await _ended({each for each in (self._listening, self._asking) if each is not None})
        self._listening = self._asking = None


def _by_checks(cited: CitedStatement, calls: Calls = NO_CALLS) -> Judgement:
    """What the checks say of a statement; a bug in them must not cost the answer."""
    try:
        return by_checks(cited, calls)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        logger.exception("Checking a sentence failed")
        return Judgement(Verdict.UNDECIDED)


async def _ended(tasks: set[asyncio.Task[None]]) -> None:
    """Cancel the tasks that are not done; remove them from the set when they have ended."""
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):  # of ours
            logger.error("Judging failed", exc_info=result)
    tasks.clear()
