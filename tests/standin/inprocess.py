"""The stand-in without a socket: the same rules and replies, behind the SDK's own client."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2

from glossator.llm.anthropic_model import AnthropicModel
from glossator.settings.models import ModelSettings
from tests.standin.errors import Refusal, error_body
from tests.standin.issued import Issued
from tests.standin.models import MODELS, describe
from tests.standin.reply import Ids, Prompt, compose
from tests.standin.rules import check
from tests.standin.rules.call import Call
from tests.standin.script import Turn
from tests.standin.sse import stream
from tests.standin.usage import PromptCache

Json = dict[str, Any]

Refuse = Callable[[Json], tuple[int, Json] | None]
"""The status and the body with which a request is refused, None for one that is not."""


class InProcess:
    """Plays the turn that `play` gives for a body, unless `refuse` or the API's rules refuse it.

    `window` is what it says of every model's, in tokens.
    """

    def __init__(
        self,
        play: Callable[[Json], Turn],
        refuse: Refuse = lambda _body: None,
        window: int = 1_000_000,
    ) -> None:
        self.play, self.refuse, self.window = play, refuse, window
        self.accepted: list[Json] = []
        self.refused: list[str] = []
        self._ids, self._issued, self._cache = Ids(), Issued(), PromptCache()
        self._client = anthropic.AsyncAnthropic(
            api_key="k",
            base_url="http://standin",
            max_retries=0,
            http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer)),
        )

    def model(self, settings: ModelSettings | None = None) -> AnthropicModel:
        """A model behind it; it is not to be closed, for others share its client."""
        settings = settings or ModelSettings(max_retries=0)
        return AnthropicModel(settings.main, settings, lambda: self._client)

    async def close(self) -> None:
        """Close the client."""
        await self._client.close()

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            model = MODELS[request.url.path.rpartition("/")[2]]
            return httpx2.Response(200, json=describe(model) | {"max_input_tokens": self.window})
        body: Json = json.loads(request.content)
        if found := self.refuse(body):
            self.refused.append(str(found[1]))
            return httpx2.Response(found[0], json=found[1])
        try:
            headers = {name.lower(): value for name, value in request.headers.items()}
            call = Call(headers, body, self._issued)
            check(call)
        except Refusal as refusal:
            self.refused.append(refusal.message)
            error = error_body("invalid_request_error", refusal.message, "req_1")
            return httpx2.Response(refusal.status, json=error)
        self.accepted.append(body)
        turn = self.play(body)
        usage = self._cache.charge(call.links, call.model)
        reply = compose(turn, body, Prompt(usage, None), self._ids)
        self._issued.remember(reply.message, body)
        frames = stream(reply, turn.fault, 10_000, "req_1")
        content = b"".join(frame.encode() for frame in frames)
        return httpx2.Response(200, content=content, headers={"content-type": "text/event-stream"})
