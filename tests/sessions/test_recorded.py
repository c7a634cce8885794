"""What versions before this one kept: it is read as it was meant, and written byte for byte again.

The lines were recorded. A change that breaks one of them breaks the sessions of users.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.core.events import (
    CitationChecked,
    Envelope,
    Event,
    RunStarted,
    ToolFinished,
    ToolStarted,
    Usage,
)
from glossator.core.report import Finding, Report
from glossator.core.span import Basis, Citation, CitationStatus, FoundPlace, Span
from glossator.llm.model import ToolSpec
from glossator.sessions.records import (
    AgentBegun,
    AgentSaid,
    Amended,
    Begun,
    Happened,
    KeptValue,
    ModelCall,
    Prefix,
    ReadShown,
    Received,
    Record,
    Reported,
    Restarted,
    Revised,
    Rewound,
    Said,
    Titled,
    decode,
    encode,
    happened,
    kept_event,
)
from glossator.tools import ReadDocument

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))
SPAN = Span("file:///ws/a.py", "00", 3, 5)
HELD = Citation("a.py", SPAN, CitationStatus.VERIFIED, basis=Basis.MODEL, at=4)
GONE = Citation("b.py", None, CitationStatus.UNSUPPORTED, "There is no such file.", 1, 2)
REPORT = Report(
    "Explore",
    "Look \ud800",
    (Finding("- Ä [a.py:3-5]", (HELD, GONE)), Finding("Nothing.")),
    ("Grep a (2 lines)",),
    ("Who?",),
    "it was cancelled",
)
MESSAGE: Any = {
    "role": "assistant",
    "content": [{"type": "text", "text": "Ä \ud800", "z": 1, "a": [1.0, None]}],
}

RECORDS: list[tuple[Record, str]] = [
    (
        Begun("s1", AT, ("/ws", "/other")),
        '{"kind":"begun","id":"s1","at":"2026-01-02T03:04:05+00:00","roots":["/ws","/other"]}',
    ),
    (Titled("Ä"), '{"kind":"titled","title":"Ä"}'),
    (
        Prefix(("One.", "Two."), (ToolSpec("Read", "Reads.", {"type": "object", "a": 1}, True),)),
        (
            '{"kind":"prefix","system":["One.","Two."],"tools":[{"name":"Read","description":"Rea'
            'ds.","input_schema":{"type":"object","a":1},"deferred":true}]}'
        ),
    ),
    (Said(None), '{"kind":"said","message":null,"reads":[],"spans":[]}'),
    (
        Said(
            MESSAGE,
            (ReadShown("/ws/a.py", (1, None), "00"), ReadShown("/ws/a.py", (3, 9), "00")),
            (SPAN,),
            {"file:///ws/a.py": {"x": 2}},
            (SPAN,),
            {"/ws/a.py": ReadDocument("/ws/a.py", "file:///ws/a.py", "00"), "/ws/b.py": None},
        ),
        (
            '{"kind":"said","message":{"role":"assistant","content":[{"type":"text","text":"Ä '
            '\ud800","z":1,"a":[1.0,null]}]},"reads":[["/ws/a.py",[1,null],"00"],["/ws/a.py",[3,9'
            '],"00"]],"spans":[["file:///ws/a.py","00",3,5]],"findings":{"file:///ws/a.py":{"x":2'
            '}},"vouched":[["file:///ws/a.py","00",3,5]],"seen":{"/ws/a.py":["file:///ws/a.py","0'
            '0"],"/ws/b.py":null}}'
        ),
    ),
    (
        Received(MESSAGE),
        (
            '{"kind":"received","message":{"role":"assistant","content":[{"type":"text","text":"Ä'
            ' \ud800","z":1,"a":[1.0,null]}]}}'
        ),
    ),
    (
        Revised(MESSAGE),
        (
            '{"kind":"revised","message":{"role":"assistant","content":[{"type":"text","text":"Ä '
            '\ud800","z":1,"a":[1.0,null]}]}}'
        ),
    ),
    (
        Restarted((MESSAGE, MESSAGE)),
        (
            '{"kind":"restarted","messages":[{"role":"assistant","content":[{"type":"text","text"'
            ':"Ä \ud800","z":1,"a":[1.0,null]}]},{"role":"assistant","content":[{"type":"text","t'
            'ext":"Ä \ud800","z":1,"a":[1.0,null]}]}]}'
        ),
    ),
    (
        Amended((MESSAGE,)),
        (
            '{"kind":"amended","messages":[{"role":"assistant","content":[{"type":"text","text":"'
            'Ä \ud800","z":1,"a":[1.0,null]}]}]}'
        ),
    ),
    (Rewound(("r1", "r2")), '{"kind":"rewound","runs":["r1","r2"]}'),
    (
        KeptValue("plan", {"b": [1, None], "a": "x"}),
        '{"kind":"kept","name":"plan","value":{"b":[1,null],"a":"x"}}',
    ),
    (
        ModelCall("r1", AT, "turn", "m", Usage(1, 2, 3, 4), 5, 0.25, True, 7),
        (
            '{"kind":"spent","run":"r1","at":"2026-01-02T03:04:05+00:00","purpose":"turn","model"'
            ':"m","usage":{"input_tokens":1,"cache_read_tokens":2,"cache_write_tokens":3,"output_'
            'tokens":4},"long_write_tokens":5,"dollars":0.25,"messages":7}'
        ),
    ),
    (
        ModelCall("", AT, "turn", "m", Usage(), 0, None, False),
        (
            '{"kind":"spent","run":"","at":"2026-01-02T03:04:05+00:00","purpose":"turn","model":"'
            'm","usage":{"input_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0,"output_to'
            'kens":0},"long_write_tokens":0,"dollars":null,"whole":false,"messages":0}'
        ),
    ),
    (
        AgentBegun("a1", "r1", None, "Explore", "Look", "m", AT.astimezone(EAST), 2),
        (
            '{"kind":"agent begun","id":"a1","run":"r1","call":null,"name":"Explore","task":"Look'
            '","model":"m","at":"2026-01-02T05:04:05+02:00","inherited":2}'
        ),
    ),
    (
        AgentSaid("a1", MESSAGE),
        (
            '{"kind":"agent said","id":"a1","message":{"role":"assistant","content":[{"type":"tex'
            't","text":"Ä \ud800","z":1,"a":[1.0,null]}]}}'
        ),
    ),
    (
        Reported("a1", REPORT),
        (
            '{"kind":"reported","id":"a1","report":{"agent":"Explore","task":"Look \ud800","findi'
            'ngs":[{"text":"- Ä [a.py:3-5]","citations":[{"target":"a.py","span":{"uri":"file:///'
            'ws/a.py","sha256":"00","first_line":3,"last_line":5},"status":"verified","reason":""'
            ',"first_line":null,"last_line":null,"basis":"model","at":4,"cell":null},'
            '{"target":"b.py","span":'
            'null,"status":"unsupported","reason":"There is no such file.","first_line":1,"last_l'
            'ine":2,"basis":null,"at":null,"cell":null}]},'
            '{"text":"Nothing.","citations":[]}],"searched":["Gr'
            'ep a (2 lines)"],"open":["Who?"],"partial":"it was cancelled"}}'
        ),
    ),
    (
        Reported("a1", Report("Explore", "")),
        (
            '{"kind":"reported","id":"a1","report":{"agent":"Explore","task":"","findings":[],"se'
            'arched":[],"open":[],"partial":""}}'
        ),
    ),
]


@pytest.mark.parametrize(("record", "line"), RECORDS, ids=lambda each: type(each).__name__)
def test_a_recorded_line_is_read_and_written_again(record: Record, line: str) -> None:
    kept = line.encode("utf-8", "surrogatepass")
    assert decode(kept) == record
    assert encode(record) == kept


def test_what_an_older_version_left_out() -> None:
    citation = '{"target":"a.py","span":null,"status":"verified","reason":""}'
    report = (
        f'{{"agent":"E","task":"","findings":[{{"text":"x","citations":[{citation}]}}],'
        '"searched":[],"open":[],"partial":"","new":1}'
    )
    assert decode(f'{{"kind":"reported","id":"a","report":{report}}}'.encode()) == Reported(
        "a", Report("E", "", (Finding("x", (Citation("a.py", None, CitationStatus.READ),)),))
    )


@pytest.mark.parametrize(
    "report",
    [
        None,
        3,
        [],
        {},
        {"agent": "E"},
        {"findings": 3},
        {"findings": [None]},
        {"findings": [{"citations": []}]},
        {"findings": [{"text": "x", "citations": [{}]}]},
        {"findings": [{"text": "x", "citations": [{"status": "new"}]}]},
        {"findings": [{"text": "x", "citations": [{"basis": "new"}]}]},
        {"findings": [{"text": "x", "citations": [{"span": {}}]}]},
        {"findings": [{"text": "x", "citations": [{"span": [1, 2]}]}]},
    ],
)
def test_a_report_of_another_version_says_so(report: Any) -> None:
    citation = {"target": "a.py", "span": None, "status": "read", "reason": ""}
    match report:
        case {"findings": [{"citations": [{**fields}]}]} if fields:
            report["findings"][0]["citations"][0] = citation | fields
    if isinstance(report, dict) and "findings" in report:
        report = {"agent": "E", "task": "", "searched": [], "open": [], "partial": ""} | report
    line = json.dumps({"kind": "reported", "id": "a", "report": report}).encode()
    with pytest.raises(StoreUnavailable, match="another version of Glossator wrote it"):
        decode(line)


EVENTS: list[Event] = [
    RunStarted("s1", "Why \ud800?", "m", False),
    ToolStarted("c1", "Bash", {"command": "\ud800", "\ud800": [1, None, {"a": 1.5}]}),
    ToolFinished("c1", "Grep", "1 line", False, 3, places=(FoundPlace("a.py", 1, 2, "f"),)),
    CitationChecked(HELD),
    CitationChecked(GONE),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_is_kept(event: Event) -> None:
    record = happened(Envelope("r1", 1, event), AT)
    assert record is not None
    again = decode(encode(record))
    assert isinstance(again, Happened)
    assert encode(again) == encode(record)
    assert kept_event(again.event) == event


def test_an_event_of_another_version() -> None:
    old = {"kind": "run.started", "session_id": "s", "question": "", "model": "m", "offline": True}
    assert kept_event(old) == RunStarted("s", "", "m", True)
    assert kept_event(old | {"new": 1}) == RunStarted("s", "", "m", True)
    assert kept_event(old | {"offline": None}) is None
    assert kept_event({"kind": "run.started"}) is None
    assert kept_event({"kind": "new"}) is None
