"""What a file is by its name: its language (the grammars are in `symbols`), and its kind.

The kind says how much the lines of a file count as an answer. A question about code is answered by
the code first: tests, examples, prose and generated files repeat its words more often than they
explain it. A question that names such a kind wants it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from glossator.core.errors import DeclarationError

MARKDOWN = "markdown"
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([a-z]+[23]?)(?:[\d.]*)(?=\s|$)")
_ONLY_CPP = re.compile(
    r"^[ \t]*(?:template[ \t]*<|namespace[ \t]+[\w:]*[ \t]*\{?[ \t]*$|namespace[ \t\w:]*\{"
    r"|class[ \t]+\w[\w \t]*(?:[:;{]|$)|(?:public|private|protected)[ \t]*:"
    r"|using[ \t]+[\w:]+|#[ \t]*include[ \t]*<[a-z_]+>)|\w::~?\w",
    re.MULTILINE,
)


class FileKind(IntEnum):
    """Kinds of files, in the order in which the uses of a symbol are listed."""

    CODE = 0
    TEST = 1
    EXAMPLE = 2
    CHANGELOG = 3
    PROSE = 4
    GENERATED = 5
    DATA = 6
    CUSTOMIZATION = 7  # describes a sub-agent, a skill or a slash command


@dataclass(frozen=True, slots=True)
class _Rule:
    """Paths of one kind (relative, `/` between folders), and the weight of their lines, 0 to 1."""

    kind: FileKind
    path: re.Pattern[str]
    asked: re.Pattern[str]  # a question that names the kind
    weight: float


def _rule(kind: FileKind, path: str, asked: str, weight: float) -> _Rule:
    return _Rule(kind, re.compile(path, re.VERBOSE), re.compile(asked, re.IGNORECASE), weight)


# A package may hold `test/client.py` or `mock.py` as part of the product: `test` in the singular is
# of tests at the top of a source tree only, or in the name of a file that has more to its name.
_RULES = (  # the first that fits counts
    _rule(
        FileKind.CUSTOMIZATION,  # it speaks of the code, in the words that questions use
        r"(^|/) \. ( agents/ | claude/ (agents | skills | commands) / .* (?i: \.md ) $ )",
        r"\bsub-?agents?\b|\bskills?\b|\bslash commands?\b|\.claude\b",
        0.1,
    ),
    _rule(
        FileKind.GENERATED,
        r"\. ((min|bundle) \. [^/]+ | map | lock | sum | svg ) $ | -lock\.[^/]+ $",
        r"\b(minif\w+|bundles?|lock(ed|file)?|svg)\b",
        0.1,
    ),
    _rule(
        FileKind.TEST,
        r"""
        ^ (?i: (?:packages|crates|modules|apps|libs|services|clients|plugins) / [^/]+ / )?
            (?i: tests? | specs? | fixtures | mocks ) /
        | (^|/) (?i: tests | __tests__ | __mocks__ | __fixtures__ | __snapshots__ ) /
        | (^|/) (?i: e2e | testdata | test[_-]?(data|fixtures|cases) | src/test ) /
        | (^|/) src/ [a-z]+ Test /  # src/commonTest/
        | ^ (?i: tests? | specs? ) \. [^/]* $
        | (^|/) (?i: tests | conftest ) \. [^/]* $
        | (^|/) (?i: tests? | specs? ) [_-] [^/]* $  # test_a.py
        | [^/] [_.-] (?i: tests? | specs? ) ( [.-] [^/]* )? $  # a_test.go, a.spec.ts
        | [a-z0-9] (Tests? | Specs?) \. [^/]* $  # ParserTest.java
        | (^|/) (?i: tests? | specs? ) / (.*/)? (?i: fixtures ) /
        | \. (?i: caddyfiletest | txtar | golden | snap ) $
        """,
        # "the test client" is a client
        r"\b(tests|tested|testing|specs?|fixtures?|mocks?)\b|(?<!\bthe )(?<!\ba )\btest\b"
        r"|\btest (for|of|that|which|case|suite|file)",
        0.3,
    ),
    _rule(
        FileKind.EXAMPLE,
        r"(^|/) (?i: examples? | samples? | demos? | benchmarks? | bench ) /",
        r"\b(examples?|samples?|demos?|bench\w*)\b",
        0.4,
    ),
    _rule(
        FileKind.CHANGELOG,
        r"(^|/) (?i: change(s|log) | history | news | release(s|[_-]?notes)? )"
        r" ( ([_.-] [^/]*)? (?i: \. (md|markdown|rst|txt|adoc) ) )? $",
        r"\bchange-?logs?|\breleases?\b|\b(what|which) change|\bchanged? (in|since)\b",
        0.2,
    ),
    _rule(
        FileKind.DATA,
        r"""
        (?i: \. (json | jsonc | ya?ml | toml | xml | cfg | ini | conf | csv | tsv | plist
            | properties | gradle | cmake | mod | pem | po | pot | lock ) $ )
        | (^|/) (Makefile | Dockerfile | CMakeLists\.txt) $
        """,
        r"\b(json|ya?ml|toml|xml|csv|manifests?|makefile|dockerfile|cmake|gradle|workflows?)\b"
        r"|\b(config\w*|settings) files?\b|\bdependenc(y|ies)\b|\bpackage\.json\b|\bcargo\b",
        0.5,
    ),
    _rule(
        FileKind.PROSE,
        r"(?i: \. (md|markdown|rst|txt|adoc) | (^|/) (readme|licen[cs]e|copying|authors) ) $",
        r"\b(docs?|document(ed|ation)|readme|guides?|tutorials?|manual|licen[cs]es?)\b",
        0.6,
    ),
)


def kind_of(path: str) -> FileKind:
    """The kind of the file at a relative path, by the names in the path."""
    rule = _rule_for(path)
    return rule.kind if rule else FileKind.CODE


def is_test(path: str) -> bool:
    """Whether the file at a relative path belongs to tests."""
    return kind_of(path) is FileKind.TEST


def asked_kinds(question: str) -> frozenset[FileKind]:
    """The kinds of files that a question names."""
    return frozenset(rule.kind for rule in _RULES if rule.asked.search(question))


_MANIFEST = re.compile(
    r"(^|/) ( pyproject\.toml | setup\.(py|cfg) | [\w-]*requirements[\w-]*\.(txt|in)"
    r" | package\.json | Cargo\.toml | go\.mod | Gemfile | [^/]+\.gemspec | pom\.xml"
    r" | build\.gradle(\.kts)? | composer\.json | mix\.exs | Package\.swift | pubspec\.yaml"
    r" | [^/]+\.csproj ) $",
    re.VERBOSE,
)
_THE_PROJECT = r"(it|we|(this|the|each|every) (project|packages?|app(lication)?|library|repo\w*))"
_OF_MANIFESTS = re.compile(  # other questions about dependencies are about code that injects them
    r"\bdependenc(y|ies)\b.*\b(declared?|listed|pinned|third[- ]party)\b"
    r"|\b(declared?|listed|pinned|third[- ]party)\b.*\bdependenc(y|ies)\b"
    rf"|\bdependenc(y|ies) (of|in|for|does|do|has|have) {_THE_PROJECT}\b"
    r"|\b(project|package)('?s)? dependenc(y|ies)\b|^\W*list (all )?(the )?dependencies\b"
    r"|\bversions?\b.*\b(declared?|required?|supported|needed|pinned)\b",
    re.IGNORECASE,
)


def is_manifest(path: str) -> bool:
    """Whether the file declares what a package is and needs."""
    return _MANIFEST.search(path) is not None


def asks_for_manifests(question: str) -> bool:
    """Whether a question is about declared versions or dependencies."""
    return _OF_MANIFESTS.search(question) is not None


def weigh_by_kind(question: str) -> Callable[[str], float]:
    """How much the lines of a file at a relative path count for this question, 0 to 1."""
    asked = asked_kinds(question)

    def weigh(path: str) -> float:
        rule = _rule_for(path)
        return 1.0 if rule is None or rule.kind in asked else rule.weight

    return weigh


def _rule_for(path: str) -> _Rule | None:
    return next((rule for rule in _RULES if rule.path.search(path)), None)


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
    """The language for each word. Raises `DeclarationError` if two share one."""
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


def language_of(path: str, text: str | None = None) -> str | None:
    """The language of a file; None if it is unknown.

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
