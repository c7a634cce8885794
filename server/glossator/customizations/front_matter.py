"""Markdown that begins with front matter: lines of YAML between two lines of `---`.

Every scalar stays the text that it is written as (`yes`, `1.0`), no tag is obeyed, and aliases are
refused, so what is read is plain data, no larger than its file. Files for other agents often have
values that are not YAML, such as `description: Use this: often` or `argument-hint: [a] [b]`; where
reading fails, such a value of the first level is a text, as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

MAX_CHARACTERS = 16_000  # of front matter

Value: TypeAlias = "str | list[Value] | dict[str, Value]"

_FILE = re.compile(
    r"---[ \t]*\n(?P<head>.*?)^---[ \t]*(?:\n(?P<body>.*))?$", re.DOTALL | re.MULTILINE
)
_PAIR = re.compile(r"(?P<key>[\w-]+):[ \t]+(?P<value>[^\s\"'|>].*)", re.DOTALL)
_MAX_DEPTH = 8  # of lists and mappings in each other
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # six times as fast, in most wheels


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a file by name, in lower case, and the text after them, without blank ends."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""

    def text(self, name: str) -> str:
        """A field on one line; "" if it is not there, or not a text."""
        value = self.fields.get(name, "")
        return " ".join(value.split()) if isinstance(value, str) else ""

    def names(self, name: str) -> tuple[str, ...]:
        """A field with a list of words, or with words between commas or blanks."""
        value = self.fields.get(name, "")
        listed = value if isinstance(value, list) else [value]
        texts = [each for each in listed if isinstance(each, str)]
        return tuple(filter(None, re.split(r"[\s,]+", " ".join(texts))))

    def flag(self, name: str, *, default: bool) -> bool:
        """A field that is true or false."""
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        return words.get(self.text(name).lower(), default)


@dataclass(frozen=True, slots=True)
class Malformed:
    """Front matter that cannot be read; `why` is a sentence that follows the name of the file."""

    why: str


def read_front_matter(text: str) -> FrontMatter | Malformed:
    """What a file says; one that does not begin with `---` is all body."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").strip()
    if not re.match(r"---[ \t]*(\n|$)", text):
        return FrontMatter(body=text)
    found = _FILE.match(text)
    if found is None:
        return Malformed("begins with --- but has no second line of ---; add it below the fields.")
    fields = _fields(found["head"])
    if isinstance(fields, Malformed):
        return fields
    return FrontMatter(fields, (found["body"] or "").strip())


def _fields(head: str) -> dict[str, Value] | Malformed:
    if len(head) > MAX_CHARACTERS:
        return Malformed(f"has more than {MAX_CHARACTERS:,} characters between its lines of ---.")
    try:
        loaded = _load(head)
    except yaml.YAMLError as error:
        try:
            loaded = _load("\n".join(map(_mended, _blocks(head))))
        except yaml.YAMLError:
            return Malformed(_explained(error))
    if not loaded:
        return {}
    if not isinstance(loaded, dict):
        return Malformed("has no fields between its lines of ---; write them as `name: value`.")
    return {str(key).lower(): value for key, value in loaded.items()}


class _RefusedError(yaml.YAMLError):
    """YAML that we do not read; it has what `yaml.MarkedYAMLError` has."""

    def __init__(self, problem: str, problem_mark: object) -> None:
        super().__init__(problem)
        self.problem, self.problem_mark = problem, problem_mark


def _load(head: str) -> Value:
    """The data in YAML. Raises `YAMLError`, also for aliases and for what is too deep."""
    depth = 0
    for event in yaml.parse(head, _LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedError("aliases are refused", event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise _RefusedError("it is nested too deep", event.start_mark)
    loaded: Value = yaml.load(head, _LOADER) or ""  # noqa: S506 - it makes texts, lists and dicts
    return loaded


def _blocks(head: str) -> Iterator[str]:
    """The lines of each pair: indented ones and items of a list belong to the pair before."""
    block: list[str] = []
    for line in head.splitlines():
        if block and not line.startswith((" ", "\t", "- ")):
            yield "\n".join(block)
            block = []
        block.append(line)
    yield "\n".join(block)


def _mended(block: str) -> str:
    """A pair whose value is not YAML, with its value in quotes."""
    pair = _PAIR.fullmatch(block)
    if pair is None:
        return block
    try:
        _load(block)
    except yaml.YAMLError:
        value = " ".join(pair["value"].split()).replace("'", "''")
        return f"{pair['key']}: '{value}'"
    return block


def _explained(error: yaml.YAMLError) -> str:
    what, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    if what is None or mark is None:  # a character that YAML does not have
        return "has a character that YAML does not allow between its lines of ---; remove it."
    return f"is not YAML in line {mark.line + 2} ({what}); correct it, or put the value in quotes."
