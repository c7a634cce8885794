"""Loads `prompts/**/*.md`: a front-matter of plain `key: value` lines, then the prompt's text.

Front-matter keys: `name`, `role` (system, user or tool), `version`, and `inputs`, a comma-separated
list of the `{{names}}` the text uses. A name that is missing on either side is an error, at load
time for the file and at render time for the caller.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from glossator.core.errors import PromptError

_KEYS = {"name", "role", "version", "inputs"}
_ROLES = {"system", "user", "tool"}
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_FILE = re.compile(r"---\n(?P<head>.*?)\n---\n(?P<body>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file; `sha256` is of the whole file and serves in cache keys."""

    name: str
    role: str
    version: str
    inputs: frozenset[str]
    text: str
    sha256: str

    @property
    def opening(self) -> str:
        """What every rendering begins with."""
        return self.text.partition("{{")[0]

    def first_value(self, rendered: str) -> str:
        """What was filled in first in a rendering, one line of it at most."""
        after = self.text.partition("}}")[2].partition("{{")[0].partition("\n")[0]
        line = rendered.removeprefix(self.opening).partition("\n")[0]
        return line.partition(after)[0] if after else line

    def render(self, **values: str) -> str:
        """The text with every input filled in. Raises `PromptError` on a wrong set of inputs."""
        if values.keys() != self.inputs:
            raise PromptError(
                f"Prompt {self.name} takes {_names(self.inputs)}, it was given {_names(values)}."
            )
        return _SLOT.sub(lambda slot: values[slot[1]], self.text)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `prompts/<name>.md`. Raises `PromptError`."""
    path = _folder() / f"{name}.md"
    try:
        content = path.read_text("utf-8")
    except OSError as error:
        raise PromptError(f"Prompt {name} is unreadable ({error}); reinstall it.") from error
    return parse_prompt(name, content)


def load_prompts(names: Iterable[str]) -> dict[str, Prompt]:
    """Several prompts, by name. Raises `PromptError`."""
    return {name: load_prompt(name) for name in names}


def parse_prompt(name: str, content: str) -> Prompt:
    """Check and take apart a prompt file. Raises `PromptError`."""
    match = _FILE.fullmatch(content)
    if match is None:
        raise PromptError(f"Prompt {name} must start with a front-matter between two --- lines.")
    pairs = [_pair(name, line) for line in match["head"].splitlines()]
    head = dict(pairs)
    if head.keys() != _KEYS or len(pairs) != len(head):
        raise PromptError(f"Prompt {name} must have each of the keys {_names(_KEYS)} once.")
    if head["name"] != name or head["role"] not in _ROLES:
        raise PromptError(f"Prompt {name} must carry its own name and a role of {_names(_ROLES)}.")
    inputs = frozenset(word.strip() for word in head["inputs"].split(",") if word.strip())
    text = match["body"].strip()
    if (used := frozenset(_SLOT.findall(text))) != inputs:
        raise PromptError(f"Prompt {name} declares {_names(inputs)} but uses {_names(used)}.")
    if "{{" in _SLOT.sub("", text):
        raise PromptError(f"Prompt {name} has braces that name no input; write {{{{name}}}}.")
    digest = hashlib.sha256(content.encode()).hexdigest()
    return Prompt(name, head["role"], head["version"], inputs, text, digest)


def _folder() -> Path:
    package = Path(__file__).parent.parent
    shipped = package / "_prompts"  # where a wheel puts them
    return shipped if shipped.is_dir() else package.parent.parent / "prompts"


def _pair(name: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise PromptError(f"Prompt {name} has a front-matter line without a colon: {line!r}.")
    return key.strip(), value.strip()


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
