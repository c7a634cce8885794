"""One memory: a Markdown file whose front matter says what it is about, since when and why.

    ---
    name: prefers-tabs
    description: Indents with tabs in every language but Python.
    type: user
    created: 2026-11-25T20:04:00+00:00
    updated: 2026-11-25T20:04:00+00:00
    source: "session 4f2a: Why did you reindent my Makefile?"
    about: [Makefile, tools/build.go:12]
    ---
    Said after spaces had broken a Makefile.

People may write and change such files by hand: `type` and `description` must be there, the rest
has defaults. `about` names paths (relative to the workspace), lines and symbols. No memory may hold
what looks like a secret: it is a plain file, sent to models.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from glossator.core.shown import shown
from glossator.customizations import Malformed, read_front_matter

MAX_BYTES = 4_000  # of a file
MAX_DESCRIPTION = 200  # characters
MAX_NAME = 60  # characters

_PLAIN = re.compile(r"[A-Za-z][\w ./()-]*(?<! )|\d{4}-\d\d-\d\dT[\d:.+-]+")
_WORDS_OF_YAML = frozenset("true false yes no on off null y n".split())
_INDEX = "memory.md"
_KNOWN: tuple[tuple[str, str], ...] = (
    ("a private key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----"),
    ("an API key", r"\b(?:sk|pk|rk)[-_](?:[a-z0-9]{2,10}[-_])*[A-Za-z0-9_-]{16,}"),
    ("a token of GitHub", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})"),
    ("a token of GitLab", r"\bgl(?:pat|ptt|dt|rt)-[\w-]{16,}"),
    ("a token of Slack", r"\bxox[abeoprs]-[\w-]{10,}"),
    ("a key of AWS", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a key of Google", r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"),
    ("a token of a package registry", r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,})"),
    ("a token of Hugging Face", r"\bhf_[A-Za-z0-9]{25,}"),
    ("a signed token", r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"),
    ("an address with a password", r"://[^/\s:@]*:(?![$<{*%])[^/\s:@]{3,}@"),
    (
        "a password of a command",
        r"\bcurl\b.*\s(?:-u|--user)[ =]?[\"']?[^\s:\"']+:(?![$<{*%])\S{3,}",
    ),
    ("an authorization", r"(?i)\b(?:bearer|basic)\s+(?=\S*\d)[\w+/.~=-]{16,}"),
)
_PATTERNS = tuple((what, re.compile(pattern)) for what, pattern in _KNOWN)
_SECRET_SAID = (
    re.compile(  # a word for a secret, alone or as the end of a name, and what follows it
        r"(?:\b|(?<=_)|(?<=[a-z])(?=[A-Z]))"
        r"(?i:(?P<what>pass(?:word|wd|phrase|code)|pwd|secret|token|credential"
        r"|(?:api|access|secret|auth|encryption)[ _-]?key)s?\b[\"'`]?"
        r"(?P<joint>\s*[:=]\s*|\s+is\s+|[ \t]+)[\"'`]?(?P<value>[^\s\"'`,;]{4,}))"
    )
)
_PASSWORDS = re.compile(r"(?i)pass|pwd")
_PLACEHOLDER = re.compile(  # where a secret is, or would be
    r"[$<{*%(\[].*|\.\.\.|x{3,}|(?i:none|null|true|false|empty|required|optional|changeme)\W*"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\W*|[\w.-]*(?:environ|getenv|vault|keychain)\b.*|[a-z]+://\S*"
    r"|[~.]{0,2}/?(?:[\w.@-]+/)*[\w@-]*\.[a-z]{1,5}|~?\.{0,2}/\S*|[a-z.-]+(?:/[a-z.-]+)+"
)


class MemoryType(StrEnum):
    """What a memory is about."""

    USER = "user"  # who the user is, and what they like
    FEEDBACK = "feedback"  # how the user wants the work done
    PROJECT = "project"  # decisions, reasons, states of the project
    REFERENCE = "reference"  # where something is found


@dataclass(frozen=True, slots=True)
class Memory:
    """The content of one file; `everywhere`: it counts in all workspaces, not in one alone.

    `source` is the session and the question that it is from; "" if nobody said.
    """

    path: Path
    everywhere: bool
    name: str
    description: str
    type: MemoryType
    text: str
    created: datetime
    updated: datetime
    source: str = ""
    about: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The workspaces in which it counts, in words."""
        return "everywhere" if self.everywhere else "this workspace"

    @property
    def version(self) -> str:
        """A value that changes with the content."""
        said = "\0".join((self.name, self.type, self.description, self.text, *self.about))
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]

    def file(self) -> str:
        """The content of its file."""
        head = {
            "name": self.name,
            "description": self.description,
            "type": self.type,
            "created": self.created.isoformat(timespec="seconds"),
            "updated": self.updated.isoformat(timespec="seconds"),
            "source": self.source,
        }
        lines = [f"{key}: {_scalar(value)}" for key, value in head.items() if value]
        if self.about:
            lines.append(f"about: [{', '.join(map(_quoted, self.about))}]")
        return "\n".join(("---", *lines, "---", self.text, ""))


def parse_memory(
    content: bytes, path: Path, changed: datetime, *, everywhere: bool
) -> Memory | str:
    """The memory in a file that was `changed` then; or why it is none, said after its name."""
    if len(content) > MAX_BYTES:
        return f"has more than {MAX_BYTES:,} bytes; shorten it, or make two of it."
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8; save it so."
    read = read_front_matter(text)
    if isinstance(read, Malformed):
        return read.why
    kinds = ", ".join(MemoryType)
    try:
        kind = MemoryType(read.text("type"))
    except ValueError:
        found = shown(read.text("type")) or "nothing"
        return f"has {found} as its type; write one of {kinds} into its front matter."
    description = read.text("description")
    if not description:
        return "has no description; add one line to its front matter that says what it is about."
    about = read.fields.get("about", "")
    named = about if isinstance(about, list) else read.names("about")
    updated = _time(read.text("updated"), changed)
    return Memory(
        path,
        everywhere,
        shown(read.text("name") or path.stem)[:MAX_NAME],
        shown(description)[:MAX_DESCRIPTION],
        kind,
        read.body,
        min(_time(read.text("created"), updated), updated),
        updated,
        read.text("source"),
        tuple(" ".join(each.split()) for each in named if isinstance(each, str)),
    )


def problem_in(path: Path) -> str:
    """Why a file is no memory, said after its name; "" if it is one. Blocking."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return f"cannot be read ({error.strerror})."
    found = parse_memory(content, path, datetime.now(UTC), everywhere=False)
    return found if isinstance(found, str) else ""


def is_memory_file(name: str) -> bool:
    """Whether a file of this name is a memory; the index is none."""
    return name.endswith(".md") and name.lower() != _INDEX and not name.startswith(".")


def _time(text: str, default: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:  # none, or one that a person wrote in another form
        return default
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _scalar(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS_OF_YAML
    return value if plain else _quoted(value)


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # which YAML reads as the same text


def secret_in(text: str) -> str:
    """What of `text` looks like a secret, in words that do not repeat it; "" if nothing does."""
    for what, pattern in _PATTERNS:
        if found := pattern.search(text):
            return f"{what} ({found[0].lstrip(':/')[:4]}…)"
    for said in _SECRET_SAID.finditer(text):
        if _is_value(said):
            return f"a {said['what'].lower()} ({said['value'][:2]}…)"
    return ""


def _is_value(said: re.Match[str]) -> bool:
    """Whether the words give the secret itself: `password: hunter2`, not `the token is expired`."""
    value = said["value"].rstrip(".)")
    if _PLACEHOLDER.fullmatch(value):
        return False
    digits = bool(re.search(r"\d", value))
    mixed = bool(re.search(r"[A-Za-z]", value)) and bool(re.search(r"[\d\W_]", value))
    if _PASSWORDS.match(said["what"]):
        if not said["joint"].strip():  # `password hunter2`, not `password check`
            return mixed and digits
        return mixed or "is" not in said["joint"]
    return mixed and digits and len(value) >= 8
