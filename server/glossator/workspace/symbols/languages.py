"""The languages we outline: by which file names they are known and which grammar parses them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language, Query

from glossator.workspace.symbols import queries

MARKDOWN = "markdown"

_EXTENSIONS = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "c": "c",
    # Headers do not say which of the two they are; C++ reads nearly all of C, not the reverse.
    "cpp": "h cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp",
    "java": "java",
    MARKDOWN: "md markdown mkd",
}
_BY_EXTENSION = {ext: language for language, all_ in _EXTENSIONS.items() for ext in all_.split()}
_BY_NAME = {"sconstruct": "python", "sconscript": "python", "wscript": "python"}


@dataclass(frozen=True, slots=True)
class Grammar:
    """A tree-sitter grammar and our query for its definitions."""

    language: Language
    query: Query


@dataclass(frozen=True, slots=True)
class _Source:
    module: str
    query: str
    function: str = "language"


_SOURCES = {
    "python": _Source("tree_sitter_python", queries.PYTHON),
    "javascript": _Source("tree_sitter_javascript", queries.JAVASCRIPT),
    "typescript": _Source("tree_sitter_typescript", queries.TYPESCRIPT, "language_typescript"),
    "tsx": _Source("tree_sitter_typescript", queries.TYPESCRIPT, "language_tsx"),
    "go": _Source("tree_sitter_go", queries.GO),
    "rust": _Source("tree_sitter_rust", queries.RUST),
    "c": _Source("tree_sitter_c", queries.C),
    "cpp": _Source("tree_sitter_cpp", queries.CPP),
    "java": _Source("tree_sitter_java", queries.JAVA),
}
LANGUAGES = frozenset({*_SOURCES, MARKDOWN})


def language_of(path: str) -> str | None:
    """The language of a file by its name alone; None if it is not one we outline."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        return _BY_EXTENSION.get(extension)
    return _BY_NAME.get(name)


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of `language`, imported when it is first asked for.

    Raises `KeyError` for a language without one (Markdown has none).
    """
    source = _SOURCES[language]
    grammar = Language(getattr(import_module(source.module), source.function)())
    return Grammar(grammar, Query(grammar, source.query))
