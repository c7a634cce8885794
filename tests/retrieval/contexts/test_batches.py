"""Contexts through the Message Batches API: nothing is paid for twice, whatever happens when."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.retrieval import ContextFile, ContextGenerator
from glossator.retrieval.contexts.batches import FIRST_LOOK, LONGEST_LOOK, SETTLED, Pace
from glossator.retrieval.contexts.costs import ContextProgress
from tests.patience import until
from tests.retrieval.contexts.making import Maker, blocks, chunk_in, document, maker, tell
from tests.standin import Expired, HttpError, Text, Turn, spend_capped

NAMES = ["alpha", "beta"]
DOCUMENTS = [document(name) for name in NAMES]
CHUNKS = 6
AT_ONCE = Pace(lambda _seconds: asyncio.sleep(0))


async def make(made: Maker, **changes: Any) -> Any:
    """What another process makes of the same documents."""
    fields: dict[str, Any] = {"dollars": 1.0, "batched": True} | changes
    return await made.generator().generate(DOCUMENTS, **fields)


async def all_are_known(made: Maker) -> bool:
    generator = made.generator()
    return [await generator.known(each) for each in DOCUMENTS] == [
        {chunk: f"It sets {chunk.text.split(' ')[0]}." for chunk in each.chunks}
        for each in DOCUMENTS
    ]


def paid_once(made: Maker) -> bool:
    """Each context was billed exactly once."""
    answered = made.api.batches.answered
    return len(answered) == len(set(answered)) == CHUNKS


async def test_the_whole_paid_path(tmp_path: Path) -> None:
    shown: list[ContextProgress] = []
    async with maker(tmp_path) as made:
        made.api.batches.looks = 3
        estimate = await made.generator().estimate(DOCUMENTS)
        report = await make(made, on_progress=shown.append)
        assert made.api.refusals == []
        assert await all_are_known(made)
        (posted,) = made.api.requests
    requests = posted.body["requests"]
    assert len(requests) == CHUNKS
    for request in requests:
        assert len(request["custom_id"]) == 64
        body = request["params"]
        assert [n for n, block in enumerate(blocks(body)) if "cache_control" in block] == [0]
        assert "stream" not in body
        assert body["thinking"] == {"type": "disabled"}
    names = [chunk_in(request["params"]) for request in requests]
    assert names == [f"{name}_{at}" for name in NAMES for at in (0, 40, 80)]
    assert (report.made, report.failed, report.stopped, report.batches) == (CHUNKS, 0, "", 1)
    assert made.waits == [FIRST_LOOK, FIRST_LOOK * 1.5, FIRST_LOOK * 1.5**2]
    assert "6 contexts are with the provider, in 1 batch." in {each.waiting for each in shown}
    assert (shown[-1].made, shown[-1].waiting) == (CHUNKS, "")
    # The stand-in bills by its own count; half of what the same would cost one by one.
    usage = report.spending.usage
    full = (
        usage.input_tokens
        + 1.25 * usage.cache_write_tokens
        + 0.1 * usage.cache_read_tokens
        + 5 * usage.output_tokens
    ) * 0.1e-6
    assert report.spending.dollars == pytest.approx(full / 2)
    assert usage.cache_read_tokens == 2 * usage.cache_write_tokens
    assert estimate.dollars is not None
    assert estimate.batch_dollars == pytest.approx(estimate.dollars / 2)
    assert report.spending.dollars < estimate.batch_dollars
    assert " to $0.00" in report.cost_in_words


async def test_looks_become_rarer(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.looks = 30
        await make(made)
        assert made.waits == sorted(made.waits)
        assert made.waits[-1] == LONGEST_LOOK


async def test_what_failed_goes_again_within_a_limit(tmp_path: Path) -> None:
    tries: dict[str, int] = {}
    faults: dict[str, Any] = {
        "alpha_0": Expired(),
        "alpha_40": HttpError(529, message="Overloaded"),
        "beta_40": HttpError(400, message="This is wrong."),
    }

    def script(body: dict[str, Any]) -> Turn:
        name = chunk_in(body)
        tries[name] = tries.get(name, 0) + 1
        if name == "beta_0" or (tries[name] == 1 and name in faults):
            return Turn(fault=faults.get(name) or HttpError(500, message="Broken."))
        return tell(body)

    async with maker(tmp_path, script) as made:
        report = await make(made)
        assert tries == {
            "alpha_0": 2,
            "alpha_40": 2,
            "alpha_80": 1,
            "beta_0": 3,
            "beta_40": 1,
            "beta_80": 1,
        }
        assert (report.made, report.failed, report.batches) == (4, 2, 3)
        assert set(report.problems) == {"This is wrong. (1)", "Broken. (1)"}
        assert len(made.api.batches.answered) == len(set(made.api.batches.answered)) == 4


@pytest.mark.parametrize("lost", ["lost_answers", "lost_requests"])
async def test_a_post_without_an_answer(tmp_path: Path, lost: str) -> None:
    """The batch is found, or sent again if the provider never got it."""
    async with maker(tmp_path) as made:
        setattr(made.api.batches, lost, 1)
        report = await make(made)
        assert report.made == CHUNKS
        assert paid_once(made)
        assert await all_are_known(made)
        assert len(made.api.batches.made) == 1
        assert (SETTLED in made.waits) == (lost == "lost_requests")


async def test_a_stranger_of_the_same_size_is_not_ours(tmp_path: Path) -> None:
    """While a batch without a name is looked for, another program's batch came, too."""
    async with maker(tmp_path) as made:
        made.api.batches.lost_requests = 1

        def stranger(seconds: float) -> None:
            if seconds == SETTLED and len(made.api.batches.made) == 0:
                params = {"model": "claude-haiku-5-5", "max_tokens": 10, "messages": []}
                asked = [{"custom_id": f"other-{n}", "params": params} for n in range(CHUNKS)]
                made.api.batches.create({"requests": asked}, 100)

        made.on_wait = stranger
        report = await make(made)
        assert len(made.api.batches.made) == 2
        assert (report.made, report.batches) == (CHUNKS, 1)
        assert paid_once(made)


async def child(made: Maker, how: str = "batched") -> Process:
    program = "tests.retrieval.contexts.child"
    command = ["-m", program, made.api.base_url, str(tmp(made)), how, *NAMES]
    return await asyncio.create_subprocess_exec(sys.executable, *command, stdout=PIPE)


def tmp(made: Maker) -> Path:
    return made.folder


async def killed(process: Process) -> None:
    process.kill()
    assert await process.wait() == -signal.SIGKILL


async def test_killed_while_a_batch_is_under_way(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.held = True
        process = await child(made)
        await until(lambda: bool(made.api.batches.made) and made.api.batches.made[0].looks > 1)
        await killed(process)
        estimate = await made.generator().estimate(DOCUMENTS)
        assert (estimate.chunks, estimate.under_way, estimate.dollars) == (0, CHUNKS, 0.0)
        made.api.batches.release()
        report = await make(made)
        assert (report.made, report.batches, len(made.api.batches.made)) == (CHUNKS, 1, 1)
        assert paid_once(made)
        assert await all_are_known(made)


async def test_what_is_owed_counts_against_the_limit(tmp_path: Path) -> None:
    """Of a batch that an earlier process sent; there is room again once it is settled."""
    more = [document("gamma")]
    async with maker(tmp_path) as made:
        made.api.batches.held = True
        process = await child(made)
        await until(lambda: bool(made.api.batches.made) and made.api.batches.made[0].looks > 0)
        await killed(process)
        generator = made.generator()
        most = (await generator.estimate(more)).batch_most
        assert most is not None
        looks = made.api.batches.made[0].looks
        making = asyncio.create_task(generator.generate(more, dollars=3 * most, batched=True))
        await until(lambda: made.api.batches.made[0].looks > looks + 2)
        assert len(made.api.batches.made) == 1
        made.api.batches.release()
        assert (await making).batches == 2
        assert len(made.api.batches.answered) == CHUNKS + 3


async def test_killed_between_the_post_and_its_answer(tmp_path: Path) -> None:
    """The provider has the batch, and nothing on this machine knows its id."""
    async with maker(tmp_path) as made:
        made.api.batches.gate = asyncio.Event()
        process = await child(made)
        await until(lambda: bool(made.api.batches.made))
        await killed(process)
        made.api.batches.gate = None
        made.api.batches.looks = 2
        report = await make(made)
        assert (report.made, report.batches, len(made.api.batches.made)) == (CHUNKS, 1, 1)
        assert paid_once(made)
        assert await all_are_known(made)


async def test_killed_and_gone_on_with_one_by_one(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.held = True
        process = await child(made)
        await until(lambda: bool(made.api.batches.made) and made.api.batches.made[0].looks > 0)
        await killed(process)
        made.api.batches.release()
        report = await make(made, batched=False)
        assert (report.made, report.batches) == (CHUNKS, 1)
        assert [request.path for request in made.api.requests] == ["/v1/messages/batches"]


async def test_killed_while_asking_one_by_one(tmp_path: Path) -> None:
    gate = asyncio.Event()
    let_through = {"alpha_0", "alpha_40", "beta_0"}

    def script(body: dict[str, Any]) -> Turn:
        turn = tell(body)
        return turn if chunk_in(body) in let_through else Turn(*turn.blocks, gate=gate)

    async with maker(tmp_path, script) as made:
        process = await child(made, "direct")
        generator = made.generator()

        async def known() -> int:
            return sum([len(await generator.known(each)) for each in DOCUMENTS])

        async with asyncio.timeout(60):
            while await known() < len(let_through):
                await made.api.wait_for_requests(len(let_through))
        await killed(process)
        gate.set()
        asked = len(made.api.requests)
        report = await make(made, batched=False)
        assert report.made == CHUNKS - len(let_through)
        assert len(made.api.requests) == asked + report.made
        assert await all_are_known(made)


async def test_a_store_that_cannot_be_used_is_found_before_anything_is_sent(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        (tmp_path / "contexts.sqlite").mkdir()
        with pytest.raises(StoreUnavailable, match="cannot be used"):
            await make(made)
        assert made.api.requests == []


class FullDisk(ContextFile):
    async def put(self, contexts: Mapping[bytes, str], noted: str = "") -> None:
        raise StoreUnavailable("The disk is full. Make room.")


async def test_results_that_cannot_be_kept_are_read_again_later(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        full = FullDisk(str(tmp_path / "contexts.sqlite"))
        generator = ContextGenerator(made.model, full, str(tmp_path / "ledger"), pace=AT_ONCE)
        report = await generator.generate(DOCUMENTS, dollars=1.0, batched=True)
        await full.close()
        assert report.made == 0
        assert "The disk is full" in report.stopped
        assert "nothing is paid for twice" in report.stopped
        again = await make(made)
        assert (again.made, len(made.api.batches.made)) == (CHUNKS, 1)
        assert paid_once(made)


async def test_cancelled_by_the_user(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.held = True
        making = asyncio.create_task(make(made))
        await until(lambda: bool(made.api.batches.made) and made.api.batches.made[0].looks > 1)
        assert await made.generator().cancel() == 1
        report = await making
        assert (report.made, report.failed) == (3, 3)
        assert "The batch was cancelled" in report.stopped
        assert await made.generator().cancel() == 0
        made.api.batches.release()
        rest = await make(made)
        assert rest.made == 3
        assert paid_once(made)


async def test_a_spend_limit_cuts_batches(tmp_path: Path) -> None:
    """What a batch can cost at most is set aside; what it did not cost is spent by the next."""
    async with maker(tmp_path) as made:
        estimate = await made.generator().estimate(DOCUMENTS)
        assert estimate.batch_most is not None
        limit = estimate.batch_most
        report = await make(made, dollars=limit)
        sizes = [len(batch.requests) for batch in made.api.batches.made]
        spent = report.spending.dollars
        assert spent <= limit
        assert len(sizes) > 1
        assert report.made == sum(sizes)
        small = await make(made, dollars=0.00001)
        assert (small.made, "Raise retrieval.contextDollars" in small.stopped) == (
            0,
            report.made < CHUNKS,
        )


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (HttpError(402, message="No credit."), "Add credit in the provider's console"),
        (spend_capped(), "has reached a spend limit"),
    ],
)
async def test_a_batch_that_is_refused(tmp_path: Path, fault: HttpError, says: str) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.fault = fault
        report = await make(made)
        assert says in report.stopped
        assert (report.made, len(made.api.requests)) == (0, 1)
        assert (await made.generator().estimate(DOCUMENTS)).under_way == 0
        made.api.batches.fault = None
        assert (await make(made)).made == CHUNKS


async def test_an_overloaded_provider_is_asked_three_times(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.fault = HttpError(529)
        report = await make(made)
        assert report.problems == (f"the provider did not take the batch ({CHUNKS})",)
        assert len(made.api.requests) == 3


async def test_a_server_without_batches(tmp_path: Path) -> None:
    async with maker(tmp_path, profile="litellm") as made:
        assert not made.generator().takes_batches
        with pytest.raises(UsageError, match="no Message Batches API"):
            await make(made)
        assert await made.generator().cancel() == 0


async def test_batches_of_another_key_are_named_and_can_be_given_up(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.held = True
        process = await child(made)
        await until(lambda: bool(made.api.batches.made) and made.api.batches.made[0].looks > 0)
        await killed(process)
    async with maker(tmp_path) as other:  # a server that has no such batch
        report = await make(other)
        assert "does not know the batch msgbatch_0001" in report.stopped
        assert other.api.batches.made == []
        await other.generator().forget_batches()
        assert (await make(other)).made == CHUNKS


async def test_results_that_are_gone(tmp_path: Path) -> None:
    async with maker(tmp_path) as made:
        made.api.batches.held = True
        process = await child(made)
        await until(lambda: bool(made.api.batches.made) and made.api.batches.made[0].looks > 0)
        await killed(process)
        made.api.batches.release()
        made.api.batches.made[0].archived = True
        report = await make(made)
        assert report.problems == (f"the provider no longer has the results ({CHUNKS})",)
        assert (await make(made)).made == CHUNKS


async def test_a_result_without_a_context(tmp_path: Path) -> None:
    async with maker(tmp_path, lambda _body: Turn(Text(" \u200b"))) as made:
        report = await make(made)
        assert (report.made, report.problems) == (0, ("the model gave no context (6)",))
        assert report.spending.dollars
