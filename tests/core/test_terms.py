"""The words of a question."""

from __future__ import annotations

import re

import pytest

from glossator.core.terms import foreign_stop_words, identifiers, query_terms, stem, stop_words


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How does splitting lines work?", "split line"),
        ("Where is split_lines used?", "split_lines split line"),
        ("What does LineTable.offset do?", "linetable line tabl offset"),
        ("parseHTTPResponse", "parsehttpresponse pars http respons"),
        ("utf16 or sha256", "utf16 utf 16 sha256 sha 256"),
        ("the the what is it", ""),
        ("", ""),
        ("a b c 7 42", "42"),
        ("the cache caches cached things while caching", "cach thing"),
        ("Wo ist die Übersetzung?", "wo ist die übersetzung"),
        ("Где перевод строки?", "где перевод строки"),
        ("größe_max", "größe_max größ max"),
    ],
)
def test_query_terms(question: str, terms: str) -> None:
    assert query_terms(question) == tuple(terms.split())


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does split_lines do?", "split_lines"),
        ("LineTable and utf8 in _private_name of the file", "LineTable utf8 private_name"),
        ("A plain question About Nothing", ""),
        ("foo_bar foo_bar", "foo_bar"),
    ],
)
def test_identifiers(question: str, names: str) -> None:
    assert identifiers(question) == tuple(names.split())


def test_what_looks_like_a_plural_is_whole() -> None:
    assert [stem(word) for word in ("alias", "analysis", "status")] == [
        "alias",
        "analysis",
        "status",
    ]


@pytest.mark.parametrize(
    "family",
    [
        "split splitting",
        "index indexes indexing indexed",
        "cache caches cached caching",
        "class classes",
        "process processes processing processed",
        "parser parsers parsing",
        "alias aliases",
        "status statuses",
        "query queries",
        "retry retries retried retrying",
        "cookie cookies",
    ],
)
def test_a_family_of_words_meets(family: str) -> None:
    first, *others = family.split()
    for other in others:
        assert stem(other) in first or stem(first) in other


@pytest.mark.parametrize(
    "family",
    [
        "array arrays arrayed",
        "deploy deploys deployed deploying",
        "display displays displayed displaying",
        "query queries queried querying",
        "alias aliases aliased aliasing",
        "delay delays delayed delaying",
        "survey surveys surveyed",
        "overlay overlays",
    ],
)
def test_singular_plural_and_past_are_one(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["run", "ring", "sing", "bed", "was", "e", ""])
def test_short_words_stay(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("question", "foreign"),
    [
        ("Where is the MIT license comment checked?", ""),
        ("Which map does con.se use", ""),
        ("Where do we die", ""),
        ("", ""),
        ("Wo wird der Wert mit dem Index gelesen?", "wo wird der mit dem"),
        ("Comment la classe est-elle créée?", "comment la est elle"),
        ("¿Dónde se lee el valor?", "dónde se el"),
    ],
)
def test_small_words_of_another_language(question: str, foreign: str) -> None:
    words = re.findall(r"\w+", question.lower())
    assert foreign_stop_words(words) & {*words} == {*foreign.split()}
    assert foreign_stop_words(words) <= stop_words(words)
