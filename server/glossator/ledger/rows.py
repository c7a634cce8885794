"""Facts as they are kept: rows that know when they changed, and documents that servers share.

Of two rows of one fact the newer one counts. So merging gives the same, in whichever order and
however often it is done, and a fact that was forgotten stays forgotten.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeGuard

from glossator.core.errors import StoreUnavailable
from glossator.core.fact import Fact, Passage
from glossator.store import FORGOTTEN_DAYS, FORGOTTEN_MOST, LedgerRow

logger = logging.getLogger(__name__)

SCHEMA = 1  # of both kinds of documents, see `memory_core.py`
ID_BYTES = 5  # of a fact's id
MAX_STATEMENT = 1_000  # characters
MAX_ASKED = 5  # questions of a fact
DAY = 86_400.0  # seconds; the clock of another machine may be so far ahead
_KEY = re.compile(rf"[0-9a-f]{{{2 * ID_BYTES}}}")
_ID = re.compile(f"f{_KEY.pattern}")
_MAX_LINES = 10_000
_MAX_PASSAGES = 50

Rows = Mapping[str, LedgerRow]


def is_fact_id(text: str) -> bool:
    """Whether it could be the id of a fact."""
    return _ID.fullmatch(text) is not None


def workspace_of(roots: Iterable[str]) -> str:
    """A key of folders (real paths), the same in whichever order they are open."""
    text = "\n".join(sorted(roots)).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=12).hexdigest()


def row_of(fact: Fact, changed: float) -> LedgerRow:
    """The row of a fact."""
    return LedgerRow(changed, _packed(fact.to_json()))


def fact_of(row: LedgerRow) -> Fact | None:
    """The fact of a row; None if it was forgotten, or is not ours."""
    if row.value is None:
        return None
    try:
        fact = Fact.from_json(json.loads(row.value))
        _check(fact)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        logger.warning("A fact that was kept cannot be read: %r", error)
        return None
    return fact


def newest(*several: Rows) -> dict[str, LedgerRow]:
    """The newest row of each fact."""
    merged: dict[str, LedgerRow] = {}
    for rows in several:
        for key, row in rows.items():
            if key not in merged or _order(row) > _order(merged[key]):
                merged[key] = row
    return merged


def newer(rows: Rows, known: Rows) -> dict[str, LedgerRow]:
    """The `rows` that are newer than the known ones."""
    return {
        key: row
        for key, row in rows.items()
        if key not in known or _order(row) > _order(known[key])
    }


def to_document(rows: Rows) -> bytes:
    """All facts of a workspace as one document of JSON."""
    facts = {
        key: json.loads(row.value) | {"changed": row.changed}
        for key, row in sorted(rows.items())
        if row.value is not None
    }
    forgotten = {key: row.changed for key, row in sorted(rows.items()) if row.value is None}
    return _packed({"schema": SCHEMA, "facts": facts, "forgotten": forgotten})


def from_document(document: bytes | None) -> dict[str, LedgerRow]:
    """The rows of a document that are facts. Raises `StoreUnavailable` for a newer schema."""
    fields = parsed(document)
    check_schema(fields, "The facts of this workspace")
    rows: dict[str, LedgerRow] = {}
    for key, value in _items(fields.get("facts")):
        if isinstance(value, dict) and _is_time(changed := value.pop("changed", None)):
            row = LedgerRow(changed, _packed(value))
            if _is_of(key, row):
                rows[key] = row
    for key, changed in _items(fields.get("forgotten")):
        if _is_time(changed) and is_fact_id(key):
            rows[key] = LedgerRow(changed, None)
    return rows


def rescued(found: Iterable[tuple[object, ...]]) -> dict[str, dict[str, LedgerRow]]:
    """The rows by workspace that a damaged file still gave and that are facts."""
    rows: dict[str, dict[str, LedgerRow]] = {}
    for each in found:
        match each:
            case str(workspace), str(key), float(changed), bytes() | None as value:
                row = LedgerRow(changed, value)
                if _is_time(changed) and _is_of(key, row):
                    rows.setdefault(workspace, {})[key] = row
    return rows


def forgotten(rows: Rows) -> frozenset[str]:
    """The ids of facts that were forgotten."""
    return frozenset(key for key, row in rows.items() if row.value is None)


def lasting(rows: Rows) -> dict[str, LedgerRow]:
    """The rows without facts that were forgotten long ago, or before many others."""
    gone = sorted((row.changed, key) for key, row in rows.items() if row.value is None)
    since = time.time() - FORGOTTEN_DAYS * DAY
    known = {key for changed, key in gone[-FORGOTTEN_MOST:] if changed > since}
    return {key: row for key, row in rows.items() if row.value is not None or key in known}


def without_facts(memory: bytes, ids: Collection[str]) -> bytes | None:
    """A session's document without these facts; None if it has none of them.

    One of another schema stays as it is.
    """
    fields = parsed(memory)
    facts = fields.get("fact_ledger")
    if fields.get("schema") != SCHEMA or not isinstance(facts, dict):
        return None
    left = {key: each for key, each in facts.items() if key not in ids}
    return _packed({**fields, "fact_ledger": left}) if len(left) < len(facts) else None


def parsed(document: bytes | None) -> dict[str, Any]:
    """The fields of a document; none if it is no JSON object, and will be replaced."""
    try:
        fields = json.loads(document or b"{}")
    except ValueError as error:
        logger.warning("A shared document cannot be read: %r", error)
        return {}
    return fields if isinstance(fields, dict) else {}


def check_schema(fields: Mapping[str, Any], what: str) -> None:
    """Raises `StoreUnavailable` for what a newer version of this program wrote."""
    schema = fields.get("schema", 0)
    if not isinstance(schema, int) or schema > SCHEMA:
        raise StoreUnavailable(
            f"{what} were written by a newer Glossator (schema {schema}, and this one knows"
            f" {SCHEMA}). Update this one; until then it neither reads nor changes them."
        )


def _is_of(key: str, row: LedgerRow) -> bool:
    """Whether it is a row of ours with this id."""
    if row.value is None:
        return is_fact_id(key)
    fact = fact_of(row)
    return fact is not None and fact.id == key


def _order(row: LedgerRow) -> tuple[float, bytes]:
    return row.changed, row.value or b""


def _is_time(changed: object) -> TypeGuard[float]:
    """Whether it is a plausible time: a row from the far future could never be changed again."""
    return isinstance(changed, float) and 0 <= changed <= time.time() + DAY


def _items(value: object) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _packed(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _check(fact: Fact) -> None:
    """Raise `ValueError` or `TypeError` for what no server of ours writes."""
    texts = (fact.id, fact.statement, fact.path, fact.sha256, fact.session, fact.run)
    if not all(isinstance(each, str) for each in texts):
        raise TypeError("a field is no text")
    if not is_fact_id(fact.id):
        raise ValueError("the id is none of ours")
    if not 0 <= fact.confidence <= 1 or fact.created_at.tzinfo is None:
        raise ValueError("the confidence or the time is none")
    if not 0 < len(fact.statement) <= MAX_STATEMENT or "\n" in fact.statement:
        raise ValueError("the statement is empty, too long, or more than a line")
    if len(fact.asked) > MAX_ASKED or not all(map(_KEY.fullmatch, fact.asked)):
        raise ValueError("the keys of questions are none of ours")
    if len(fact.passages) > _MAX_PASSAGES or len({each.path for each in fact.passages}) > 1:
        raise ValueError("the passages are too many, or of several files")
    for passage in fact.passages:
        _check_passage(passage)


def _check_passage(passage: Passage) -> None:
    numbers: tuple[object, ...] = (passage.first_line, passage.last_line)
    texts: tuple[object, ...] = (passage.path, *passage.lines, *passage.before, *passage.after)
    if not all(type(each) is int for each in numbers):
        raise TypeError("a line has no number")
    if not all(isinstance(each, str) for each in texts):
        raise TypeError("a path or a hash is no text")
    if not 1 <= passage.first_line <= passage.last_line < passage.first_line + _MAX_LINES:
        raise ValueError("the lines are none")
    if len(passage.lines) not in (0, passage.last_line - passage.first_line + 1):
        raise ValueError("a line has no hash")
