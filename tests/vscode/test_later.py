"""The events that the client shows before the server sends them are those of docs/protocol.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = (ROOT / "vscode-client/panel/later.ts").read_text(encoding="utf-8")
PROTOCOL = (ROOT / "docs/protocol.md").read_text(encoding="utf-8").partition("`panel/later.ts`")[2]

_INTERFACE = re.compile(r"interface (\w+)(?: extends Envelope)? {(.*?)\n}", re.DOTALL)
_FIELD = re.compile(r"readonly (\w+):\s*([^;]*)")
_ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| ", re.MULTILINE)

INTERFACES = {name: dict(_FIELD.findall(body)) for name, body in _INTERFACE.findall(CLIENT)}
KINDS = {fields["kind"].strip('"'): fields for fields in INTERFACES.values() if "kind" in fields}
ROWS: dict[str, str] = dict(_ROW.findall(PROTOCOL))


def test_the_client_has_the_kinds_of_the_protocol() -> None:
    assert KINDS.keys() == ROWS.keys()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_client_has_the_fields_of_the_protocol(kind: str) -> None:
    fields = KINDS[kind].keys() - {"kind"}
    assert {name for name in fields if f"`{name}" in ROWS[kind]} == fields


@pytest.mark.parametrize(("name", "kind"), [("Task", "plan"), ("Fact", "fact")])
def test_what_they_hold_has_the_fields_of_the_protocol(name: str, kind: str) -> None:
    inside = re.search(r"{(.*?)}", ROWS[kind])
    assert inside
    assert inside[1].split(", ") == list(INTERFACES[name])


@pytest.mark.parametrize(
    ("name", "kind"), [("OrchestratorState", "state"), ("CitationState", "citation")]
)
def test_the_client_has_the_states_of_the_protocol(name: str, kind: str) -> None:
    union = re.search(rf"type {name} =(.*?);", CLIENT, re.DOTALL)
    assert union
    states = set(re.findall(r'"(\w+)"', union[1])) - {"read", "unsupported"}
    assert {each for each in states if f"`{each}`" in ROWS[kind]} == states
