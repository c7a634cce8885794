"""The `Model` that asks the Anthropic API or a server that speaks it."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from glossator.core.errors import ModelError, ModelRefused, ModelUnavailable
from glossator.llm.assembly import Assembly, with_text_calls
from glossator.llm.backends import (
    CREDENTIALS,
    Learnt,
    as_sent,
    credential_errors,
    post_body,
    server_of,
)
from glossator.llm.capabilities import Capabilities, window_told
from glossator.llm.failures import RequestTarget, RetryPolicy, explain, with_retries
from glossator.llm.model import EncodedRequest, ModelEvent, ModelRequest, Reply, RetryWait
from glossator.llm.model_facts import (
    CATALOG,
    ModelFacts,
    effort_problem,
    facts_at,
    facts_of,
    profile_of,
    reported_efforts,
    with_limits,
)
from glossator.llm.request import DEFAULT_OPTIONS, ModelOptions, build_body, encode_body
from glossator.settings import Backend, ModelSettings, RoleSettings

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream

_NO_CREDENTIALS = (
    "{server} cannot be asked without credentials{detail}. Set up {credentials} and try again."
)
_UNSENDABLE = (
    "The conversation cannot be sent to {server}{detail}. Go back to before the last question, and"
    " report what led to this."
)
# Their clients move the model, and more, from the body to the address.
_REWRITTEN: frozenset[Backend] = frozenset({"bedrock", "vertex"})
_LIST_SECONDS = 3
_ASKS_FOR_WINDOW = 3  # of a server that does not tell it
_LISTING: Any = {"params": {"limit": 1_000}}  # the most that one page can hold
T = TypeVar("T")
_log = logging.getLogger(__name__)


class AnthropicModel:
    """One role's model behind one client. Streams may run side by side.

    `client_factory` blocks while it imports the SDK, so it runs once in a thread: at the first
    request, or before it in `prepare`.
    """

    offline = False

    def __init__(
        self,
        role: RoleSettings,
        settings: ModelSettings,
        client_factory: Callable[[], Any],
        retry: RetryPolicy | None = None,
        options: ModelOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._role = role
        self._settings = settings
        self._options = options
        facts = facts_at(role, settings, self._options.prices)
        self._known = Capabilities(facts, profile_of(settings))
        self._asks_left = _ASKS_FOR_WINDOW
        self._client_factory = client_factory
        self._client: asyncio.Task[AsyncAnthropic] | None = None
        self._limits: asyncio.Task[None] | None = None
        self.retry = retry or RetryPolicy(settings.max_retries, settings.max_retry_wait)

    @property
    def id(self) -> str:
        """The provider's model id."""
        return self._role.model

    @property
    def window(self) -> int:
        """The context window in tokens: the table's, until the provider reports its own."""
        return self._known.facts.window

    @property
    def images(self) -> bool:
        """Whether the model sees images."""
        return self._known.profile.images

    @property
    def facts(self) -> ModelFacts:
        """What is known about the model."""
        return self._known.facts

    async def prepare(self) -> None:
        """Import the SDK and make the client before the first request, off the event loop.

        Raises `ModelRefused` for settings that prevent requests.
        """
        self._check_effort(self._role.effort)
        await self._open()

    async def measure(self) -> None:
        """Ask a self-hosted server for the window, before it matters, until the server tells it."""
        own = self._settings.backend == "anthropic" and not self._known.profile.model_limits
        if not self._asks_left or not own or self._role.window is not None:
            return
        told, certain = await window_told(await self._open(), self._settings.profile, self.id)
        self._asks_left = 0 if certain else self._asks_left - 1
        self._known.told(told, certain=certain)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The reply in pieces; the last one is a `Reply`. Raises `ModelError`.

        Close the generator (`contextlib.aclosing`) to break off early: that closes the connection.
        """
        self._check_effort(request.effort or self._role.effort)
        await self._open()
        await self.measure()
        tries = 0
        while True:
            body = self._body(request)
            attempts = with_retries(partial(self._attempt, body, request.encoded), self.retry)
            try:
                async with aclosing(attempts) as events:
                    async for event in events:
                        yield self._with_calls(event, request)
            except ModelRefused as refusal:
                tries += 1
                sent = [tool["name"] for tool in body.get("tools", ())]
                try:
                    changed = self._known.adapt(refusal, request, sent)
                finally:
                    keep = self._options.limits.keep
                    await asyncio.to_thread(keep, self._settings, self.id, self._known.learnt)
                yield RetryWait(0, tries, f"{server_of(self._settings)} {changed}")
            else:
                return

    def _with_calls(self, event: ModelEvent, request: ModelRequest) -> ModelEvent:
        """A self-hosted server's reply, with the calls that stand in its text."""
        if not isinstance(event, Reply) or self._known.profile.name == "anthropic":
            return event
        return with_text_calls(event, request.tools, request.messages, self.id)

    async def offered(self) -> tuple[ModelFacts, ...]:
        """The models that the server lists. Raises `ModelError`."""
        client = await self._open()
        import anthropic  # noqa: PLC0415 - loaded by now
        import httpx2  # noqa: PLC0415 - likewise

        unlisted = f"{server_of(self._settings)} does not list its models"
        failure: ModelError = ModelRefused(f"{unlisted} in a form that is known.")
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                listed = await client.get("/v1/models", cast_to=object, options=_LISTING)
        except TimeoutError:
            failure = ModelUnavailable(f"{unlisted} within {_LIST_SECONDS} s.")
        except anthropic.NotFoundError:
            failure = ModelRefused(f"{unlisted}.")
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            failure = explain(error, self._target(client))
        else:
            match listed:
                case {"data": list(infos)}:
                    named = [each for each in infos if isinstance(each, dict) and each.get("id")]
                    reported = (anthropic.types.ModelInfo.construct(**each) for each in named)
                    prices = self._options.prices
                    return tuple(
                        self._reported(facts_of(info.id, prices), info) for info in reported
                    )
        raise failure  # out here for the same reason as in `_attempt`

    @property
    def takes_batches(self) -> bool:
        """Whether the server has the Message Batches API, as far as is known."""
        return self._known.profile.batches

    def body_of(self, request: ModelRequest) -> bytes:
        """The request as sent, for a batch. Raises `ModelRefused`."""
        self._check_effort(request.effort or self._role.effort)
        return encode_body(self._body(request), request.encoded)

    async def call(self, ask: Callable[[AsyncAnthropic], Awaitable[T]], about: str) -> T:
        """Make another call through the client; it is tried once. Raises `ModelError`.

        `about` names what is missing when the server answers 404.
        """
        client = await self._open()
        import anthropic  # noqa: PLC0415 - loaded by now
        import httpx2  # noqa: PLC0415 - likewise

        try:
            return await ask(client)
        except anthropic.NotFoundError:
            failure: ModelError = ModelRefused(
                f"{server_of(self._settings)} does not know {about}. Check that the key and"
                " models.baseUrl are those that it was made with."
            )
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            failure = explain(error, self._target(client))
        raise failure  # out here for the same reason as in `_attempt`

    async def close(self) -> None:
        """Close connections; the model cannot be asked again."""
        if self._limits is not None:
            self._limits.cancel()
            await asyncio.gather(self._limits, return_exceptions=True)
        if self._client is not None:
            await asyncio.wait({self._client})
            if not self._client.cancelled() and self._client.exception() is None:
                await self._client.result().close()

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        known = self._known
        sent = known.sendable(request)
        return build_body(sent, known.facts, known.profile, self._role.effort, self._options)

    async def _attempt(
        self, body: dict[str, Any], known: EncodedRequest
    ) -> AsyncGenerator[ModelEvent, None]:
        """One attempt at a request: the pieces as they come, then the complete reply."""
        client = await self._open()
        import anthropic  # noqa: PLC0415 - loaded by now; at the top it would delay the start
        import httpx2  # noqa: PLC0415 - likewise

        reply = Assembly(self._known.facts.price, body["messages"])
        failure: ModelError | None = None
        try:
            async with await self._send(client, body, known) as events:
                self._learn_limits(client)
                async for event in events:
                    if piece := reply.add(as_sent(event)):
                        yield piece
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            failure = explain(error, self._target(client))
        # Raised out here because the SDK's exception, as context, may show the key in a log.
        if failure is not None and not reply.whole:
            raise failure
        whole = reply.finish(body)
        if reply.cache_miss:
            level = logging.WARNING if "_changed" in reply.cache_miss else logging.INFO
            _log.log(level, "The prompt cache could not be used: %s.", reply.cache_miss)
        yield whole

    async def _send(
        self, client: AsyncAnthropic, body: dict[str, Any], known: EncodedRequest
    ) -> AsyncStream[Any]:
        """The stream of events, once the headers have come."""
        unsent: tuple[type[Exception], ...] = (
            ValueError,
            *credential_errors(self._settings.backend),
        )
        try:
            content = encode_body({**body, "stream": True}, known)
            events = await post_body(
                client, content, as_values=self._settings.backend in _REWRITTEN
            )
        except unsent as error:
            template = _UNSENDABLE if isinstance(error, ValueError) else _NO_CREDENTIALS
            said = self._target(client).say(template, str(error))
        else:
            return events
        raise ModelRefused(said)

    async def _open(self) -> AsyncAnthropic:
        """The client. Cancelling a caller does not cancel its making."""
        if self._client is None:
            self._client = asyncio.create_task(asyncio.to_thread(self._make_client))
        return await asyncio.shield(self._client)

    def _make_client(self) -> AsyncAnthropic:
        learnt = self._options.limits.of(self._settings, self.id)
        self._known.recall(learnt, window=self._role.window is None)
        client: AsyncAnthropic = self._client_factory()
        # What the first request would import is imported here, in the worker thread.
        if self._settings.backend in _REWRITTEN:
            _ = client.messages
        importlib.import_module("anyio._backends._asyncio")
        return client

    def _learn_limits(self, client: AsyncAnthropic) -> None:
        """Ask the provider once for the model's limits, during the first reply."""
        if self._known.profile.model_limits and self._limits is None:
            self._limits = asyncio.create_task(self._ask_limits(client))

    async def _ask_limits(self, client: AsyncAnthropic) -> None:
        import anthropic  # noqa: PLC0415 - loaded by now

        models = await asyncio.to_thread(lambda: client.models)
        try:
            info = await models.retrieve(self.id)
        except anthropic.APIError as error:
            known = self.id in CATALOG
            _log.log(
                logging.INFO if known else logging.WARNING,
                "The limits of %s are unknown (%s); %d tokens of context and %d of output are"
                " assumed.",
                self.id,
                explain(error, self._target(client)),
                self._known.facts.window,
                self._known.facts.max_output,
            )
        else:
            self._known.facts = self._reported(self._known.facts, info)

    def _reported(self, facts: ModelFacts, info: object) -> ModelFacts:
        """The facts with what the server reports; settings and limits named by a refusal stay."""
        known = self._known.learnt if facts.id == self.id else Learnt()
        mine = facts.id == self.id and self._role.window is not None
        return with_limits(
            facts,
            None if mine or known.window else getattr(info, "max_input_tokens", None),
            None if known.max_output else getattr(info, "max_tokens", None),
            reported_efforts(getattr(info, "capabilities", None)),
        )

    def _check_effort(self, effort: str | None) -> None:
        known = self._known
        if problem := effort_problem(effort, self._role_name, known.facts, known.profile):
            raise ModelRefused(problem)

    @property
    def _role_name(self) -> str:
        return "main" if self._role == self._settings.main else "fast"

    def _target(self, client: AsyncAnthropic) -> RequestTarget:
        settings = self._settings
        return RequestTarget(
            server=server_of(settings),
            model=self.id,
            setting=f"models.{self._role_name}.model",
            credentials=CREDENTIALS[settings.backend],
            secret=getattr(client, "api_key", None) or "",
        )
