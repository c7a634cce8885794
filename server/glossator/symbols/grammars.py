"""The grammar of each language, and the query that finds its definitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language, Query

from glossator.core.errors import DeclarationError
from glossator.core.file_kinds import CODE, LANGUAGES, MARKDOWN
from glossator.symbols.queries import (
    BASH,
    CPP,
    CSHARP,
    GO,
    JAVA,
    JAVASCRIPT,
    PHP,
    PYTHON,
    RUBY,
    RUST,
    TYPESCRIPT,
    C,
)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a grammar comes from; `query` finds its definitions, "" if code of ours does."""

    module: str
    query: str = ""
    function: str = "language"


_SOURCES = {
    "python": _Source("tree_sitter_python", PYTHON),
    "javascript": _Source("tree_sitter_javascript", JAVASCRIPT),
    "typescript": _Source("tree_sitter_typescript", TYPESCRIPT, "language_typescript"),
    "tsx": _Source("tree_sitter_typescript", TYPESCRIPT, "language_tsx"),
    "go": _Source("tree_sitter_go", GO),
    "rust": _Source("tree_sitter_rust", RUST),
    "c": _Source("tree_sitter_c", C),
    "cpp": _Source("tree_sitter_cpp", CPP),
    "java": _Source("tree_sitter_java", JAVA),
    "csharp": _Source("tree_sitter_c_sharp", CSHARP),
    "ruby": _Source("tree_sitter_ruby", RUBY),
    "php": _Source("tree_sitter_php", PHP, "language_php"),
    "bash": _Source("tree_sitter_bash", BASH),
    "json": _Source("tree_sitter_json"),
    "yaml": _Source("tree_sitter_yaml"),
    "toml": _Source("tree_sitter_toml"),
    "markdown": _Source("tree_sitter_markdown"),
}
_WITH_QUERY = {name for name, source in _SOURCES.items() if source.query}
if lacking := sorted((LANGUAGES - {MARKDOWN} - _SOURCES.keys()) | (CODE ^ _WITH_QUERY)):
    raise DeclarationError(
        f"{', '.join(lacking)}: give each language of core/file_kinds.py a grammar here, and one of"
        " code a query."
    )


@cache
def grammar_of(language: str) -> Language:
    """The grammar of `language`, imported when it is first asked for. Raises `KeyError`."""
    source = _SOURCES[language]
    return Language(getattr(import_module(source.module), source.function)())


@cache
def definitions_query(language: str) -> Query:
    """What counts as a definition in a language of `CODE`."""
    return Query(grammar_of(language), _SOURCES[language].query)
