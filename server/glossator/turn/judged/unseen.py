"""Whether something may be called without its name standing there as a word.

By a framework that knows it by its name, by a decorator that keeps it, by a class outside of the
workspace, by a name that is put together, or by one that comes from outside. In doubt it may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from time import monotonic

from glossator.core.document import Document, MissingReason
from glossator.core.file_kinds import CODE, language_of
from glossator.turn.judged.evidence import (
    FUNCTIONS,
    LANGUAGES,
    TYPES,
    Defined,
    Evidence,
    gives_away,
)
from glossator.workspace import FileEntry, Request, TextSearch

_HARMLESS = frozenset(
    "@staticmethod @classmethod @property @cached_property @functools.cached_property"
    " @contextmanager @contextlib.contextmanager @functools.cache @functools.lru_cache".split()
)
_CALLED_BY_TOOLS = re.compile(r"__\w+|(?i:test|pytest|setup|teardown)(?:_|[A-Z]|$).*")
_READ_BY_TOOLS = re.compile(r"(?:conf|conftest|setup|manage|noxfile|tasks)\.py|.*\.config\.\w+")
_NO_BASES = re.compile(r"\s*(?:\(\s*(?:object)?\s*\))?\s*:")  # of Python, behind the name
_SCRIPT_BASES = re.compile(r"\b(?:extends|implements)\b")
_EXPORTED = re.compile(r"\s*(?:export|module\.exports|exports)\b")
_MODULE = re.compile(r"^\s*(?:import|export)\b|\brequire\(", re.MULTILINE)
_PRIVATE = re.compile(r"\s*(?:private\b|#)")
_BOUNDARY = re.compile(r"(?<=[^_])_(?=[^_])|(?<=[a-z0-9])(?=[A-Z])")
_LEAST_PART = 2  # characters of a name that others may be put behind
_LITERAL = r"(?!\s*[\w.\[\]]+\s*,\s*[rbu]?[\"'])"  # `getattr(x, "name")` names what it takes
_OF_MEMBERS = (
    rf"\bgetattr\s*\({_LITERAL}(?!\s*mod(?:ule)?\b)|\b(?:eval|exec)\s*\("
    r"|\b(?:dir|getmembers|attrgetter|methodcaller)\s*\(|\bvars\s*\(\s*(?:cls|type|[A-Z])"
    r"|\b(?:cls|__class__|[A-Z]\w*|\))\.__dict__\b"
)
_OF_MODULES = (  # not of an object's own members, nor of what it holds
    rf"\bgetattr\s*\({_LITERAL}(?!\s*(?:self|cls|super)\b)"
    r"|\b(?:vars|dir|getmembers|attrgetter|methodcaller)\s*\((?!\s*(?:self|cls)\b)"
    r"|(?<!self\.)(?<!cls\.)\b__dict__\b"
)
_SCOPES = r"\b(?:globals|locals|vars|dir|eval|exec)\s*\("
_LOADS = r"\b(?:import_module|__import__|modules\[|iter_modules|walk_packages|resolve_name)"
_PYTHON = r"getattr|getmembers|attrgetter|methodcaller|vars|dir|__dict__|globals|locals|eval|exec"
_COMPUTED = r"[\w)]\[(?![\"'`\d])[^\]\n]+\]\s*(?:\?\.)?\(|\bReflect\.|\beval\("
_SCRIPT = r"\]\s*(?:\?\.)?\(|Object\.|Reflect\.|eval\("
_KEYS = r"|\bObject\.(?:keys|values|entries|getOwnPropertyNames)\("


def is_called_by_tools(evidence: Evidence, at: Defined) -> bool:
    """Whether something outside of the workspace may call it by its name, or keep it."""
    symbol, path = at.symbol, at.document.path
    if at.language not in LANGUAGES or symbol.kind not in FUNCTIONS | TYPES:
        return True
    if not evidence.is_product(path) or _READ_BY_TOOLS.fullmatch(PurePath(path).name):
        return True
    decorators = at.document.lines[symbol.first_line - 1 : symbol.name_line - 1]
    if _CALLED_BY_TOOLS.fullmatch(symbol.name) or not {d.strip() for d in decorators} <= _HARMLESS:
        return True
    return is_renamed(at) or "@" in at.document.lines[symbol.name_line - 1][: symbol.name_column]


def is_renamed(at: Defined) -> bool:
    """Whether what imports it gives it any name."""
    line = at.document.lines[at.symbol.name_line - 1]
    return at.language != "python" and re.search(r"\bdefault\b", line) is not None


def has_bases(at: Defined) -> bool:
    """Whether a class has bases, which may call what it defines."""
    head = at.head
    behind = head[head.find(at.symbol.name) + len(at.symbol.name) :]
    if at.language == "python":
        return _NO_BASES.match(behind) is None
    return _SCRIPT_BASES.search(behind) is not None


def is_private(evidence: Evidence, at: Defined) -> bool:
    """Whether code outside of the workspace is asked not to call it."""
    symbol = at.symbol
    if at.language == "python":
        path = evidence.snapshot.relative(at.document.path)
        modules = PurePath(path).with_suffix("").parts
        names = (*modules, *symbol.container, symbol.name)
        return any(each.startswith("_") and not each.endswith("__") for each in names)
    line = at.document.lines[symbol.name_line - 1]
    if symbol.container:
        return bool(_PRIVATE.match(line)) or symbol.name.startswith("#")
    return not _EXPORTED.match(line) and _MODULE.search(at.document.text) is not None


def is_reached(evidence: Evidence, at: Defined, *, is_member: bool) -> bool:
    """Whether code may reach it by a name that is put together, or that comes from outside.

    Blocking. `is_member`: it belongs to a class.
    """
    built = "|".join(_built(at.symbol.name))
    if built and any(_holding(evidence, built, lambda _: True)):
        return True
    pattern = _PYTHON if at.language == "python" else _SCRIPT
    may_reach = (_may_reach_member if is_member else _may_reach)(at)
    return any(_holding(evidence, pattern, may_reach))


def _may_reach_member(at: Defined) -> Callable[[Document], bool]:
    """Whether a file asks objects for members by name, and knows of the class."""
    is_python = at.language == "python"
    dynamic = re.compile(_OF_MEMBERS if is_python else f"{_COMPUTED}{_KEYS}")
    known = re.compile(rf"\b{re.escape(at.symbol.container[-1])}\b")

    def may_reach(document: Document) -> bool:
        is_near = document.path == at.document.path or known.search(document.text) is not None
        return is_near and dynamic.search(document.text) is not None

    return may_reach


def _may_reach(at: Defined) -> Callable[[Document], bool]:
    """Whether a file asks for names of a scope that it is in, or of modules that it may have.

    A function within another is in the scope of its file alone.
    """
    path, is_python = PurePath(at.document.path), at.language == "python"
    stem = re.escape(path.parent.name if gives_away(str(path)) else path.stem)
    if is_python:
        has = re.compile(rf"^\s*(?:from\s+\S+\s+)?import\s[^#\n]*\b{stem}\b|{_LOADS}", re.MULTILINE)
        asks, scope = re.compile(_OF_MODULES), re.compile(_SCOPES)
    else:
        has = re.compile(rf"(?:\*\s*as\s+\w+\s+from|require\(|import\()\s*[\"'`][^\"'`]*\b{stem}\b")
        asks, scope = re.compile(f"{_COMPUTED}{_KEYS}"), re.compile(r"\beval\(")

    def may_reach(document: Document) -> bool:
        if document.path == at.document.path and scope.search(document.text):
            return True
        has_module = not at.symbol.container and has.search(document.text) is not None
        return has_module and asks.search(document.text) is not None

    return may_reach


def _built(name: str) -> Iterator[str]:
    """Patterns of code that puts a name together: `"visit_" + x`, `f"{x}_usage"`."""
    for match in _BOUNDARY.finditer(name):
        before, behind = name[: match.end()], name[match.start() :]
        is_hump = not match[0]
        plus, joined = (r"[\"'`] *\+", r"\+ *[\"'`]") if is_hump else ("[\"'`]", "[\"'`]")
        if len(before.strip("_")) >= _LEAST_PART:
            yield rf"\b{re.escape(before)}(?:\$?\{{|{plus}|%)"
        yield rf"(?:\}}|{joined}|%s){re.escape(behind)}\b"


def _holding(
    evidence: Evidence, pattern: str, wanted: Callable[[Document], bool]
) -> Iterator[bool]:
    """True for each wanted file that holds a pattern, and if not all could be searched."""

    def is_late() -> bool:
        return monotonic() > evidence.deadline

    search = TextSearch(evidence.snapshot, Request(pattern), is_late)
    entry: FileEntry
    for entry in search.files(search.by_path()):
        if evidence.is_prose(entry.path):
            continue
        document = evidence.snapshot.read(entry.path)
        is_code = language_of(entry.path) in CODE
        yield not isinstance(document, Document) or (is_code and wanted(document))
    yield is_late() or any(why is not MissingReason.BINARY for why in search.unsearched.values())
