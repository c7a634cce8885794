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
from glossator.retrieval.features import FEATURES, figures_of
from glossator.retrieval.ranker import Ranked, diversified, fused, rank, trained_weights
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


def first(question: str, files: Mapping[str, str]) -> str:
    asked = question_of(question)
    return rank(asked, index_of(files).search(asked), 5)[0].candidate.path


PARSE = "def parse(text):\n    return text.split()\n"


@pytest.mark.parametrize(
    ("current", "copy"),
    [
        ("web/v2/parser.py", "web/v1/parser.py"),
        ("web/parser.py", "web/legacy/parser.py"),
        ("web/parser.py", "web/compat/parser.py"),
        ("web/parser_unix.py", "web/parser_windows.py"),
        ("unix/parser.c", "win32/parser.c"),
    ],
)
@pytest.mark.parametrize("question", ["parse", "how a parser parses text"])
def test_old_copies_and_ports_stand_back(question: str, current: str, copy: str) -> None:
    assert first(question, {copy: PARSE, current: PARSE}) == current


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("the v1 parser", "web/v1/parser.py"),
        ("the legacy parser", "web/legacy/parser.py"),
        ("the windows parser", "web/windows/parser.py"),
    ],
)
def test_old_copies_and_ports_that_are_named_come_first(question: str, path: str) -> None:
    assert first(question, {path: PARSE, "web/v2/parser.py": PARSE}) == path


def test_a_version_alone_is_not_old() -> None:
    asked = question_of("parse")
    figures = figures_of(asked, index_of({"web/v1/parser.py": PARSE}).search(asked))
    assert not figures[:, FEATURES.index("old")].any()


METHODS = "".join(
    f"    int part{number}(int given) {{ return given + {number}; }}\n\n" for number in range(60)
)


def test_a_class_stands_above_its_constructor() -> None:
    text = (
        f"class Parser {{\n{METHODS}    Parser(int depth) {{ this.depth = depth; }}\n{METHODS}}}\n"
    )
    asked = question_of("Parser")
    hits = rank(asked, index_of({"Parser.java": text}).search(asked), 3)
    assert hits[0].candidate.chunk.first_line == 1


def test_a_definition_in_code_stands_above_its_double_in_tests() -> None:
    files = {
        "src/lib.py": f"class Tools:\n    pass\n\n\nclass Other:\n    pass\n\n\n{PARSER}",
        "tests/double.py": 'class Parser:\n    """The Parser of tests: Parser."""\n',
    }
    assert first("Parser", files) == "src/lib.py"


HELPING = ("lexical", "file", "defines", "named_defined", "named_alone", "named_within", "symbol")


@pytest.mark.parametrize("kind", ["lexical", "vectors"])
def test_no_weight_counts_against_what_was_asked_for(kind: str) -> None:
    weights = trained_weights(kind)
    assert min(weights[name] for name in HELPING) >= 0
    assert max(weights[name] for name in ("test", "example", "prose", "changelog", "old")) <= -2


MANIFESTS = {
    "pyproject.toml": '[project]\nversion = "1"\ndependencies = ["httpx"]\n',
    "src/versions.py": "def versions(found):\n    return [version.declared for version in found]\n",
    "src/graph.py": "class Dependencies:\n    def which(self):\n        return self.dependencies\n",
}


@pytest.mark.parametrize(
    "question", ["which versions are declared", "which dependencies does it have"]
)
def test_what_is_declared_stands_in_manifests(question: str) -> None:
    assert first(question, MANIFESTS) == "pyproject.toml"


def test_a_question_in_another_language_finds_nothing_by_its_small_words() -> None:
    files = {"go.sum": "h1:die und wie werden der=\n", "src/app.py": "was = ist = wo = 1\n"}
    asked = question_of("Wie werden die Abhängigkeiten aufgelöst und wo ist der Zwischenspeicher?")
    assert rank(asked, index_of(files).search(asked), 5) == ()
