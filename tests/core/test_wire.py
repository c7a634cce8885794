"""Dataclasses as camelCase JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from glossator.commands.loaded import COMMANDS
from glossator.core import events
from glossator.core.span import Citation, CitationStatus, Span
from glossator.core.wire import WireError, from_wire, to_wire

PROTOCOL = (Path(__file__).parents[2] / "docs/protocol.md").read_text(encoding="utf-8")
EVENTS = PROTOCOL.partition("## Events")[2].partition("A client ignores")[0]


@dataclass(frozen=True)
class Inner:
    long_name: float = 0.5


@dataclass(frozen=True)
class Outer:
    inner: Inner
    many: tuple[Inner, ...] = ()
    anything: dict[str, Any] | None = None


def test_there_and_back() -> None:
    wire = {"inner": {"longName": 1.5}, "many": [{"longName": 2.5}], "anything": {"a_b": [1]}}
    value = from_wire(Outer, wire)
    assert value == Outer(Inner(1.5), (Inner(2.5),), {"a_b": [1]})
    assert to_wire(value) == wire


@dataclass(frozen=True)
class Either:
    parts: tuple[Other | Named, ...]


@dataclass(frozen=True)
class Other:
    uri: str
    line: int | None = None


@dataclass(frozen=True)
class Named:
    data: str
    name: str


def test_of_several_forms_the_one_whose_fields_are_there_is_meant() -> None:
    wire = {"parts": [{"uri": "u", "line": None}, {"name": "n", "data": "d"}]}
    assert from_wire(Either, wire) == Either((Other("u"), Named("d", "n")))
    for part, says in (
        ({}, "'parts[0]' lacks the field 'uri'"),
        ({"data": "d"}, "'parts[0]' has an unknown field 'data'; its fields are: uri, line"),
        ({"data": "d", "name": 1}, "'name' must be a string, not a whole number"),
        (3, "'parts[0]' must be an object, not a whole number"),
    ):
        with pytest.raises(WireError, match=re.escape(says)):
            from_wire(Either, {"parts": [part]})


@dataclass(frozen=True)
class Chosen:
    level: Literal["low", "high"] | None = None


def test_one_of_several_words() -> None:
    assert from_wire(Chosen, {"level": "high"}) == Chosen("high")
    assert from_wire(Chosen, {"level": None}) == Chosen()
    values: tuple[object, ...] = ("huge", 1, [], True)
    for value in values:
        with pytest.raises(WireError, match="'level' must be one of low, high"):
            from_wire(Chosen, {"level": value})


def test_defaults_fill_what_is_left_out() -> None:
    assert from_wire(Outer, {"inner": {}}) == Outer(Inner())


def test_numbers_without_a_word_in_json_are_null() -> None:
    assert to_wire({"a": float("nan"), "b": [float("inf"), 1.0]}) == {"a": None, "b": [None, 1.0]}


@pytest.mark.parametrize("value", [None, [], 1, "x"])
def test_only_objects_are_dataclasses(value: object) -> None:
    with pytest.raises(WireError, match="must be an object"):
        from_wire(Outer, value)


def test_a_whole_number_is_a_number() -> None:
    assert from_wire(Inner, {"longName": 2}) == Inner(2)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_request_of_the_table_can_be_read(name: str) -> None:
    with pytest.raises(WireError, match="unknown field 'fish'"):
        from_wire(COMMANDS[name].request, {"fish": 1})


def test_a_citation_is_flat() -> None:
    span = Span("file:///a", "0", 3, 4)
    citation = Citation("a", span, CitationStatus.UNSUPPORTED, "It is not there.")
    event = events.Envelope("r", 5, events.CitationChecked(citation))
    assert to_wire(event) == {
        "runId": "r",
        "seq": 5,
        "kind": "citation",
        "citation": {
            "target": "a",
            "status": "unsupported",
            "reason": "It is not there.",
            "uri": "file:///a",
            "firstLine": 3,
            "lastLine": 4,
            "basis": None,
            "at": None,
            "movedTo": None,
            "movedUntil": None,
            "cell": None,
        },
    }


@pytest.mark.parametrize("event", get_args(events.Event), ids=lambda event: event.kind)
def test_each_event_stands_in_the_protocol_with_its_fields(event: type[events.Event]) -> None:
    (row,) = re.findall(rf"^\| `{re.escape(event.kind)}` \| (.*)$", EVENTS, re.MULTILINE)
    names = {
        parts[0] + "".join(map(str.title, parts[1:]))
        for parts in (field.name.split("_") for field in fields(event))
    }
    told = row.partition(" | ")[0]
    assert {name for name in names if f"`{name}" in told} == names


def test_no_field_of_an_event_hides_its_envelope() -> None:
    for event in get_args(events.Event):
        assert not {"run_id", "seq", "kind"} & {field.name for field in fields(event)}
