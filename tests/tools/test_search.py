"""Search: hits with their lines, its account when nothing is found, and the editor's text."""

from __future__ import annotations

import re

import pytest

from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.span import Citation, CitationStatus, FoundPlace, Span
from glossator.core.tokens import estimate_tokens
from glossator.core.uri import to_uri
from glossator.grounding.citation_checks import Sources, verify_all
from glossator.retrieval import Stages
from glossator.retrieval.search_tool import SearchArgs, search_answer
from tests.workspaces import MakeWorkspace

FILES = {
    "shapes.py": "class Circle:\n    def area(self):\n        return 3 * self.r ** 2\n",
    "notes.md": "# Colours\n\nRed and blue.\n",
}


async def test_hits_show_their_lines(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Search", query="How is the area computed?")
    assert result.text.startswith("1. shapes.py:1-3 (Circle)")
    assert "3\t        return 3 * self.r ** 2" in result.text
    first = result.spans[0]
    assert (first.uri, first.first_line, first.last_line) == (ws.uri("shapes.py"), 1, 3)
    assert (result.outcome, result.places) == (
        "1 place in 1 file",
        (FoundPlace("shapes.py", 1, 3, "Circle"),),
    )


async def test_narrowing(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "old/shapes.py": FILES["shapes.py"]})
    result = await ws.call("Search", query="circle area", path="old", glob="*.py", limit=1)
    assert re.findall(r"^\d+\. (.+?):", result.text, re.MULTILINE) == ["old/shapes.py"]


async def test_nothing_found_is_accounted_for(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, ".gitignore": "*.log\n", "zebra.log": "zebra"})
    result = await ws.call("Search", query="zebra stripes")
    assert "looked for zebra, strip" in result.text
    assert "Looked at 3 of 3 files." in result.text
    assert "*.log (1)" in result.text
    empty = await ws.call("Search", query="what is it?")
    assert "no word to look for" in empty.text
    nowhere = await ws.call("Search", query="circle", glob="*.rs")
    assert nowhere.text.startswith("No file was searched; widen path or glob.\nLooked at 0 of 3")


async def test_the_editors_text_is_searched(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    ws.open("shapes.py", "def perimeter(): pass\n")
    assert "shapes.py" in (await ws.call("Search", query="perimeter")).text
    assert "Nothing shares" in (await ws.call("Search", query="area")).text
    ws.close("shapes.py")
    assert "Nothing shares" in (await ws.call("Search", query="perimeter")).text


async def test_files_found_by_their_name_alone(workspace: MakeWorkspace) -> None:
    ws = await workspace({"zebra.txt": "stripes\n", "empty_zebra.txt": ""})
    result = await ws.call("Search", query="zebra")
    assert result.text == "1. zebra.txt:1-1\n1\tstripes"


async def test_only_empty_files(workspace: MakeWorkspace) -> None:
    ws = await workspace({"zebra.txt": ""})
    assert not (await ws.call("Search", query="zebra")).error


async def test_letters_that_fold_to_others(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "Congre\u017fs, \u212aelvin\n"})
    assert "a.txt:1-1" in (await ws.call("Search", query="congress")).text
    assert "a.txt:1-1" in (await ws.call("Search", query="Kelvin")).text


async def test_words_beyond_ascii(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "die Übersetzung\n", "b.txt": "перевод\n", "c.txt": "setzung\n"})
    assert "1. a.txt" in (await ws.call("Search", query="Wo ist die Übersetzung?")).text
    assert "1. b.txt" in (await ws.call("Search", query="Где перевод?")).text


async def test_budget(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"f{n}.txt": ("needle é" + "é" * 600 + "\n") * 60 for n in range(20)})
    result = await ws.call("Search", query="needle")
    assert estimate_tokens(result.text) <= 13_000
    assert len(re.findall(r"^\d+\. f\d+\.txt:", result.text, re.MULTILINE)) == 20
    assert "[cut; 608 characters in all]" in result.text


async def test_the_best_are_shown_whole_and_of_the_others_what_tells_most(
    workspace: MakeWorkspace,
) -> None:
    herd = "import zebra\n\n\ndef herd_{0}():\n    grass = {0}\n    return zebra(grass)\n"
    ws = await workspace({f"f{n}.py": herd.format(n) for n in range(6)})
    result = await ws.call("Search", query="zebra", limit=5)
    whole, _, others = result.text.rpartition("\n\n")
    text = r"^\d\. f\d.py:1-6 \(herd_\d\)\n1\timport zebra\n"
    assert len(re.findall(text, whole, re.MULTILINE)) == 3
    told = r"4\. f\d.py:1-6 \(herd_\d\)\n1\t.+\n6\t    return zebra\(grass\)\n5\. (.+\n?){3}"
    assert re.fullmatch(told, others)
    spans = [(span.first_line, span.last_line) for span in result.spans]
    assert sorted(spans) == [*[(1, 1)] * 2, *[(1, 6)] * 3, *[(6, 6)] * 2]


@pytest.mark.parametrize(
    ("query", "whole"),
    [("zebra stripes", {"code"}), ("tests of zebra stripes", {"test"})],
)
async def test_what_says_little_is_not_shown_whole_beside_code(
    workspace: MakeWorkspace, query: str, whole: set[str]
) -> None:
    imports = "".join(f"from zebra.stripes import zebra_{n}\n" for n in range(12))
    licence = "".join(f"# Zebra stripes are licensed by part {n}.\n" for n in range(12))
    said = "".join(f"    Zebra stripes, part {n}.\n" for n in range(40))
    body = "    first = zebra({0})\n    second = zebra(first)\n    return stripes(second)\n"
    files = {
        **{f"head{n}.py": f"{imports}\nZEBRA = {n}\n" for n in range(2)},
        "licence.py": f"{licence}\nSTRIPES = 1\n",
        "said.py": f'def zebra():\n    """Stripes.\n\n{said}    """\n    return stripes\n',
        **{f"tests/test_{n}.py": f"def test_{n}():\n{body}".format(n) for n in range(3)},
        **{f"code{n}.py": f"def herd_{n}():\n{body}".format(n) for n in range(2)},
    }
    ws = await workspace(files)
    result = await ws.call("Search", query=query)
    lines = {to_uri(str(ws.root / path)): text.count("\n") for path, text in files.items()}
    shown = [
        span.uri for span in result.spans if span.last_line - span.first_line + 1 == lines[span.uri]
    ]
    assert {uri.rpartition("/")[2][:4] for uri in shown} == whole


async def test_a_few_lines_that_are_left_take_no_place(workspace: MakeWorkspace) -> None:
    herd = "def herd_{0}():\n    grass = {0}\n    eat(grass)\n    return zebra(grass)\n"
    ws = await workspace({f"f{n}.py": herd.format(n) for n in range(5)})
    first = (await ws.call("Search", query="zebra", limit=1)).text.partition(":")[0][3:]
    ws.reads.forget_ranges()
    await ws.call("Read", path=first, limit=2)
    result = await ws.call("Search", query="zebra")
    assert f"1. {first}:1-4 ({first.replace('f', 'herd_')[:-3]}) [other lines" in result.text
    assert len(re.findall(r"^1\tdef herd", result.text, re.MULTILINE)) == 3


async def test_what_stands_above_is_not_shown_again(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"f{n}.py": f"def zebra_{n}(): ...\n" for n in range(4)})
    first = await ws.call("Search", query="zebra", limit=3)
    ws.reads.show(first.spans)
    again = await ws.call("Search", query="zebra")
    shown = [line.partition(" ")[2] for line in first.text.split("\n") if line[1:2] == "."]
    above = re.findall(r"^\d\. (.+) \[shown above\]$", again.text, re.MULTILINE)
    assert sorted(above) == sorted(shown)
    assert re.findall(r"^1\t(.+)$", again.text, re.MULTILINE) == [
        f"def zebra_{n}(): ..." for n in range(4) if f"f{n}.py" not in first.text
    ]
    path = above[0].partition(":")[0]
    assert "shown above, unchanged" in (await ws.call("Read", path=path)).text
    ws.open(path, "def zebra_7(): ...\n")
    assert "1\tdef zebra_7(): ..." in (await ws.call("Search", query="zebra_7")).text
    ws.reads.forget_ranges()
    assert "shown above" not in (await ws.call("Search", query="zebra")).text


async def test_of_a_chunk_that_stands_above_in_part_the_rest_is_shown(
    workspace: MakeWorkspace,
) -> None:
    herd = "import zebra\n\n\ndef herd():\n    grass = 1\n    return zebra(grass)\n"
    ws = await workspace({"a.py": herd})
    await ws.call("Read", path="a.py", offset=4, limit=3)
    rest = await ws.call("Search", query="zebra")
    assert rest.text.startswith(
        "1. a.py:1-6 (herd) [other lines of it are shown above]\n1\timport zebra"
    )
    assert "grass" not in rest.text
    assert [(each.first_line, each.last_line) for each in rest.spans] == [(1, 3)]
    assert "1. a.py:1-6 (herd) [shown above]" in (await ws.call("Search", query="zebra")).text


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("limit", "Herd"),  # a type tells more than a value
        ("most stripes", "MOST_STRIPES"),
        ("what is counted", "counted"),
    ],
)
async def test_a_title_names_what_fits(workspace: MakeWorkspace, query: str, title: str) -> None:
    code = "MOST_STRIPES = 9\n\nclass Herd:\n    def limit(self): ...\n\ndef counted(limit): ...\n"
    ws = await workspace({"a.py": code})
    assert (await ws.call("Search", query=query)).text.startswith(f"1. a.py:1-6 ({title})\n")


async def test_titles_are_short_names(workspace: MakeWorkspace) -> None:
    parameters = "".join(f"        stripe_{n}: int = {n},\n" for n in range(30))
    table = "STRIPES = {\n" + "".join(f"    {n}: 'zebra stripe',\n" for n in range(5)) + "}\n"
    name = f"zebra_{'x' * 70}"  # longer words are data
    notes = "".join(f"    # note {number}\n\n" for number in range(300))
    ws = await workspace(
        {
            "a.py": f"class Herd:\n    def zebra(\n        self,\n{parameters}    ): ...\n",
            "b.py": table,
            "c.py": f"class Zebras:\n{notes}    def {name}(): ...\n",
        }
    )
    text = (await ws.call("Search", query="zebra stripe")).text
    titles = dict(re.findall(r"^\d\. (\w\.py):[\d-]+ \((.*)\)$", text, re.MULTILINE))
    assert titles == {"a.py": "Herd", "b.py": "STRIPES", "c.py": f"{f'Zebras > {name}'[:79]}…"}


async def test_words_that_no_file_holds_are_named(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Search", query="How does getCircleArea compute stripes of the area?")
    assert result.text.endswith("\n\n[in no file searched: getCircleArea, compute, stripes]")
    assert "in no file" not in (await ws.call("Search", query="circle area")).text


async def test_a_citation_of_lines_that_search_showed_holds(workspace: MakeWorkspace) -> None:
    body = "".join(f"    total += {n}\n" for n in range(400))  # several chunks
    ws = await workspace({"a.py": f"def zebra(total):\n{body}    return total\n"})
    result = await ws.call("Search", query="zebra", limit=1)
    shown = result.spans[0]
    assert shown.first_line == 1
    assert shown.last_line < 350
    ws.reads.show(result.spans)

    def verified(first: int, last: int) -> Citation:
        answer = f"It is so. [cite: doc, a.py, L{first}-L{last}]"
        ((_, citation),) = verify_all(answer, Sources(ws.snapshot, ws.reads))
        return citation

    end = shown.last_line
    assert verified(1, end).status is CitationStatus.READ
    partly = verified(end - 1, end + 1)  # what was not shown does not count
    assert partly.status is CitationStatus.READ
    assert partly.span is not None
    assert (partly.span.first_line, partly.span.last_line) == (end - 1, end)
    assert verified(400, 402).status is CitationStatus.UNSUPPORTED
    ws.open("a.py", f"def zebra(total):\n    total = 7\n{body}")
    assert verified(1, 2).status is CitationStatus.UNSUPPORTED  # another text than was shown


async def test_what_people_see_of_a_hit(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    args = SearchArgs(query="How is the area of a circle computed?")
    answer = await search_answer(ws.snapshot, ws.retriever, args, explain=True)
    hit = answer.hits[0]
    assert (hit.lines, hit.words) == ((1, 2, 3), ("Circle", "area"))
    assert {place.stage for place in hit.stages} == {"lexical", "rerank"}
    document = ws.snapshot.read(hit.path)
    assert isinstance(document, Document)
    span = Span(hit.uri, hit.sha256, hit.first_line, hit.last_line)
    assert span == Span(document.uri, document.sha256, 1, 3)
    assert answer.absent == ("computed",)


async def test_stages_and_places_that_people_choose(workspace: MakeWorkspace) -> None:
    old = {f"old/{n}.py": f"def area_{n}(): ...\n" for n in range(4)}
    ws = await workspace({**FILES, **old})
    args = SearchArgs(query="area", path="old", glob="[01].py")
    plain = Stages(rerank=False)
    answer = await search_answer(ws.snapshot, ws.retriever, args, plain, explain=True)
    assert {hit.path for hit in answer.hits} == {"old/0.py", "old/1.py"}
    assert all([each.stage for each in hit.stages] == ["lexical"] for hit in answer.hits)
    assert not any(hit.reasons for hit in answer.hits)
    assert answer.searched == "Searched 2 files (under old, glob [01].py) for area."
    explained = await search_answer(ws.snapshot, ws.retriever, args, explain=False)
    assert not any(hit.reasons for hit in explained.hits)
    missing = SearchArgs(query="area", path="nowhere")
    with pytest.raises(UsageError, match="nowhere"):
        await search_answer(ws.snapshot, ws.retriever, missing)
