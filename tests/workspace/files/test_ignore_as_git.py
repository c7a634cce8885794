"""The listing is the set that git calls neither ignored nor tracked-elsewhere."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from glossator.workspace.files.git_format import repository_top
from glossator.workspace.files.ignore import RuleFile
from tests.workspace.files.trees import listed, write_tree

PATHS = (
    "a.log b.txt build dist/x dist/keep/y src/a.log src/a.txt src/build/x src/build/keep/y"
    " src/deep/build/z src/deep/er/a.txt src/deep/er/b.log doc/a.txt doc/sub/a.txt"
    " doc/sub/sub/b.txt foo/bar foo/baz/bar x/foo/bar x/y/z/foo #hash !bang"
    " s/abc s/abd s/a1c s/a-c s/a[c s/a]c s/a/c s/ab s/aéc s/[x] .hidden .dir/f é/ü.txt"
).split()
FILES = dict.fromkeys(
    [*PATHS, "trailing ", "two  words", "back\\slash", "tab\t", "line\nend/x.log"], ""
)

CASES: dict[str, dict[str, str]] = {
    "nothing": {},
    "basename": {".gitignore": "*.log\nbuild\n"},
    "dir only": {".gitignore": "build/\ndist/\n"},
    "anchored": {".gitignore": "/build\n/a.log\nsrc/a.log\n/x/foo\n"},
    "anchored by an inner slash": {".gitignore": "foo/bar\ndeep/build\n"},
    "negation": {".gitignore": "*.log\n!src/a.log\n"},
    "negation cannot reach into an excluded folder": {".gitignore": "dist\n!dist/keep/y\n"},
    "negated contents": {".gitignore": "dist/*\n!dist/keep/\n"},
    "only some kinds": {".gitignore": "*\n!*/\n!*.txt\n"},
    "last match wins": {".gitignore": "!a.log\n*.log\n!b.log\n"},
    "double star first": {".gitignore": "**/foo\n**/build/x\n"},
    "double star middle": {".gitignore": "src/**/build\ndoc/**/b.txt\n"},
    "double star last": {".gitignore": "src/**\n!src/deep/\n!src/deep/er/\n!src/deep/er/*\n"},
    "double star last, dirs": {".gitignore": "src/**/\n"},
    "double star alone": {".gitignore": "**\n!.hidden\n"},
    "double star slash": {".gitignore": "**/\n"},
    "star slash": {".gitignore": "*/\n!doc/\n"},
    "star and double star": {".gitignore": "*/**\n"},
    "slash alone": {".gitignore": "/\n"},
    "slash star": {".gitignore": "/*\n!/src\n"},
    "deeper wins": {".gitignore": "*.log\n", "src/.gitignore": "!*.log\n"},
    "deeper adds": {"src/.gitignore": "/build/\n/a.txt\n", "doc/sub/.gitignore": "*\n"},
    "deeper anchors": {"src/deep/.gitignore": "/er/a.txt\nbuild/z\n"},
    "re-included folder, excluded contents": {
        ".gitignore": "build\n*.log\ny\n",
        "src/.gitignore": "!build\n",
    },
    "comment, blank, escapes": {".gitignore": "# note\n\n\\#hash\n\\!bang\nback\\\\slash\n"},
    "trailing spaces": {".gitignore": "b.txt   \ntrailing\\ \ntwo  words  \n"},
    "trailing space kept plain": {".gitignore": "trailing \n"},
    "crlf": {".gitignore": "*.log\r\nbuild/\r\n"},
    "no final line end": {".gitignore": "*.log"},
    "classes": {".gitignore": "s/a[bc]c\ns/a[!b-z]c\n"},
    "named classes": {".gitignore": "s/a[[:digit:][:punct:]]c\n"},
    "unknown named class": {".gitignore": "s/a[[:digits:]b]c\n"},
    "odd classes": {".gitignore": "s/a[]-]c\ns/a[\\]x]c\ns/a[[]c\n"},
    "class with a slash": {".gitignore": "s/a[!b]c\ns/a[/-1]c\n"},
    "tab at the end": {".gitignore": "tab\t\nb.txt\t\n"},
    "escaped class": {".gitignore": "s/\\[x\\]\n"},
    "question mark": {".gitignore": "s/a?c\ns/??\n"},
    "bytes": {".gitignore": "é/\ns/a??c\n"},
    "invalid": {".gitignore": "[\n!\na\\\ns/a[c-a]c\nb.txt\n"},
    "byte-order mark": {".gitignore": "\ufeffb.txt\n"},
    "line end in a name": {".gitignore": "x.log\n"},
    "info/exclude": {".git/info/exclude": "*.log\nbuild\n", "src/.gitignore": "!a.log\n"},
    "dot files": {".gitignore": ".*\n!.gitignore\n"},
    "consecutive slashes": {".gitignore": "foo//bar\nbuild//\n"},
    "star within a word": {".gitignore": "s/a**c\nd*/sub\n"},
    "ignore file ignored": {".gitignore": ".gitignore\n", "src/.gitignore": "*.log\n"},
}


@pytest.mark.parametrize("rules", CASES.values(), ids=CASES)
def test_as_git(tmp_path: Path, rules: dict[str, str]) -> None:
    check(tmp_path, {**FILES, **rules})


@pytest.mark.parametrize("seed", range(25))
def test_as_git_on_random_trees(tmp_path: Path, seed: int) -> None:
    check(tmp_path, random_tree(random.Random(seed)))


def test_as_git_with_more_rules_than_one_expression_holds(tmp_path: Path) -> None:
    many = [f"/src/**/number[{digit}]{number}*.o" for digit in "!09" for number in range(4_000)]
    many[5_000:5_000] = ["*.log", "build/"]
    many[9_000:9_000] = ["!src/*.log", "x" * 30_000, "[a-z]" * 9_000]
    check(tmp_path, {**FILES, "src/a/number11.o": "", ".gitignore": "\n".join(many)})


def test_lines_of_many_wildcards_are_matched_apart() -> None:
    """Together their automaton has more states than RE2 keeps."""
    hard = [f"*{letter}*[{letter}-z]*?{letter}*" for letter in "abcdefghij"]
    easy = [f"/build/{number}.o" for number in range(100)]
    assert _section_lengths(hard) == [1] * 10
    assert _section_lengths(easy) == [100]


def _section_lengths(lines: Iterable[str]) -> list[int]:
    file = RuleFile("/", ".gitignore", "", tuple(lines))
    return [len(section.patterns) for section in file.sections]


@pytest.mark.parametrize("kind", ["worktree", "relative", "moved away", "submodule"])
def test_as_git_where_git_is_a_file(tmp_path: Path, kind: str) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    if kind == "submodule":
        main.mkdir()
        git("init", "-q", "--separate-git-dir", main / "sub", linked, cwd=tmp_path)
        exclude = main / "sub" / "info" / "exclude"
    else:
        git("init", "-q", main, cwd=tmp_path)
        git(*COMMIT, cwd=main)
        git("worktree", "add", "-q", linked, cwd=main)
        exclude = main / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("*.log\n/build\n")
    if kind == "relative":
        (linked / ".git").write_text("gitdir: ../main/.git/worktrees/linked\n")
    if kind == "moved away":
        main.rename(tmp_path / "elsewhere")
        write_tree(linked, FILES)
        assert set(FILES) <= set(listed(linked))
        return
    compare(linked, {**FILES, "src/.gitignore": "!a.log\n"})


COMMIT = "-c user.name=n -c user.email=e commit -q --allow-empty -m m".split()


def git(*arguments: str | Path, cwd: Path) -> bytes:
    none = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    environment = {**os.environ, **none}
    command = ["git", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True).stdout


def check(root: Path, files: Mapping[str, str]) -> None:
    git("init", "-q", root, cwd=root)
    compare(root, files)


def compare(root: Path, files: Mapping[str, str]) -> None:
    write_tree(root, files)
    output = git("ls-files", "-co", "--exclude-standard", "-z", cwd=root)
    expected = {os.fsdecode(path) for path in output.split(b"\0") if path}
    rules = {path: text for path, text in files.items() if text}
    assert set(listed(root)) == expected, rules


def random_tree(rnd: random.Random) -> dict[str, str]:
    names = ["a", "b", "ab", "a.c", "b.c", "build", ".x"]
    parts = [*names, "*", "**", "?", "*.c", "a*", "[ab]", "[!a]", "?b", "**b"]

    def folder() -> str:
        return "/".join(rnd.choice(names[:4]) + "d" for _ in range(rnd.randint(0, 3)))

    def pattern() -> str:
        body = "/".join(
            rnd.choice(["ad", "bd", "abd", *parts]) for _ in range(rnd.choice([1, 1, 2, 3]))
        )
        before = rnd.choice(["", "", "!"]) + rnd.choice(["", "", "/"])
        return before + body + rnd.choice(["", "", "/", " "])

    files = {os.path.join(folder(), rnd.choice(names)): "" for _ in range(60)}
    for _ in range(rnd.randint(1, 5)):
        path = os.path.join(folder(), ".gitignore")
        files[path] = "".join(pattern() + "\n" for _ in range(rnd.randint(1, 6)))
    return files


def test_the_rules_of_a_repository_within_another_begin_again(tmp_path: Path) -> None:
    """Also what it says in its own .git/info/exclude does not add to those above."""
    files = {
        ".gitignore": "*.log\n",
        "in/.git/info/exclude": "*.tmp\n",
        ".git/info/exclude": "b*\n",
    }
    kept = {f"in/{name}": "" for name in ("a.log", "b.txt")}
    left_out = {"a.log": "", "b.txt": "", "in/a.tmp": ""}
    write_tree(tmp_path, {**files, **kept, **left_out, "a.tmp": ""})
    assert listed(tmp_path) == [".gitignore", "a.tmp", *kept]
    assert listed(tmp_path / "in") == ["a.log", "b.txt"]


def test_a_folder_in_no_repository_is_its_own_top(tmp_path: Path) -> None:
    """Ignore files above it say nothing about it."""
    inner = tmp_path / "a" / "b"
    write_tree(inner, {"x.log": "", "y.txt": ""})
    write_tree(tmp_path, {".gitignore": "*.log\n", "a/.gitignore": "*.txt\n"})
    assert repository_top(str(inner)) == str(inner)
    assert listed(inner) == ["x.log", "y.txt"]
    (tmp_path / ".git").mkdir()
    assert repository_top(str(inner)) == str(tmp_path)
    assert listed(inner) == []
