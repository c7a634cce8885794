"""The order of results: definitions, kinds of files, several chunks of one file, stages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from glossator.core.text import split_lines
from glossator.retrieval.chunks.candidate import chunks_of
from glossator.retrieval.chunks.chunk_index import ChunkIndex, IndexedFile, Matches
from glossator.retrieval.chunks.requests import Stages
from glossator.retrieval.chunks.words import question_of
from glossator.retrieval.features import figures_of
from glossator.retrieval.ranker import Ranked, diversified, fused, rank
from glossator.symbols import Outlines, editor_text

FILE = IndexedFile(bytes(32), bytes(8))
PARSER = '''class Parser:
    """Parses the tokens of a template."""

    def parse(self, tokens):
        return [self.node(token) for token in tokens]
'''
FILES = {
    "src/parser.py": PARSER,
    "src/render.py": "def render(template):\n    return Parser().parse(template.tokens)\n",
    "tests/test_parser.py": "def test_parser():\n    assert Parser().parse(tokens) == []\n" * 3,
    "docs/parser.md": "# Parser\n\nThe parser parses tokens of a template. Parser, parser.\n",
    "CHANGELOG.md": "# Changes\n\n- The parser parses tokens of templates.\n",
    "config.yaml": "parser: tokens\ntemplate: parser\n",
}


def index_of(files: Mapping[str, str]) -> ChunkIndex:
    index = ChunkIndex("")
    fill(index, files)
    return index


def fill(index: ChunkIndex, files: Mapping[str, str]) -> None:
    with index.writing() as writer:
        for path, text in files.items():
            lines = split_lines(text)
            writer.put(path, FILE, lines, chunks_of(editor_text(path, text), lines, Outlines(None)))
        writer.commit()


def ranked(question: str, stages: Stages | None = None) -> list[Ranked]:
    asked = question_of(question)
    return list(rank(asked, index_of(FILES).search(asked), 20, stages or Stages()))


def paths(question: str) -> list[str]:
    return [each.candidate.path for each in ranked(question)]


@pytest.mark.parametrize("question", ["Parser", "`Parser`", "the Parser class", "parse tokens"])
def test_code_stands_before_tests_and_prose(question: str) -> None:
    assert paths(question)[0] == "src/parser.py"


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("tests of the parser", "tests/test_parser.py"),
        ("documentation of the parser", "docs/parser.md"),
        ("what changed in the parser, see the changelog", "CHANGELOG.md"),
        ("the yaml settings file of the parser", "config.yaml"),
    ],
)
def test_a_kind_of_file_that_is_asked_for_is_not_held_back(question: str, path: str) -> None:
    asked = paths(question)
    plain = paths("the parser")
    assert asked.index(path) < plain.index(path) or asked[0] == path


def test_each_stage_says_where_it_put_a_hit() -> None:
    first = ranked("parse tokens")[0]
    assert list(first.places) == ["lexical", "rerank"]
    assert first.places["rerank"].rank == 1
    assert list(ranked("parse tokens", Stages(rerank=False))[0].places) == ["lexical"]


def test_fusion_adds_what_is_far_above_the_others() -> None:
    words, meaning = np.array([1.0, 0.9, 0.0]), np.array([0.1, 0.9, 0.0])
    assert fused((words, meaning)).argmax() == 1
    assert not np.isnan(fused((np.ones(3), meaning))).any()


def test_a_file_that_is_sure_is_shown_whole_and_one_of_many_once() -> None:
    sure = diversified(np.array([9.0, 8.9, 8.8, 2.0]), ["a", "a", "a", "b"])
    assert sure.tolist() == [0, 1, 2, 3]
    unsure = diversified(np.array([3.0, 2.9, 2.8, 2.7]), ["a", "a", "b", "c"])
    assert {int(row) for row in unsure[:3]} == {0, 2, 3}


@pytest.mark.parametrize("question", ["Parser", "where does Parser.parse read tokens", "zebra"])
def test_figures_are_of_the_candidate_wherever_it_stands(question: str) -> None:
    asked, index = question_of(question), index_of(FILES)
    found = index.search(asked)
    found.candidates = [each for path in FILES for each in index.of_file(path)]
    straight = figures_of(asked, found)
    found.candidates.reverse()
    assert figures_of(asked, found) == pytest.approx(straight[::-1])


def test_nothing_is_ranked_for_words_that_nothing_holds() -> None:
    assert ranked("kangaroo") == []


def test_files_of_one_name_in_two_roots_are_two_files() -> None:
    asked, found = question_of("parse tokens"), Matches()
    for root in ("/one", "/other"):
        index = ChunkIndex(root)
        fill(index, {"src/main.py": PARSER if root == "/one" else "tokens = 1\n"})
        found.add(index.search(asked))
    assert found.files.keys() == {"/one/src/main.py", "/other/src/main.py"}
    assert [each.candidate.root for each in rank(asked, found, 2)] == ["/one", "/other"]
