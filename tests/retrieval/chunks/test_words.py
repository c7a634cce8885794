"""Terms: identifiers whole and in parts, words by their stems, in every alphabet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.retrieval.chunks.words import question_of, terms, terms_of, words_of


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("splitLines", {"split", "line", "splitlines"}),
        ("split_lines", {"split", "line", "split_lines"}),
        ("HTTPServer", {"http", "serv", "httpserver"}),
        ("utf8Decoder", {"utf", "decod", "utf8decoder"}),
        ("__init__", {"init"}),
        ("Übersetzung", {"übersetzung"}),
        ("Straße", {"stras"}),
        ("перевод", {"перевод"}),
        ("404", {"404"}),
    ],
)
def test_terms_of_words(word: str, expected: set[str]) -> None:
    assert set(terms_of(word)) == expected


def test_data_is_no_word() -> None:
    assert terms(["x" * 5_000, "QUJD" * 30]) == []


@given(st.text())
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    """Whatever case and alphabet: what a question looks for is what a text is indexed by."""
    looked_for = question_of(text).terms
    assert set(looked_for) <= set(terms([text]))
    assert not any(character.isspace() for term in terms([text]) for character in term)


@given(st.text(st.characters(max_codepoint=127)) | st.text())
def test_the_terms_of_a_text_are_those_of_its_words(text: str) -> None:
    """ASCII is split at spaces, which is faster than the pattern."""
    assert terms([text]) == [term for word in words_of(text) for term in terms_of(word)]


def test_a_question_names_identifiers_and_neighbouring_words() -> None:
    question = question_of("Where does ReadCache.evict drop old entries?")
    assert question.named[:2] == ("ReadCache", "evict")
    assert {"readcache", "evict", "oldentries"} <= set(question.compounds)
    assert "where" not in question.terms
