"""The arguments of Grep, also as options of grep and ripgrep, which models write by habit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from glossator.tools.base import ToolArgs

HEAD_LIMIT = 250

_MODES = {"-l": "files", "-c": "count", "-o": "content"}  # -o: whole lines tell more
_LITERAL = ("-F", "fixed_strings", "fixed_string")
_WORD = ("-w", "word_regexp", "whole_word")
_OPERATOR = re.compile(r"[\\.+*?()|\[\]{}^$]")
_SAFE_IN_BRACES = re.compile(r"(?!!)(?:[^{},]|\{[^{}]*\})+(?<!/)")
_NAMES_FILES = re.compile(r"[*?.]")  # else it may be a folder's name


class GrepArgs(ToolArgs):
    """Arguments of Grep."""

    pattern: str = Field(max_length=2_000, description="In RE2.")
    path: str | None = Field(None, description="File or folder.")
    glob: str | None = Field(None, description="Such as `*.py`.")
    type: str | None = Field(None, description="Such as `py`.")
    output_mode: Literal["files", "content", "count"] = "files"
    ignore_case: bool = Field(False, alias="-i", description="Ignore case.")
    before: int = Field(0, alias="-B", ge=0, le=100, description="Lines before.")
    after: int = Field(0, alias="-A", ge=0, le=100, description="Lines after.")
    context: int = Field(0, alias="-C", ge=0, le=100, description="Lines around.")
    multiline: bool = Field(False, description="Match across lines.")
    head_limit: int = Field(HEAD_LIMIT, ge=0, description="Most to show; 0 for all.")
    offset: int = Field(0, ge=0, description="How many to skip.")
    include_ignored: bool = Field(False, description="Also ignored files.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = {
        **dict.fromkeys(("-e", "expression"), ("pattern",)),
        **dict.fromkeys(("case_insensitive", "ignoreCase"), ("ignore_case",)),
        **dict.fromkeys(("context_lines", "-context"), ("context",)),
        **dict.fromkeys(("-U", "multi_line"), ("multiline",)),
        **dict.fromkeys(("-m", "limit"), ("head_limit",)),
        **dict.fromkeys(("no_ignore", "--no-ignore"), ("include_ignored",)),
        "before_context": ("before",),
        "after_context": ("after",),
        "file_type": ("type",),
        "mode": ("output_mode",),
    }
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "output_mode": dict.fromkeys(("files_with_matches", "files_only", "paths"), "files")
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        "-n -H line_numbers line_number show_line_numbers with_filename".split()
    )
    ignored_if_true: ClassVar[frozenset[str]] = frozenset("-r -R -E recursive".split())

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Translate the options of grep and ripgrep."""
        meant = dict(given)
        if isinstance(sensitive := meant.get("case_sensitive"), bool) and not (
            {"-i", "ignore_case"} & meant.keys()
        ):
            del meant["case_sensitive"]
            meant["ignore_case"] = not sensitive
        for flag, mode in _MODES.items():
            if meant.get(flag) is False or (
                meant.get(flag) is True and meant.setdefault("output_mode", mode) == mode
            ):
                del meant[flag]
        if isinstance(pattern := meant.get("pattern"), str):
            if _pop_flags(meant, _LITERAL):
                pattern = _OPERATOR.sub(r"\\\g<0>", pattern)
            if _pop_flags(meant, _WORD):
                pattern = rf"\b(?:{pattern})\b"
            meant["pattern"] = pattern
        _narrow(meant)
        return meant

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)

    @property
    def is_page(self) -> bool:
        """Whether the call asks for a page of the result."""
        return self.offset > 0 or "head_limit" in self.model_fields_set


def _pop_flags(meant: dict[str, Any], flags: tuple[str, ...]) -> bool:
    """Remove the flags; whether one of them was set."""
    values = [meant.pop(flag) for flag in flags if isinstance(meant.get(flag), bool)]
    return any(values)


def _narrow(meant: dict[str, Any]) -> None:
    if isinstance(paths := meant.get("path"), list) and paths:
        raise ValueError(
            "path is one file or folder; call Grep for each, or narrow by glob, such as {a,b}/**"
        )
    if "glob" in meant:
        meant["glob"] = _as_one(meant["glob"])
    elif isinstance(left_out := _as_one(meant.get("exclude")), str):
        del meant["exclude"]
        meant["glob"] = f"!{left_out}"


def _as_one(globs: object) -> object:
    """Several globs as one, if all are plain enough for braces."""
    if not isinstance(globs, list) or not all(isinstance(each, str) for each in globs):
        return globs
    if len(globs) == 1:
        return globs[0]
    fit = all(_SAFE_IN_BRACES.fullmatch(each) and _NAMES_FILES.search(each) for each in globs)
    return "{" + ",".join(globs) + "}" if globs and fit else globs
