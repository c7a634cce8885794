"""Whatever a conversation holds, what is made of it the provider takes, and it stays so."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from glossator.llm.conversation import repair_messages
from glossator.llm.model import Message

_TEXTS = ["", " \n", "words"]
_IDS = ["a", "a", "b", "c", "", "a b", "x" * 70, None, "é"]


def user(*blocks: Any) -> Message:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> Any:
    return {"type": "text", "text": words}


def call(id_: object, **fields: Any) -> Any:
    return {"type": "tool_use", "id": id_, "name": "Read", "input": {}, **fields}


def result(id_: object, words: str = "x") -> Any:
    return {"type": "tool_result", "tool_use_id": id_, "content": words}


_LOST = {**result("a", "The result of this call is not known."), "is_error": True}


def test_a_good_conversation_stays_as_it_is() -> None:
    messages = [
        user(text("?")),
        assistant({"type": "thinking", "thinking": "", "signature": "s"}, call("a"), call("b")),
        user(result("b"), result("a"), text("reminder")),
        user(text("more")),
        assistant(text("!")),
    ]
    assert all(new is old for new, old in zip(repair_messages(messages), messages, strict=True))


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ([assistant(call("a")), user(text("go on"))], [user(_LOST, text("go on"))]),
        ([assistant(call("a")), assistant(text("!"))], [user(_LOST), assistant(text("!"))]),
        ([assistant(call("a")), user(result("b"))], [user(_LOST)]),
        ([assistant(call("a")), user(result("a"), result("a", "2"))], [user(result("a"))]),
        ([assistant(call("a")), user(text("t"), result("a"))], [user(result("a"), text("t"))]),
    ],
    ids=["none", "gone", "stray", "two", "late"],
)
def test_every_call_has_one_result(broken: list[Message], whole: list[Message]) -> None:
    opening = user(text("?"))
    assert repair_messages([opening, *broken]) == [opening, broken[0], *whole]


def test_results_go_with_their_calls_under_new_ids() -> None:
    messages = [
        user(text("?")),
        assistant(call("a"), call("a"), call("")),
        user(result("a", "1"), result("a", "2"), result("", "3")),
        assistant(call("a", name="rm -rf", input=None)),
        user(result("a", "4")),
    ]
    assert repair_messages(messages)[1:] == [
        assistant(call("a"), call("call_1"), call("call_2")),
        user(result("a", "1"), result("call_1", "2"), result("call_2", "3")),
        assistant(call("call_3", name="rm_-rf", input={})),
        user(result("call_3", "4")),
    ]


def test_what_is_left_of_nothing_is_said() -> None:
    lost = user(text("(What was here is lost.)"))
    assert repair_messages([assistant(text(" "))]) == [lost, {**lost, "role": "assistant"}]


@pytest.mark.parametrize("name", ["", None, 7])
def test_a_call_without_a_name_gets_one(name: object) -> None:
    messages = [user(text("?")), assistant(call("a", name=name)), user(result("a"))]
    assert repair_messages(messages)[1] == assistant(call("a", name="unknown"))


@pytest.mark.parametrize(
    ("given", "is_error", "taken"),
    [
        ([text(""), text("x")], False, [text("x")]),
        ([text("")], False, [text("(no text)")]),
        ([text(" \n")], True, [text("(no text)")]),
        ([], True, [text("(no text)")]),
        ("", True, [text("(no text)")]),
        (" \n", False, [text("(no text)")]),
        ("", False, ""),  # an empty result is none of these
        ([], False, []),
        ([text(""), {"type": "image"}], False, [{"type": "image"}]),
    ],
)
def test_no_text_in_a_result_is_blank(given: object, is_error: bool, taken: object) -> None:
    answer = {**result("a"), "content": given, "is_error": is_error}
    messages = [user(text("?")), assistant(call("a")), user(answer)]
    assert repair_messages(messages)[2] == user({**answer, "content": taken})


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_lost_repeated_or_swapped(seed: int) -> None:
    chance = random.Random(seed)
    messages = [_any(chance) for _ in range(chance.randrange(1, 14))]
    whole = repair_messages(messages)
    _is_taken(whole)
    assert repair_messages(whole) == whole
    for length in range(len(messages)):
        some = repair_messages(messages[:length])
        assert whole[: len(some)] == some  # whatever comes after it


def _any(chance: random.Random) -> Message:
    ids = chance.choices(_IDS, k=chance.randrange(4))
    words = [text(each) for each in chance.choices(_TEXTS, k=chance.randrange(3))]
    if chance.random() < 0.5:
        return assistant(*words, *(call(each) for each in ids))
    blocks = [*words, *(result(each) for each in ids)]
    chance.shuffle(blocks)
    return user(*blocks)


def _is_taken(messages: list[Message]) -> None:
    """As the provider says it; the last reply may wait for its results."""
    ids = [b["id"] for m in messages for b in m["content"] if b["type"] == "tool_use"]
    assert len(set(ids)) == len(ids)
    assert messages[0]["role"] == "user"
    assert all(m["content"] for m in messages)
    for message, after in pairwise(messages):
        if message["role"] == "assistant":
            asked = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
            given = [b["tool_use_id"] for b in after["content"] if b["type"] == "tool_result"]
            assert sorted(asked) == sorted(given)
            assert not asked or after["role"] == "user"
    for block in (b for m in messages for b in m["content"]):
        assert block["type"] != "text" or block["text"].strip()
