"""Each failure: its exception, its words, and whether it is tried again."""

import logging
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anthropic
import httpx2
import pytest

from glossator.core.errors import ModelError, ModelRefused, ModelUnavailable, StreamCut
from glossator.llm.failures import RequestTarget, explain
from glossator.llm.model import RetryWait
from tests.llm.asking import KEY, asker
from tests.standin import (
    EndBeforeStop,
    Fault,
    HttpError,
    ResetConnection,
    StreamError,
    Text,
    TruncateAt,
    Turn,
    rate_limited,
    spend_capped,
)

TARGET = RequestTarget("api.test", "some-model", "models.main.model", "SOME_KEY", KEY)

REFUSED = [
    (HttpError(400), "refused the request"),
    (HttpError(400, message="prompt is too long: 9 tokens > 8"), "larger window"),
    (HttpError(400, message="too many images and documents: 104 + 1 > 100"), "is kept"),
    (
        HttpError(400, message="Too much media: 0 document pages + 103 images > 100"),
        "refused a part",
    ),
    (HttpError(401), "Set ANTHROPIC_API_KEY"),
    (HttpError(402), "billing"),
    (HttpError(403), "claude-sonnet-5-5"),
    (HttpError(404), "models.main.model"),
    (HttpError(413), "larger than"),
    (spend_capped(), "spend limit"),
    (HttpError(429, message="You have reached your usage limits."), "spend limit"),
    (StreamError("invalid_request_error", "No."), "refused the request"),
]
PASSING = [
    (HttpError(409), ModelUnavailable, "busy"),
    (HttpError(500), ModelUnavailable, "failed inside"),
    (HttpError(503), ModelUnavailable, "not available"),
    (HttpError(504), ModelUnavailable, "too long"),
    (HttpError(529), ModelUnavailable, "overloaded"),
    (rate_limited(), ModelUnavailable, "limits the rate"),
    (rate_limited(2), ModelUnavailable, "limits the rate"),
    (StreamError("overloaded_error"), ModelUnavailable, "overloaded"),
    (StreamError("api_error", "Oops"), ModelUnavailable, "Oops"),
    (StreamError("never_seen_error", "Hm"), ModelUnavailable, "Hm"),
    (EndBeforeStop(), StreamCut, "before the reply was whole"),
    (TruncateAt(300), StreamCut, "broke off"),
    (ResetConnection(), ModelUnavailable, "cannot be reached"),
]


def turns(*faults: Fault) -> list[Turn]:
    return [*(Turn(Text("A void answer."), fault=fault) for fault in faults), Turn(Text("Hi."))]


@pytest.mark.parametrize(("fault", "words"), REFUSED)
async def test_a_refused_request_is_sent_once(fault: Fault, words: str) -> None:
    async with asker(turns(fault)) as ask:
        with pytest.raises(ModelRefused, match=words):
            await ask.ask()
        assert len(ask.api.requests) == 1


@pytest.mark.parametrize(("fault", "kind", "words"), PASSING)
async def test_a_passing_failure_is_met_with_another_try(
    fault: Fault, kind: type[ModelError], words: str
) -> None:
    async with asker(turns(fault)) as ask:
        events = await ask.ask()
        (wait,) = [event for event in events if isinstance(event, RetryWait)]
        assert wait.attempt == 1
        assert words in wait.reason
        assert ask.waits == [wait.seconds]
    async with asker(turns(fault), max_retries=0) as ask:
        with pytest.raises(kind, match=words):
            await ask.ask()


async def test_the_wait_that_the_provider_names_is_kept() -> None:
    async with asker(turns(rate_limited(17))) as ask:
        await ask.ask()
        assert ask.waits == [17]


async def test_a_wait_beyond_the_limit_is_not_begun() -> None:
    async with asker(turns(rate_limited(3600)), max_retry_wait=60) as ask:
        with pytest.raises(ModelUnavailable, match=r"3600 s.*models\.maxRetryWait") as caught:
            await ask.ask()
        assert caught.value.retry_after == 3600
        assert ask.waits == []
        assert len(ask.api.requests) == 1


async def test_a_failure_that_does_not_pass_ends_after_the_last_try() -> None:
    async with asker(turns(*[HttpError(529)] * 3), max_retries=2) as ask:
        with pytest.raises(ModelUnavailable, match="overloaded"):
            await ask.ask()
        assert len(ask.api.requests) == 3
        assert len(ask.waits) == 2


async def test_a_server_that_is_not_there() -> None:
    async with asker([], max_retries=1) as ask:
        await ask.api.stop_listening()
        with pytest.raises(ModelUnavailable, match=r"models\.baseUrl"):
            await ask.ask()
        assert len(ask.waits) == 1


async def test_spent_credit_is_no_wrong_request_and_no_wrong_key() -> None:
    """As Anthropic tells of it: with the status of an invalid request."""
    said = (
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing"
        " to upgrade or purchase credits."
    )
    async with asker(turns(HttpError(400, message=said)), max_retries=2) as ask:
        with pytest.raises(ModelRefused, match="Add credit in the provider's console") as caught:
            await ask.ask()
        assert len(ask.api.requests) == 1
    assert said.rstrip(".") in str(caught.value)
    assert "ANTHROPIC_API_KEY" not in str(caught.value)
    assert "new session" not in str(caught.value)


@pytest.mark.parametrize("fault", [HttpError(401, message=f"Bad key {KEY}"), ResetConnection()])
async def test_the_key_is_in_no_message_trace_or_log(
    fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with asker(turns(fault), max_retries=0) as ask:
        with pytest.raises(ModelError) as caught:
            await ask.ask()
        assert ask.api.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert KEY not in caplog.text


async def test_a_key_that_cannot_be_sent_is_named_but_not_shown() -> None:
    broken = {"ANTHROPIC_API_KEY": KEY + "\nx"}
    async with asker([], environment=broken) as ask:
        with pytest.raises(ModelRefused, match="ANTHROPIC_API_KEY holds characters") as caught:
            await ask.ask()
    assert KEY not in "".join(traceback.format_exception(caught.value))


async def test_no_key_is_needed_behind_a_base_url() -> None:
    async with asker([Turn(Text("Hi."))], environment={}, profile="ollama") as ask:
        await ask.ask()
        assert ask.api.requests[0].headers["authorization"] == "Bearer none"


def status_error(status: int, body: object, **headers: str) -> anthropic.APIStatusError:
    request = httpx2.Request("POST", "http://api.test/v1/messages")
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx2.Response(status, headers=sent, request=request)
    return anthropic.APIStatusError(str(body), response=response, body=body)


def test_a_web_page_instead_of_an_error_is_shortened() -> None:
    said = str(explain(status_error(502, "<html>" + "long " * 500), TARGET))
    assert "cannot be reached by its gateway" in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2.5", 2.5), ("0", None), ("-3", None), ("nan", None), ("inf", None), ("soon", None)],
)
def test_retry_after_in_seconds(text: str, seconds: float | None) -> None:
    error = explain(status_error(529, None, retry_after=text), TARGET)
    assert error.retry_after == seconds


def test_retry_after_as_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(minutes=2), usegmt=True)
    error = explain(status_error(503, None, retry_after=date), TARGET)
    assert error.retry_after is not None
    assert 60 < error.retry_after <= 120


def test_a_connection_that_can_never_work_is_refused() -> None:
    error = anthropic.APIConnectionError(request=httpx2.Request("POST", "http://api.test"))
    error.__cause__ = httpx2.UnsupportedProtocol("ftp://")
    assert isinstance(explain(error, TARGET), ModelRefused)
    assert isinstance(explain(anthropic.AnthropicError("odd"), TARGET), ModelRefused)
    timeout = anthropic.APITimeoutError(request=error.request)
    assert isinstance(explain(timeout, TARGET), ModelUnavailable)
