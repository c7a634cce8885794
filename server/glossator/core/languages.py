"""The languages we know, by file names or by text. Their grammars are in `symbols`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from glossator.core.errors import DeclarationError

MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class _Language:
    """What tells a language, as words in one string.

    `extensions` are without dots, `names` those of whole files, `programs` stand in a `#!` line,
    `editors` are other names that editors have for it. `code` has definitions.
    """

    extensions: str
    names: str = ""
    programs: str = ""
    editors: str = ""
    code: bool = True


_LANGUAGES = {
    "python": _Language(
        "py pyi pyw",
        names="sconstruct sconscript wscript",
        programs="python python2 python3",
    ),
    "javascript": _Language("js jsx mjs cjs", programs="node", editors="javascriptreact"),
    "typescript": _Language("ts mts cts"),
    "tsx": _Language("tsx", editors="typescriptreact"),
    "go": _Language("go"),
    "rust": _Language("rs"),
    "c": _Language("c"),
    # A header's name does not say which of the two it is; C++ reads nearly all of C.
    "cpp": _Language("cpp h cc cxx c++ hh hpp hxx h++ ipp inl tpp"),
    "java": _Language("java"),
    "csharp": _Language("cs csx", editors="cs"),
    "ruby": _Language("rb rake gemspec ru", names="rakefile gemfile vagrantfile", programs="ruby"),
    "php": _Language("php phtml", programs="php"),
    "bash": _Language(
        "sh bash bats ksh",
        names=".bashrc .bash_profile .bash_aliases .profile pkgbuild",
        programs="bash sh dash ksh",
        editors="shellscript sh",
    ),
    "json": _Language("json jsonc webmanifest", editors="jsonc", code=False),
    "yaml": _Language("yaml yml", code=False),
    "toml": _Language("toml", names="pipfile", code=False),
    MARKDOWN: _Language("md markdown mkd", code=False),
}
LANGUAGES = frozenset(_LANGUAGES)
CODE = frozenset(name for name, language in _LANGUAGES.items() if language.code)


def _by(words_of: Callable[[_Language], str]) -> dict[str, str]:
    """The language by each of some words. Raises `DeclarationError` for a word of two."""
    found: dict[str, str] = {}
    for name, language in _LANGUAGES.items():
        for word in words_of(language).split():
            if (other := found.setdefault(word, name)) != name:
                raise DeclarationError(f"{word!r} stands for {other} and for {name}; choose one.")
    return found


_BY_EXTENSION = _by(lambda language: language.extensions)
_BY_NAME = _by(lambda language: language.names)
_BY_PROGRAM = _by(lambda language: language.programs)
_BY_EDITORS_NAME = _by(lambda language: language.editors)

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([a-z]+[23]?)(?:[\d.]*)(?=\s|$)")
_ONLY_CPP = re.compile(
    r"^[ \t]*(?:template[ \t]*<|namespace[ \t]+[\w:]*[ \t]*\{?[ \t]*$|namespace[ \t\w:]*\{"
    r"|class[ \t]+\w[\w \t]*(?:[:;{]|$)|(?:public|private|protected)[ \t]*:"
    r"|using[ \t]+[\w:]+|#[ \t]*include[ \t]*<[a-z_]+>)|\w::~?\w",
    re.MULTILINE,
)


def language_of(path: str, text: str | None = None) -> str | None:
    """The language of a file; None if it is not one we know.

    Its name decides. Where the name leaves it open (a header of C or C++, a script without an
    extension), the beginning of `text` does, if it is given.
    """
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        if extension == "h" and text is not None and not _ONLY_CPP.search(text):
            return "c"
        return _BY_EXTENSION.get(extension)
    shebang = _SHEBANG.match(text) if text and not dot else None
    return _BY_NAME.get(name) or (_BY_PROGRAM.get(shebang[1]) if shebang else None)


def ending_of(language_id: str) -> str:
    """What the names of files in a language end in, as editors name it; "" for an unknown one."""
    language = _LANGUAGES.get(_BY_EDITORS_NAME.get(language_id, language_id))
    return f".{language.extensions.split()[0]}" if language else ""
