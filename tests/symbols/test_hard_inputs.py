"""Inputs that break parsers: none raises, lines stay those of LSP, time stays bounded."""

from __future__ import annotations

import pytest

from glossator.core.file_kinds import LANGUAGES
from glossator.core.text import split_lines
from glossator.symbols.imports import imports
from glossator.symbols.outline import OUTLINE_LIMIT, outline
from glossator.symbols.references import references
from glossator.symbols.symbol import symbol_at

DEEP = 10_000


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("text", ["", "\ufeff", "\0", "\r", "\ud800(", "}{)(", "é" * 300, '"""'])
def test_no_symbols_and_no_error(text: str, language: str) -> None:
    assert outline(text, language) == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_lsp(end: str) -> None:
    text = "\ufeffx = 'é\x0c\u2028'\n\n@d\ndef größe():\n  '''Doc\n  two.'''\n".replace("\n", end)
    found = outline(text, "python")[-1]
    assert (found.name, found.documentation) == ("größe", "Doc two.")
    assert (found.first_line, found.name_line, found.last_line) == (3, 4, 6)
    first, second = outline("# A\n\n# B\nx\n".replace("\n", end), "markdown")
    assert (first.last_line, second.first_line, second.last_line) == (2, 3, 4)


def test_a_title_keeps_what_ends_no_line() -> None:
    """LSP knows three line ends, `str.splitlines` more."""
    assert outline("# A\u2028B\vC\n", "markdown")[0].name == "A\u2028B\vC"


@pytest.mark.parametrize(
    ("text", "language", "column"),
    [
        ("\ufeffdef d(): pass\n", "python", 5),
        ("\ufeff# A\n", "markdown", 3),
        ("#  A  B #\n", "markdown", 3),
        ("  A\n===\n", "markdown", 2),
        ("'é' ; x = 1; def_ = 2; class f: pass\n", "python", 29),
        ('é = {a = 1}\nx."é b".c = 1\n', "toml", 8),
        ('{"é": 1, "b": 2}', "json", 10),
        ("void a::\n  b() {}\n", "cpp", 2),
        ("class A { 'é x'() {} }", "typescript", 11),
    ],
)
def test_the_column_counts_characters(text: str, language: str, column: int) -> None:
    found = outline(text, language)
    assert column in {symbol.name_column for symbol in found}
    for symbol in found:
        line = split_lines(text)[symbol.name_line - 1]
        assert line.startswith(symbol.name[0], symbol.name_column), symbol


def test_a_syntax_error_costs_only_what_it_covers() -> None:
    names = [s.name for s in outline("def a(): pass\n\nx = = (\n\ndef b(): pass\n", "python")]
    assert "a" in names


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("x = " + "(" * DEEP + "1" + ")" * DEEP, "python"),
        ("[" * 1_000_000, "python"),
        ("function f(){" * DEEP + "}" * DEEP, "javascript"),
        ("void f(){" + "{" * DEEP + "}" * DEEP + "}", "c"),
        ("void " + "a::" * DEEP + "f(){}", "cpp"),
        ("class A{" * DEEP + "}" * DEEP, "java"),
        ("mod m{" * DEEP + "}" * DEEP, "rust"),
        ("m!{ fn " * DEEP + "}" * DEEP, "rust"),
        ("m!{ fn f() {} ) & x # ? }\n" * DEEP, "rust"),
        ("class A{" * DEEP + "}" * DEEP, "csharp"),
        ("module M\n" * DEEP + "end\n" * DEEP, "ruby"),
        ("foo " * DEEP, "ruby"),
        ("<?php " + "class A{" * DEEP, "php"),
        ("f() {" * DEEP + "}" * DEEP, "bash"),
        ('{"a":' * DEEP + "1" + "}" * DEEP, "json"),
        ("a = " + "{a = " * DEEP, "toml"),
        ("- " * DEEP + "a", "yaml"),
        ("a: &x " + "- " * DEEP, "yaml"),
        ("".join(" " * n + "a:\n" for n in range(500)), "yaml"),
        ("- " * DEEP + "#" + " " * DEEP + "x", "markdown"),
    ],
    ids=lambda part: part[:8],
)
def test_deep_nesting(text: str, language: str) -> None:
    assert all(len(symbol.container) <= DEEP for symbol in outline(text, language))
    assert len(references(text, language, "a")) <= text.count("a")
    assert len(imports(text, language)) <= 1


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0f\0",
        "\ud800f(",
        "f" * 100_000,
        "f(" * 2_000,
        "import {f " * 2_000,
        "\x1b[0m\r\rf\x85f",
    ],
    ids=lambda text: repr(text[:10]),
)
def test_any_text_in_any_language(text: str, language: str) -> None:
    lines = split_lines(text)
    for use in references(text, language, "f"):
        assert lines[use.line - 1][use.start : use.end] == "f"
    for symbol in outline(text, language):
        assert symbol.last_line <= len(lines)
    assert all(1 <= at.line <= len(lines) for at in imports(text, language))


def test_code_over_the_limit_has_no_outline() -> None:
    text = "def f(): pass\n"
    assert outline(text * (OUTLINE_LIMIT // len(text) + 1), "python") == ()


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(KeyError):
        outline("", "cobol")


def test_a_signature_is_one_short_line() -> None:
    (symbol,) = outline(f"def f({', '.join(f'a{n}' for n in range(100))}): pass", "python")
    assert len(symbol.signature) == 200
    assert symbol.signature.endswith("…")


def test_symbol_at_finds_the_innermost() -> None:
    symbols = outline("class A:\n  x = 1\n  def f(self):\n    pass\n\ny = 1\n", "python")
    names = [found and found.name for found in (symbol_at(symbols, n) for n in range(8))]
    assert names == [None, "A", "A", "f", "f", None, "y", None]
