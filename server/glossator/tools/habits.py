"""Other names of arguments that models write by habit, and what is meant by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# other names, with the arguments that may be meant, likeliest first
NAMES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("file_path", "filepath", "filename", "file", "directory", "dir"), ("path",)),
    **dict.fromkeys(("old_string", "old_str", "search"), ("old_text",)),
    **dict.fromkeys(("new_string", "new_str", "replace"), ("new_text",)),
    **dict.fromkeys(("cmd", "script"), ("command",)),
    **dict.fromkeys(("workdir", "working_directory"), ("cwd",)),
    **dict.fromkeys(("regex", "regexp", "search_term"), ("pattern", "query")),
    **dict.fromkeys(("include", "file_pattern", "glob_pattern", "includes"), ("glob",)),
    **dict.fromkeys(("max_results", "max_count", "num_results"), ("head_limit", "limit")),
    **dict.fromkeys(("prompt", "question"), ("task",)),
    "query": ("pattern", "task"),
    "pattern": ("query",),
    "symbol": ("name",),
    "text": ("content",),
    "contents": ("content",),
    "run_in_background": ("background",),
}

# arguments that only say why a call is made
DESCRIBING = frozenset(
    "description explanation reason reasoning rationale justification title purpose".split()
)

SINGLE = frozenset({"path", "glob", "type"})  # arguments of which one may come in a list
