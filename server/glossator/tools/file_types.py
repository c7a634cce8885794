"""Names of file types, as the Grep tool takes them."""

from __future__ import annotations

from glossator.core.errors import UsageError

_TYPES: dict[str, tuple[str, ...]] = {
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl"),
    "cs": (".cs",),
    "css": (".css", ".scss", ".sass", ".less"),
    "dart": (".dart",),
    "elixir": (".ex", ".exs"),
    "go": (".go",),
    "haskell": (".hs",),
    "html": (".html", ".htm"),
    "java": (".java",),
    "js": (".js", ".jsx", ".mjs", ".cjs"),
    "json": (".json", ".jsonl", ".jsonc"),
    "kotlin": (".kt", ".kts"),
    "lua": (".lua",),
    "make": ("Makefile", "makefile", ".mk"),
    "md": (".md", ".markdown", ".mdx"),
    "php": (".php",),
    "py": (".py", ".pyi"),
    "r": (".r", ".R"),
    "ruby": (".rb", ".rake", "Gemfile", "Rakefile"),
    "rust": (".rs",),
    "scala": (".scala",),
    "sh": (".sh", ".bash", ".zsh"),
    "sql": (".sql",),
    "swift": (".swift",),
    "toml": (".toml",),
    "ts": (".ts", ".tsx", ".mts", ".cts"),
    "txt": (".txt", ".rst"),
    "vue": (".vue",),
    "xml": (".xml", ".xsd", ".svg"),
    "yaml": (".yaml", ".yml"),
    "zig": (".zig",),
}
_ALIASES = {
    "bash": "sh",
    "c++": "cpp",
    "csharp": "cs",
    "javascript": "js",
    "markdown": "md",
    "python": "py",
    "rb": "ruby",
    "rs": "rust",
    "shell": "sh",
    "tsx": "ts",
    "typescript": "ts",
    "yml": "yaml",
}


def extensions_of(file_type: str) -> tuple[str, ...]:
    """The endings of a type's file names. Raises `UsageError` for an unknown type."""
    name = file_type.lower().lstrip(".")
    try:
        return _TYPES[_ALIASES.get(name, name)]
    except KeyError:
        raise UsageError(
            f"Unknown file type {file_type!r}.\nUse glob instead, or one of {', '.join(_TYPES)}."
        ) from None
