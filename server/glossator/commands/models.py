"""The models that are known, the one that runs use, and the mode: what is done without asking."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.server import (
    LocalServerList,
    LocalServerView,
    ModeAnswer,
    ModelAnswer,
    ModelList,
    ModelView,
)
from glossator.core.errors import UsageError
from glossator.core.permission import Mode
from glossator.core.tokens import Price
from glossator.llm import OFFLINE, ModelFacts, Models, describe_models, find_local_servers
from glossator.settings import Effort


@dataclass(frozen=True, slots=True)
class ListModelsRequest:
    """Takes nothing."""


@dataclass(frozen=True, slots=True)
class SetModelRequest:
    """The model from the next run on, until the server ends; without an effort the model's own."""

    model: str
    effort: Effort | None = None


async def list_models(app: Application, _request: ListModelsRequest) -> ModelList:
    """The models that can be chosen; the server is asked for its own, if there is one."""
    models = app.models
    known, problem = await models.known()
    views = [_view(models, facts) for facts in known]
    offline = ModelView(OFFLINE, models.main.offline, True, None, None, None, (), Price(0, 0))
    return ModelList(models.main.id, models.effort, (*views, offline), problem)


async def set_model(app: Application, request: SetModelRequest) -> ModelAnswer:
    """Change the model for runs to come; those on their way keep theirs. Raises `UsageError`."""
    name = request.model.strip()
    if not name:
        raise UsageError("The model's name is empty; choose one of those that are listed.")
    before = app.model.id
    await app.models.choose(name, request.effort)
    return ModelAnswer(app.model.id, app.models.effort, before)


@dataclass(frozen=True, slots=True)
class FindLocalServersRequest:
    """Takes nothing."""


async def find_servers(app: Application, _request: FindLocalServersRequest) -> LocalServerList:
    """Look for Ollama, LM Studio and llama.cpp on this machine's loopback; nothing is changed."""
    views = (
        LocalServerView(each.name, each.profile, each.url, each.models, each.problem)
        for each in await find_local_servers()
    )
    answers = describe_models(app.models.settings, app.environment)
    return LocalServerList(tuple(views), answers, app.model.offline)


def _view(models: Models, facts: ModelFacts) -> ModelView:
    return ModelView(
        facts.id,
        facts.id == models.main.id,
        False,
        facts.window,
        facts.max_output,
        facts.effort,
        models.efforts(facts),
        facts.price,
    )


@dataclass(frozen=True, slots=True)
class SetModeRequest:
    """The mode of a session, from its next tool call until the server ends.

    Without `session_id` it is the mode of the sessions whose first run is still to begin; `once`
    of the next one alone that is made here, by a question without a session or by `newSession`.
    """

    mode: Mode
    session_id: str | None = None
    once: bool = False


async def set_mode(app: Application, request: SetModeRequest) -> ModeAnswer:
    """Change what is done without asking; no other session follows.

    The session may be in use elsewhere: its mode here is for when it is resumed here.
    """
    modes = app.acting.modes
    before = modes.of(request.session_id)
    modes.change(request.mode, request.session_id, once=request.once)
    return ModeAnswer(request.mode, before)
