"""Options of grep and ripgrep, as arguments of Grep."""

from __future__ import annotations

import re
from typing import Any

_MODES = {"-l": "files", "-c": "count", "-o": "content"}  # -o: whole lines tell more
_LITERAL = ("-F", "fixed_strings", "fixed_string")
_WORD = ("-w", "word_regexp", "whole_word")
_OPERATOR = re.compile(r"[\\.+*?()|\[\]{}^$]")
_SAFE_IN_BRACES = re.compile(r"(?!!)(?:[^{},]|\{[^{}]*\})+(?<!/)")
_NAMES_FILES = re.compile(r"[*?.]")  # else it may be a folder's name


def as_grep(given: dict[str, Any]) -> dict[str, Any]:
    """What is meant by them; what is not understood stays."""
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
        if _is_set(meant, _LITERAL):
            pattern = _OPERATOR.sub(r"\\\g<0>", pattern)
        if _is_set(meant, _WORD):
            pattern = rf"\b(?:{pattern})\b"
        meant["pattern"] = pattern
    _narrow(meant)
    return meant


def _is_set(meant: dict[str, Any], flags: tuple[str, ...]) -> bool:
    """Whether one of the flags is set; those that are understood are taken out."""
    told = [meant.pop(flag) for flag in flags if isinstance(meant.get(flag), bool)]
    return any(told)


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
    """Several patterns of file names as one, if each is plain enough to stand in braces."""
    if not isinstance(globs, list) or not all(isinstance(each, str) for each in globs):
        return globs
    if len(globs) == 1:
        return globs[0]
    fit = all(_SAFE_IN_BRACES.fullmatch(each) and _NAMES_FILES.search(each) for each in globs)
    return "{" + ",".join(globs) + "}" if globs and fit else globs
