"""What a server refused is known after a restart, for a while."""

import time
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import RequestTooLong
from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import Learnt, LearntLimits
from glossator.llm.conversation import user_message
from glossator.llm.model import ModelRequest, ToolSpec
from glossator.llm.request import ModelOptions
from glossator.settings.models import ModelSettings, RoleSettings
from tests.standin import Text, Turn
from tests.standin.content import tokens_in
from tests.standin.inprocess import InProcess

Json = dict[str, Any]
WEEK = 7 * 24 * 3600
TOOLS = (ToolSpec("Grep", "Finds.", {"type": "object"}), ToolSpec("Read", "R.", {"type": "object"}))
GREETING = ModelRequest(("System.",), TOOLS, (user_message("Hello!"),))
LONG = ModelRequest(("System.",), (), (user_message("word " * 30_000),))


def refuse(body: Json) -> tuple[int, Json] | None:
    """A server with a small window, without thinking, and with one tool less."""
    names = [tool["name"] for tool in body.get("tools", ())]
    if "thinking" in body:
        said = "thinking: Extra inputs are not permitted"
    elif "Read" in names:
        said = f"tools.{names.index('Read')}.custom.input_schema: JSON schema is invalid"
    elif tokens_in(body) > 16_000:
        said = "prompt is too long: 30000 tokens > 16000 maximum"
    else:
        return None
    return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}


class Restarts:
    """One state folder, and a server as it is started again and again."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.api = InProcess(lambda _: Turn(Text("Hi.")), refuse)

    def start(self, **settings: Any) -> AnthropicModel:
        chosen = ModelSettings(max_retries=0, **settings)
        options = ModelOptions(limits=LearntLimits(self.file))
        return AnthropicModel(chosen.main, chosen, lambda: self.api._client, options=options)

    async def refused(self, model: AnthropicModel, request: ModelRequest = GREETING) -> int:
        """How many requests are refused until the answer."""
        before = len(self.api.refused)
        _ = [event async for event in model.stream(request)]
        return len(self.api.refused) - before


@pytest.fixture
def restarts(tmp_path: Path) -> Restarts:
    return Restarts(tmp_path / "state" / "refused.json")


async def test_it_is_not_learnt_again(restarts: Restarts) -> None:
    first = restarts.start()
    assert await restarts.refused(first) == 2
    with pytest.raises(RequestTooLong):
        await restarts.refused(first, LONG)
    again = restarts.start()
    assert await restarts.refused(again) == 0
    assert again.window == 16_000, "what the provider reports of the model does not replace it"
    await restarts.api.close()


async def test_it_is_of_one_server_and_model(restarts: Restarts) -> None:
    assert await restarts.refused(restarts.start()) == 2
    for other in ({"profile": "vllm"}, {"base_url": "http://other"}):
        learnt = LearntLimits(restarts.file).of(ModelSettings(**other), "claude-sonnet-5-5")
        assert learnt == Learnt()
    await restarts.api.close()


async def test_it_is_forgotten(restarts: Restarts, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a week, by another version, and when the file is damaged or deleted."""
    assert await restarts.refused(restarts.start()) == 2
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + WEEK - 60)
    assert await restarts.refused(restarts.start()) == 0
    monkeypatch.setattr(time, "time", lambda: now + WEEK + 60)
    assert await restarts.refused(restarts.start()) == 2
    monkeypatch.setattr("glossator.llm.backends.__version__", "next")
    assert await restarts.refused(restarts.start()) == 2
    restarts.file.write_text('{"models": 3}')
    assert await restarts.refused(restarts.start()) == 2
    restarts.file.unlink()
    assert await restarts.refused(restarts.start()) == 2
    await restarts.api.close()


async def test_a_window_that_is_set_wins(restarts: Restarts) -> None:
    """Who sets it knows more than a refusal of last week."""
    with pytest.raises(RequestTooLong):
        await restarts.refused(restarts.start(), LONG)
    wider = restarts.start(main=RoleSettings(model="claude-sonnet-5-5", window=64_000))
    assert await restarts.refused(wider) == 1, "the tool, which no long request had"
    assert wider.window == 64_000
    await restarts.api.close()


def test_few_are_kept(tmp_path: Path) -> None:
    limits, settings = LearntLimits(tmp_path / "refused.json"), ModelSettings()
    for number in range(60):
        limits.keep(settings, f"model {number}", Learnt(window=9_000))
    assert limits.of(settings, "model 3") == Learnt()
    assert limits.of(settings, "model 59").window == 9_000
