"""What is sure to only read, and what is not."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glossator.shell.parser import parse
from glossator.shell.programs import FIND, GIT, PROGRAMS
from glossator.shell.read_only import CommandContext, read_only_commands
from glossator.shell.script import Script


@pytest.fixture
def place(tmp_path: Path) -> CommandContext:
    root = tmp_path / "ws"
    (root / "src" / "bin").mkdir(parents=True)
    (root / "a.py").write_text("x")
    (root / "src" / "b.py").write_text("x")
    (tmp_path / "secret").write_text("x")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to(tmp_path)
    (root / "inside").symlink_to("a.py")
    (root / "src" / "bin" / "x" / "y").mkdir(parents=True)
    (root / "deep").symlink_to("src/bin/x")
    (root / "odd").mkdir()
    for name in ("-rf", "a b", "c"):
        (root / "odd" / name).touch()
    os.mkfifo(root / "pipe")
    (tmp_path / "ws-evil").mkdir()
    program = root / "src" / "bin" / "wc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return CommandContext(str(root), (str(root),), "/usr/bin:/bin")


def check(command: str, place: CommandContext) -> bool:
    script = parse(command)
    if not isinstance(script, Script):
        return False
    return read_only_commands(script.commands, place).issuperset(script.commands)


READS = [
    "ls",
    "ls -la src",
    "ls && pwd; cat a.py | head -5 | wc -l",
    "cat -n a.py inside",
    "cat nowhere.py",
    "cat <a.py",
    "cat a.py 2>/dev/null",
    "ls nowhere 2>&1",
    "head -n 5 a.py",
    "head -n -5 a.py",
    "tail -5 a.py",
    "tail -n +5 a.py",
    "wc --lines a.py",
    "grep -rn 'x|y' src",
    "grep -rn --include='*.py' -e x .",
    "grep -A3 -B 2 x a.py",
    "grep /api/v1/users src",
    "rg -n --type py 'def \\w+' src",
    "rg -g '*.py' x",
    "rg --files",
    "find . -name '*.py' -not -path './src/*'",
    "find src -type f -maxdepth 2 -print0",
    "find . '(' -name a -o -name b ')' -newer a.py",
    "git status",
    "git status --short --branch",
    "git --no-pager log --oneline -5",
    "git log -n 5 --format='%h %s' -- src",
    "git diff HEAD~1 --stat",
    "git diff --cached a.py",
    "git show HEAD:a.py",
    "git branch",
    "git branch -a --list",
    "git branch --show-current",
    "git tag -l 'v*'",
    "git ls-files src",
    "git blame -L 1,5 a.py",
    "git grep -n x -- src",
    "git rev-parse --show-toplevel",
    "git remote -v",
    "cd src && ls && cat b.py",
    "cd src; cat ../a.py",
    "sed -n '1,5p' a.py",
    "sed -n '1p;3,$p' a.py",
    "sort -k2,2 -n a.py | uniq -c | sort -rn",
    "cut -d , -f 1 a.py",
    "tr a-z A-Z <a.py",
    "diff -u a.py src/b.py",
    "stat -c %s a.py",
    "du -sh src",
    "file a.py",
    "jq -r .name a.py",
    "date +%s",
    "test -f a.py && echo yes",
    "echo -n /etc/passwd",
    "which python3",
    "sha256sum a.py",
    "basename src/b.py",
    "true",
    # variables, patterns, groups, loops, tests, here-documents
    "NO_COLOR=1 LC_ALL=C.UTF-8 TZ= ls",
    "ls *.py src/* # all of them",
    "cat a.*",
    "grep -rn --include=*.py x .",
    "find . -name *.txt",
    "echo *",
    "ls odd/-*",
    "(cd src && ls); { pwd; }; ! ls",
    "for f in a.py src/b.py; do wc -l $f; done",
    'for f in *.py; do head -3 "$f"; done',
    "if [ -f a.py ]; then cat a.py; else ls; fi",
    "while true; do ls; done",
    "cat <<E\nx\nE",
    "sort <<<'b a'",
    "ls; echo $?",
    "uniq -f 1 a.py",  # the value is the next word
    "cd src/bin/.. && ls",
    "git log --pretty=format:%h",
    "git log --pretty=oneline --format=fuller",
    "git tag -l --sort=-version:refname",
]


@pytest.mark.parametrize("command", READS)
def test_reads(command: str, place: CommandContext) -> None:
    assert check(command, place)


def test_absolute_paths_in_the_workspace(place: CommandContext) -> None:
    assert check(f"cat {place.cwd}/a.py", place)
    assert check(f"cd {place.cwd} && git status", place)


MAY_DO_MORE = [
    # published weaknesses
    "cat$IFS/etc/x",
    "sort -o f a.py",
    "sort -of a.py",
    "sort --output=f a.py",
    "sort -nro f a.py",
    "sort --compress-program=sh a.py",
    "sort -T src a.py",
    "sed 'w f' a.py",
    "sed -n 'w f' a.py",
    "sed -n '1e id' a.py",
    "sed -i s/a/b/ a.py",
    "sed -n -i 1p a.py",
    "sed -n 1p a.py -i",
    "sed -n -e 'w f' a.py",
    "sed 1p a.py",
    "cat -5 a.py",  # it takes no number
    "sed -nf a.py",
    'echo "$(id)"',
    "rg --pre sh x",
    "rg --pre=sh x",
    "rg --hostname-bin=sh x",
    "rg -z x",
    "rg --search-zip x",
    "export PAGER=sh; git log",
    "PAGER=sh git log",
    "git log --output=f",
    "git diff --output f",
    "git diff --color --output=f",
    "git diff -U --output=f",
    "git diff -- x --output=f > y",
    "git log --ext-diff",
    "git log --textconv",
    "git grep -O x",
    "git grep -Osh x",
    "git grep --open-files-in-pager=sh x",
    "find . -exec sh {} +",
    "find . -exec sh -c id ';'",
    "find . -execdir id ';'",
    "find . -ok id ';'",
    "find . -delete",
    "find . -fprint f",
    "find . -fprintf f x",
    "find . -fls f",
    "find . -name",
    "find -L . -name x",
    "find . -files0-from f",
    # git that changes something, or runs something
    "git",
    "git -c core.pager=sh log",
    "git -C src status",
    "git --git-dir=src log",
    "git -p log",
    "git --exec-path=src log",
    "git commit -m x",
    "git add .",
    "git branch new",
    "git branch --color new",
    "git branch -D main",
    "git branch -m new",
    "git tag v1",
    "git tag -d v1",
    "git tag -n v1",
    "git remote add x y",
    "git remote show origin",
    "git fetch",
    "git stash",
    "git config x y",
    "git cat-file --batch",
    "git log --show-signature",
    "git shortlog",
    "git help status",
    "git log --format='%H %G?'",
    "git show --pretty=format:%GK",
    "git branch --format='%(signature:grade)'",
    # programs that are not known, or not as they are called
    "rm a.py",
    "touch x",
    "python3 -c 1",
    "awk 1 a.py",
    "xargs ls",
    "env ls",
    "sudo ls",
    "nohup ls",
    "command ls",
    "eval ls",
    "exec ls",
    "source a.py",
    ". a.py",
    "tee f",
    "make",
    "npm test",
    "curl localhost",
    "/bin/ls",
    "./ls",
    "src/bin/wc",
    "ls; rm a.py",
    "ls | tee f",
    "alias ls=rm; ls",
    # options that are not known, or that write
    "ls --unknown",
    "ls --colo",
    "tail -f a.py",
    "tail -F a.py",
    "tail --follow a.py",
    "tree -o f",
    "uniq a.py f",
    "uniq -f 1 a.py f",
    "date 01010101",
    "date -s now",
    "date -f a.py",
    "diff --to-file=x a.py",
    "diff -r src up",
    "file -C -m a.py",
    "file -f a.py",
    "wc --files0-from=a.py",
    "du --files0-from=a.py",
    "sha256sum -c a.py",
    "uname x",
    "printenv -z",
    "jq -f a.py",
    'jq -n \'import "passwd" as $d {search:"/etc"}; $d\'',
    'jq -n \'include "x" {search:"/etc"}; .\'',
    "jq '\"/etc/x\" | modulemeta' a.py",
    "jq . /etc/passwd",
    "jq --rawfile a b .",
    "grep -R x .",
    "grep --color x --foo",
    "cut --output-delimiter=x a.py",
    # writing by redirection
    "ls > f",
    "ls >> f",
    "ls >| f",
    "ls 2> f",
    "(ls) > f",
    "cat <<E > f\nx\nE",
    # what is set for a program
    "PATH=. ls",
    "LD_PRELOAD=./x.so ls",
    "LC_ALL=../x ls",
    "TZ=:/etc/passwd date",
    "A=1 ls",
    "NO_COLOR=1 PATH=. ls",
    "CDPATH=/ cd etc",
    # what patterns may fit: options, links that lead outside, several files where one is meant
    "ls odd/*",
    "cat out*",
    "cat *",
    "ls up/*",
    "echo up/*",
    "which up/*",
    "for f in up/*; do true $f; done",
    "for f in *; do true; done",
    "for f in odd/*; do cat $f; done",
    "ls .*",
    "ls */*",
    "cd src*",
    "cd *b",
    "uniq *.py",
    "sed -n *.py",
    "jq *.py",
    "tail -n *.py a.py",
    "ls a[b",
    # in a loop, or a branch
    "for f in a.py /etc/passwd; do cat $f; done",
    "for f in a.py b; do rm $f; done",
    "if true; then rm a.py; fi",
    "[ -f /etc/passwd ]",
    "[ -f a.py ] && rm a.py",
    "while cd ..; do ls; done",
    "for f in *.py; do cd ..; cat $f; done",
    "sh <<E\nls\nE",
    "echo ls | sh",
    "cat a.py > /dev/tcp/x/1",
    # a shell opens connections, and what is a device or a pipe waits or acts
    "cat </dev/tcp/127.0.0.1/80",
    "cat </dev/udp/127.0.0.1/53",
    "cat </dev/stdin",
    "cat </dev/zero",
    "cat 3</dev/tcp/127.0.0.1/80",
    "cat <../nowhere",
    "cat </nowhere/x",
    "cat <pipe",
    "cat pipe",
    "cat /dev/zero",
    "cat /proc/1/environ",
    "cat /proc/999999/environ",
    "wc -l <out",
    # a diff of folders follows the links in them
    "diff src src/bin",
    "diff -N src a.py",
    "diff a.py src",
    "diff . src",
    # by name a shell goes up from where the link is
    "cd deep/../.. && cat secret",
    "cd deep/.. && cd .. && cat secret",
    "cd deep && cd .. && cd .. && cat secret",
    # git that runs what is configured for signatures
    "git branch --sort=signature",
    "git tag -l --sort=-signature:grade",
    "git tag -l --format='%(*signature:grade)'",
    "git log --pretty=mine",
    "git log --format=mine",
    # outside the workspace
    "cat /etc/passwd",
    "cat ../secret",
    "cat src/../../secret",
    "cat < /etc/passwd",
    "cat out",
    "cat up/secret",
    "ls ..",
    "ls /",
    "ls ../ws-evil",
    "grep x /etc/passwd",
    "grep --color x /etc/passwd",
    "grep -f /etc/passwd a.py",
    "grep -rf/etc/passwd .",
    "grep --file=/etc/passwd a.py",
    "rg x /etc",
    "rg --ignore-case x up",
    "find / -name x",
    "find . -newer /etc/passwd",
    "git diff --no-index /etc/passwd a.py",
    "head -- /etc/passwd",
    "cd .. && ls",
    "cd / && cat etc/passwd",
    "cd up && cat secret",
    "cd src/../.. && ls",
    "cd -",
    "cd",
    "cd -P src",
    "cd -- -",
    "cd -- src",
    "cd src && cat ../../secret",
    "cd src; " * 9 + "ls",
    "test -f /etc/passwd",
    "readlink -f /etc",
    "stat out",
]


@pytest.mark.parametrize("command", MAY_DO_MORE)
def test_may_do_more(command: str, place: CommandContext) -> None:
    assert not check(command, place)


def test_a_program_of_the_workspace_is_not_what_it_is_called(place: CommandContext) -> None:
    planted = CommandContext(place.cwd, place.roots, f"{place.cwd}/src/bin:/usr/bin:/bin")
    assert check("wc a.py", place)
    assert not check("wc a.py", planted)
    assert check("echo a", planted)


def test_nor_is_a_link_to_one_of_the_workspace(place: CommandContext, tmp_path: Path) -> None:
    elsewhere = tmp_path / "bin"
    elsewhere.mkdir()
    (elsewhere / "cat").symlink_to(f"{place.cwd}/src/bin/wc")
    planted = CommandContext(place.cwd, place.roots, f"{elsewhere}:/usr/bin:/bin")
    assert check("wc a.py", planted)
    assert not check("cat a.py", planted)


def test_what_is_read_is_no_program_for_another(place: CommandContext) -> None:
    """Each part that only reads is known, but for those whose output another one may obey."""
    for line, reading in (
        ("echo a; npm test; echo b", ["echo a", "echo b"]),
        ("npm test | tail -5 | cut -c1", ["tail -5", "cut -c1"]),
        ("echo a | sh", []),
        ("echo a | head -1 | sh | wc -l", ["wc -l"]),
        ("(echo a; echo b) | (true; sh); echo c", ["echo c"]),
        ("echo a; cd nowhere; sh; echo a", ["echo a", "cd nowhere"]),
        ("echo a | sh; echo a", ["echo a"]),
    ):
        script = parse(line)
        assert isinstance(script, Script)
        found = read_only_commands(script.commands, place)
        assert [each.text for each in dict.fromkeys(script.commands) if each in found] == reading


def test_a_folder_outside_is_no_place_to_read(place: CommandContext) -> None:
    assert not check("ls", CommandContext("/", place.roots, place.search_path))


def test_dangerous_words_are_in_no_table() -> None:
    for name in "output ext-diff textconv open-files-in-pager pre exec show-signature".split():
        options = [*PROGRAMS.values(), *GIT.values()]
        assert not any(name in each.long or name in each.long_valued for each in options)
    assert not any(
        each.startswith(("-exec ", "-execd", "-ok", "-fp", "-fl", "-del")) for each in FIND
    )


WORDS = st.sampled_from(
    [*"-o -of --output=x --output -x --exec -i -delete -c > >> & $x `x` a.py src -- -n 5".split()]
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(program=st.sampled_from(sorted(PROGRAMS)), words=st.lists(WORDS, max_size=4))
def test_only_options_of_the_table(program: str, words: list[str], place: CommandContext) -> None:
    """A word that begins with a dash is one the table names, its value, or behind a `--`."""
    if not check(" ".join([program, *words]), place):
        return
    assert {">", ">>", "&", "$x", "`x`"}.isdisjoint(words)
    before = words[: words.index("--")] if "--" in words else words
    options = PROGRAMS[program]
    for word in before:
        if word.startswith("--"):
            assert word[2:].partition("=")[0] in options.long | options.long_valued
        elif word.startswith("-"):
            assert word[1] in options.flags + options.valued


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.text(
        alphabet=st.sampled_from(list("ls ca.py;|&<>$`\\'\"(){}*?~#!\n\r\x00é")), max_size=14
    )
)
def test_nothing_unclear_reads(text: str, place: CommandContext) -> None:
    if check(text, place):
        bare = re.sub(r"'[^']*'|\"[^\"$`\\]*\"", "", text)
        assert set("$`\\(){}*?!&>#\r\x00é'\"").isdisjoint(bare)
