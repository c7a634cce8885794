"""The Message Batches API, as a model's key has it."""

import pytest

from glossator.core.errors import ModelRefused, ModelUnavailable
from glossator.llm.batches import MessageBatches, batches_of
from glossator.llm.conversation import user_message
from glossator.llm.offline import OfflineModel
from tests.llm.asking import Asker, asker, request_of
from tests.standin import Expired, HttpError, NoUsage, Text, Turn


def batches(asked: Asker) -> MessageBatches:
    found = batches_of(asked.model)
    assert found is not None
    return found


def requests(asked: Asker, *names: str) -> list[tuple[str, bytes]]:
    return [
        (name, batches(asked).body_of(request_of(user_message(name), shared_blocks=0)))
        for name in names
    ]


async def test_results_with_their_prices() -> None:
    turns = [
        Turn(Text("Line one.\u2028Line two."), usage={"input_tokens": 1_000_000}),
        Turn(fault=HttpError(400, message="Wrong.")),
        Turn(fault=Expired()),
    ]
    async with asker(turns) as asked:
        made = await batches(asked).create(requests(asked, "a", "b", "c"))
        assert (made.ended, made.requests, made.done) == (False, 3, 0)
        await batches(asked).look(made.id)
        ended = await batches(asked).look(made.id)
        assert (ended.ended, ended.requests, ended.done) == (True, 3, 3)
        found = {each.custom_id: each for each in await batches(asked).results(made.id)}
    reply = found["a"].reply
    assert reply is not None
    assert reply.text == "Line one.\u2028Line two."
    assert reply.dollars == pytest.approx(1.0, rel=0.01)  # half of two dollars a million
    assert (found["b"].problem, found["b"].again) == ("Wrong.", False)
    assert (found["c"].reply, found["c"].again) == (None, True)


async def test_those_that_came_after_one() -> None:
    async with asker([]) as asked:
        ours = batches(asked)
        assert await ours.newest() is None
        made = [(await ours.create(requests(asked, name))).id for name in "abc"]
        assert await ours.newest() == made[2]
        assert [each.id for each in await ours.newer_than(made[0])] == [made[2], made[1]]
        assert [each.id for each in await ours.newer_than(None)] == made[::-1]


async def test_a_post_is_sent_once() -> None:
    async with asker([]) as asked:
        asked.api.batches.fault = HttpError(529, message="Overloaded")
        with pytest.raises(ModelUnavailable, match="overloaded"):
            await batches(asked).create(requests(asked, "a"))
        assert len(asked.api.requests) == 1
        with pytest.raises(ModelRefused, match="does not know the batch msgbatch_0007"):
            await batches(asked).look("msgbatch_0007")


@pytest.mark.parametrize("id_", ["../models", "a/b", "", "x?y"])
async def test_an_id_names_no_other_path(id_: str) -> None:
    async with asker([]) as asked:
        with pytest.raises(Exception, match="an id that is none"):
            await batches(asked).look(id_)


async def test_who_has_batches() -> None:
    assert batches_of(OfflineModel()) is None
    async with asker([], profile="vllm") as asked:
        assert batches_of(asked.model) is None
    async with asker([], backend="foundry", project="p") as asked:
        assert batches_of(asked.model) is None


async def test_a_reply_without_usage_has_an_estimate() -> None:
    async with asker([Turn(Text("Yes."), fault=NoUsage())]) as asked:
        made = await batches(asked).create(requests(asked, "a"))
        await batches(asked).look(made.id)
        await batches(asked).look(made.id)
        (result,) = await batches(asked).results(made.id)
    assert result.reply is not None
    assert result.reply.usage.output_tokens > 0
