"""The languages we know, and how a file is told to be in one of them."""

from __future__ import annotations

import re

MARKDOWN = "markdown"
DATA = frozenset({"json", "yaml", "toml"})

_EXTENSIONS = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "c": "c",
    # A header's name does not say which of the two it is; C++ reads nearly all of C.
    "cpp": "cpp h cc cxx c++ hh hpp hxx h++ ipp inl tpp",
    "java": "java",
    "csharp": "cs csx",
    "ruby": "rb rake gemspec ru",
    "php": "php phtml",
    "bash": "sh bash bats ksh",
    "json": "json jsonc webmanifest",
    "yaml": "yaml yml",
    "toml": "toml",
    MARKDOWN: "md markdown mkd",
}
_EDITORS_NAMES = {
    "javascriptreact": "javascript",
    "typescriptreact": "tsx",
    "shellscript": "bash",
    "sh": "bash",
    "jsonc": "json",
    "cs": "csharp",
}
_NAMES = {
    "python": "sconstruct sconscript wscript",
    "ruby": "rakefile gemfile vagrantfile",
    "bash": ".bashrc .bash_profile .bash_aliases .profile pkgbuild",
    "toml": "pipfile",
}
_PROGRAMS = {
    "python": "python python2 python3",
    "javascript": "node",
    "ruby": "ruby",
    "php": "php",
    "bash": "bash sh dash ksh",
}


def _reversed(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_EXTENSION = _reversed(_EXTENSIONS)
_BY_NAME = _reversed(_NAMES)
_BY_PROGRAM = _reversed(_PROGRAMS)

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([a-z]+[23]?)(?:[\d.]*)(?=\s|$)")
_ONLY_CPP = re.compile(
    r"^[ \t]*(?:template[ \t]*<|namespace[ \t]+[\w:]*[ \t]*\{?[ \t]*$|namespace[ \t\w:]*\{"
    r"|class[ \t]+\w[\w \t]*(?:[:;{]|$)|(?:public|private|protected)[ \t]*:"
    r"|using[ \t]+[\w:]+|#[ \t]*include[ \t]*<[a-z_]+>)|\w::~?\w",
    re.MULTILINE,
)

LANGUAGES = frozenset(_EXTENSIONS)
CODE = LANGUAGES - DATA - {MARKDOWN}  # those with definitions


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
    extensions = _EXTENSIONS.get(_EDITORS_NAMES.get(language_id, language_id), "")
    return f".{extensions.split()[0]}" if extensions else ""
