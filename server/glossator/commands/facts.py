"""Facts: list, forget and pin them, clear them all, and export them or a session's memory."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.sessions import ExportedSession
from glossator.core.errors import UsageError
from glossator.core.fact import Fact, FactView
from glossator.core.shown import shown, some_of
from glossator.ledger import FactList, ForgottenFacts, PinnedFact

_OFF = "Facts are off: the setting facts.enabled is false."


@dataclass(frozen=True, slots=True)
class ListFactsRequest:
    """All facts of the workspace, or the fresh ones that bear on a question, the best first."""

    question: str | None = None


@dataclass(frozen=True, slots=True)
class ForgetFactRequest:
    """The facts to forget, by their ids."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PinFactRequest:
    """A fact to pin, or not any more: a pinned one goes with every question, and stays."""

    id: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class ClearFactsRequest:
    """All facts of the workspace and the memory of its sessions, or the `stale` facts alone."""

    stale: bool = False


@dataclass(frozen=True, slots=True)
class ExportFactsRequest:
    """The facts of the workspace as JSON, or the memory core of a session."""

    session_id: str | None = None


async def list_facts(app: Application, request: ListFactsRequest) -> FactList:
    """The facts, each with its lines as they stand now."""
    if not app.settings.facts.enabled:
        return FactList((), (_OFF,))
    await _looked(app)
    if request.question is None:
        return FactList(_views(app, app.ledger.all()), ())
    found = await app.ledger.relevant(request.question, app.settings.facts.told)
    return FactList(_views(app, filter(app.ledger.is_fresh, found)), ())


async def forget_fact(app: Application, request: ForgetFactRequest) -> ForgottenFacts:
    """Forget facts for good. Raises `UsageError` if one of them is not there."""
    await _looked(app)
    if unknown := [each for each in request.ids if app.ledger.get(each) is None]:
        raise UsageError(
            f"There is no fact {some_of([shown(each) for each in unknown], 5)} here."
            " `glossator facts` lists them."
        )
    known = {each.id: each for each in _views(app, app.ledger.all())}
    gone = await app.ledger.forget(request.ids)
    return ForgottenFacts(tuple(known[each.id] for each in gone), (), len(app.ledger.all()))


async def pin_fact(app: Application, request: PinFactRequest) -> PinnedFact:
    """Pin a fact, or not any more. Raises `UsageError` if it is not there."""
    await _looked(app)
    fact = await app.ledger.pin(request.id, on=request.on)
    return PinnedFact(app.ledger.view(fact))


async def clear_facts(app: Application, request: ClearFactsRequest) -> ForgottenFacts:
    """Forget all facts, pinned ones too, and what is remembered of sessions beside their logs."""
    await _looked(app)
    known = {each.id: each for each in _views(app, app.ledger.every())}
    sessions: list[str] = []
    if not request.stale:
        await app.summaries.stop(*app.summaries.working)
        sessions = await app.ledger.cores.remove(workspace=app.ledger.workspace)
    gone = await app.ledger.clear(stale=request.stale)
    views = tuple(known[each.id] for each in gone if each.id in known)
    return ForgottenFacts(views, tuple(sessions), len(app.ledger.every()))


async def export_facts(app: Application, request: ExportFactsRequest) -> ExportedSession:
    """Export the facts, or a session's memory, in the form in which they are kept."""
    await _looked(app)
    ledger = app.ledger
    if request.session_id is None:
        facts = [each.to_json() | {"status": ledger.state(each)} for each in ledger.all()]
        return ExportedSession("facts.json", _json({"fact_ledger": facts}))
    core = await ledger.cores.load(request.session_id, app.port.tell)
    name = f"memory-{shown(request.session_id)}.json"
    return ExportedSession(name, _json(core.to_json(ledger.state)))


async def _looked(app: Application) -> None:
    """Read what other servers kept, and check every fact."""
    await app.ledger.look()
    await app.ledger.settled(1.0)
    await app.ledger.fresh()


def _views(app: Application, facts: Iterable[Fact]) -> tuple[FactView, ...]:
    return tuple(map(app.ledger.view, facts))


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
