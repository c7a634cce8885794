"""What the commands about memories answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory as it is listed; `created` and `updated` are ISO 8601.

    `source`: it counts everywhere (user), or in this workspace (project). `state` is `off` where
    `memory.enabled` is or the user turned it off, and `stale` where something that it names is
    gone; `why` says which, and what is gone. `origin` says how old it is, and which session and
    question it is from. `about` are the paths, lines and symbols that it names.
    """

    name: str
    type: str
    description: str
    source: Literal["user", "project"]
    state: Literal["on", "off", "stale"]
    why: str
    origin: str
    uri: str
    path: str
    created: str
    updated: str
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The memories that count here, those of this workspace first; `problems` are sentences.

    A file that is no memory is a problem, and stays as it is.
    """

    memories: tuple[MemoryView, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryText:
    """A memory, and all that it says."""

    memory: MemoryView
    text: str


@dataclass(frozen=True, slots=True)
class OpenedMemory:
    """Where the file of a memory is, for an editor to open."""

    uri: str
    path: str


@dataclass(frozen=True, slots=True)
class ForgottenMemory:
    """The name of the memory whose file was deleted, and how many are left here."""

    name: str
    left: int
