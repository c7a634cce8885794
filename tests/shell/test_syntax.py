"""What is understood of a command, and what is unclear."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.shell.parser import parse
from glossator.shell.script import Script, SimpleCommand, UncertainWord, UnclearScript, UnknownPart


def words_of(command: str) -> list[list[str]]:
    script = parse(command)
    assert isinstance(script, Script), script
    return [list(each.words) for each in script.commands]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls", [["ls"]]),
        ("  ls -la  ", [["ls", "-la"]]),
        ("ls;", [["ls"]]),
        ("ls\tsrc\n\npwd\n", [["ls", "src"], ["pwd"]]),
        ("npm test -- -t 'a b'", [["npm", "test", "--", "-t", "a b"]]),
        ("a && b || c | d; e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a &&\n  b |\n c", [["a"], ["b"], ["c"]]),
        ("""grep -n "a|b;c" 'x y'z""", [["grep", "-n", "a|b;c", "x yz"]]),
        ("echo '' \"\"", [["echo", "", ""]]),
        ("echo '$HOME `id` $(id) \\'", [["echo", "$HOME `id` $(id) \\"]]),
        ('echo "  two  blanks "', [["echo", "  two  blanks "]]),
        ("git diff HEAD~3 HEAD^ main..x@y -- a,b:c%d=e+f", None),
        ('echo "é  ü"', [["echo", "é  ü"]]),
        ("find . -name '*.py' '(' -o ')'", [["find", ".", "-name", "*.py", "(", "-o", ")"]]),
        ("./run-it.sh /bin/x", [["./run-it.sh", "/bin/x"]]),
        ("git commit -m 'one\ntwo'", [["git", "commit", "-m", "one\ntwo"]]),
        ("sudo rm -rf /", [["sudo", "rm", "-rf", "/"]]),
    ],
)
def test_plain(command: str, words: list[list[str]] | None) -> None:
    assert words_of(command) == (words if words is not None else [command.split()])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls *.py 'a*' src/?.py", [["ls", "*.py", "a*", "src/?.py"]]),
        ("ls # a 'b $c\npwd", [["ls"], ["pwd"]]),
        ("# a\nls", [["ls"]]),
        ("(cd a; ls) | (b); c", [["cd", "a"], ["ls"], ["b"], ["c"]]),
        ("{ ls; pwd; } && ! a", [["ls"], ["pwd"], ["a"]]),
        ("if a; then b\nelif c; then d; else e; fi", [[each] for each in "abcde"]),
        ("while a; do b; done; until c\ndo d\ndone", [[each] for each in "abcd"]),
        ("for x in a 'b c'; do wc \"$x\" 'x'; done", [["wc", "a", "x"], ["wc", "b c", "x"]]),
        ("for x in a b; do l $x d/${x}.y; done", [["l", "a", "d/a.y"], ["l", "b", "d/b.y"]]),
        ("for x in a b; do for y in c d; do l $x$y; done; done", None),
        ("for x in *.py\ndo l $x; done", [["l", "*.py"]]),
        ("[ -f a ] && [ ! b = 'c d' ]", [["[", "-f", "a", "]"], ["[", "!", "b", "=", "c d", "]"]]),
        ('a; echo "is $?"', [["a"], ["echo", "is $?"]]),
    ],
)
def test_what_is_more_than_plain(command: str, words: list[list[str]] | None) -> None:
    assert words_of(command) == (words or [["l", each] for each in ("ac", "ad", "bc", "bd")])


@pytest.mark.parametrize(
    ("command", "loose"),
    [
        ("ls a *.py '*'", ["*.py"]),
        ('for x in *.py b; do l $x "$x"; done', ["*.py", "*.py"]),
        ("echo $? 'a'", ["$?"]),
    ],
)
def test_what_the_shell_fills_in_is_loose(command: str, loose: list[str]) -> None:
    script = parse(command)
    assert isinstance(script, Script)
    words = [word for each in script.commands for word in each.words]
    assert [word for word in words if isinstance(word, UncertainWord)] == loose


def test_variables_and_what_is_fed() -> None:
    script = parse("A=1 B='x y' cat <<E | wc -l\nan 'E\nE\nsort <<<'b a'\ncat <<'E'\n$x\nE\n")
    assert isinstance(script, Script)
    first, *others = script.commands
    assert first.variables == ("A=1", "B=x y")
    assert [each.fed for each in script.commands] == ["an 'E\n", None, "b a", "$x\n"]
    assert first.words == ("cat",)
    assert [each.pipeline for each in others] == [first.pipeline, 0, 0]


@pytest.mark.parametrize(
    ("command", "unknown", "known"),
    [
        ('npm test && python -c "$x"; ls', ['python -c "$x"'], ["npm test", "ls"]),
        ("a; export B=1; c", ["export B=1"], ["a", "c"]),
        ("if a; then b $c; fi", ["b $c"], ["a"]),
        ("sleep 9 & a", ["sleep 9 & a"], []),
        ("for x in a b; do l $y; done", ["l $y", "l $y"], []),
        ("a 'b", ["a 'b"], []),
        ("ls\r", ["ls"], []),
    ],
)
def test_parts(command: str, unknown: list[str], known: list[str]) -> None:
    script = parse(command)
    assert isinstance(script, UnclearScript)
    assert [each.text for each in script.parts if isinstance(each, UnknownPart)] == unknown
    assert [each.text for each in script.parts if isinstance(each, SimpleCommand)] == known


@pytest.mark.parametrize(
    ("command", "hints", "opaque"),
    [
        ("git push $x", [["git", "push", "$x"]], False),
        ("echo $(rm x)", [["echo", "$(rm x)"], ["rm", "x"]], False),
        ("\\rm x", [["rm", "x"]], False),
        ("r''m x", [["rm", "x"]], False),
        ("$x y", [], True),
        ("f() { rm x; }; f", [["rm", "x"]], False),
        ("rm x)", None, True),
        ("rm \x01", None, True),
    ],
)
def test_hints(command: str, hints: list[list[str]] | None, opaque: bool) -> None:
    script = parse(command)
    assert isinstance(script, UnclearScript)
    part = script.parts[0]
    assert isinstance(part, UnknownPart)
    assert part.opaque is opaque
    if hints is not None:
        assert [list(each.words) for each in part.hints] == hints


@pytest.mark.parametrize(
    ("command", "redirects", "writes"),
    [
        ("sort <a >b", ["<a", ">b"], ("b",)),
        ("x 2>&1 >>log", ["2>&1", ">>log"], ("log",)),
        ("x >/dev/null 2>/dev/null", [">/dev/null", "2>/dev/null"], ()),
        ("x >| 'a b'", [">|a b"], ("a b",)),
        ("a; b && c >x", [">x"], ("x",)),
        ("a | b > c", [">c"], ("c",)),
        ("echo 2 >x", [">x"], ("x",)),
    ],
)
def test_redirections(command: str, redirects: list[str], writes: tuple[str, ...]) -> None:
    script = parse(command)
    assert isinstance(script, Script)
    last = script.commands[-1]
    assert [f"{each.descriptor}{each.operator}{each.target}" for each in last.redirects] == (
        redirects
    )
    assert last.writes == writes


@pytest.mark.parametrize(
    ("command", "targets"),
    [
        ("(a; b | c) > x", ["x", "x", "x"]),
        ("a | b > x", [None, "x"]),
        ("a && b > x", [None, "x"]),
        ("a && (b; c) > x", ["x", "x", "x"]),
        ("for i in 1 2; do a $i; done < x", ["x", "x"]),
        ("if a; then b; fi >x 2>&1", ["x", "x"]),
    ],
)
def test_whose_redirections_they_are(command: str, targets: list[str | None]) -> None:
    script = parse(command)
    assert isinstance(script, Script)
    found = [each.redirects[0].target if each.redirects else None for each in script.commands]
    assert found == targets


def test_many_rounds_take_no_time() -> None:
    words = " ".join("a" * 50)
    loops = "".join(f"for {name} in {words}; do " for name in "abcd")
    began = time.process_time()
    assert isinstance(parse(f"{loops} x; {'done; ' * 4}"), UnclearScript)
    assert time.process_time() - began < 2


UNCLEAR = [
    # expansions and substitutions
    "cat$IFS/etc/x",
    "cat ${IFS}x",
    "echo $HOME",
    'echo "$HOME"',
    'echo "$(id)"',
    "echo `id`",
    'echo "`id`"',
    "echo $((1+1))",
    "cat <(id)",
    "tee >(id)",
    "echo $'a'",
    'echo $"a"',
    "ls ~",
    "ls ~root/x",
    "ls x:~/y",
    "ls --a=~/y",
    "ls a{b,c}",
    "ls {1..3}",
    "ls [ab]",
    "l? x",
    "ls !(a)",
    "echo !!",
    "ls +(a)",
    # variables and names
    "A=1",
    "A+=1 ls",
    "export PAGER=sh; git log",
    "declare -x A",
    "unset PATH",
    "readonly A=1",
    "local x",
    "A=1 B=$x ls",
    "A=(1) ls",
    "A[0]=1 ls",
    "A=~/x ls",
    "A=x:~/y ls",
    "A=1; ls",
    # patterns
    "a* b",
    "ls a'*'*",
    "ls 'a'*",
    "ls > *.x",
    "ls ~*",
    # quoting
    "\\ls",
    "l\\s",
    "'ls' -l",
    '"ls" -l',
    "l's'",
    "ls a\\ b",
    "echo a \\ b",
    "ls \\\n -la",
    'echo "a\\"b"',
    'echo "a\\b"',
    "ls é",
    "ls\xa0x",
    "ls\u3000x",
    # control flow, grouping, functions
    "case a in b) ls;; esac",
    "for a; do ls; done",
    "for a in; do ls; done",
    "for ((;;)); do ls; done",
    "for PATH in x; do ls; done",
    "for a in b; do ls $b; done",
    "for a in b; do ls; done; ls $a",
    "for a in 'b c'; do ls $a; done",
    "for a in *.x; do ls $a.y; done",
    "for a in *.x; do cd $a; done",
    "for a in b; do read a; ls $a; done",
    "for a in b; do printf -v a c; ls $a; done",
    "for a in b; do a=c; ls $a; done",
    "for a in b; do for a in c; do ls $a; done; done",
    "for a in " + "b " * 201 + "; do ls $a; done",
    "while cd ..; do ls; done",
    "if true; then ls; fi &",
    "(ls) pwd",
    "(ls) && ((1))",
    "((ls))",
    "((ls); ls)",
    "{ls; }",
    "{ ls }",
    "(ls",
    "[ a > b ]",
    "[ a ]x",
    "[ $a = b ]",
    "[ a = b",
    "ls a#b",
    "ls 'a'#b",
    "ls;#b",
    "[[ -f x ]]",
    "((1))",
    "ls() { rm x; }",
    "function ls { rm x; }",
    "time ls",
    "coproc ls",
    "then",
    "select a in b; do ls; done",
    # redirections and the background
    "cat <<E\n$x\nE",
    "cat <<E\n`x`\nE",
    "cat <<E\n\\x\nE",
    "cat <<E\nx\n E",
    "cat <<E\nx",
    "cat <<-E\nx\nE",
    "cat 2<<E\nx\nE",
    "cat x<<E\nx\nE",
    "cat <<E 'a\nE\nb'",
    "cat <<E 'a\nb\nE\n'",
    "cat <<E $(ls\nE\n)",
    "cat <<E <<F\nx\nE\ny\nF",
    "cat <<\\E\nx\nE",
    "cat <<E'F'\nx\nEF",
    "cat <<<$x",
    "cat <<<x <<<y",
    "(cat) <<E\nx\nE",
    "while read a; do ls $a; done <<<x",
    "ls &",
    "ls & pwd",
    "ls |& wc",
    "ls &>x",
    "ls >&x",
    "ls >& x",
    "ls <>x",
    "ls <&3-",
    "ls > $x",
    "ls >",
    "> x",
    ">x ls",
    "ls >x -la",
    "ls {fd}>x",
    # not whole, or hidden
    "ls 'a",
    'ls "a',
    "ls (",
    "ls )",
    "ls ;; pwd",
    "; ls",
    "| ls",
    "&& ls",
    "ls &&",
    "ls | | wc",
    "ls\r",
    "ls\x00rm",
    "ls \x1b[2K",
    "ls \u2028rm",
    "ls \x0b-l",
    "ls\x0c-l",
    "# comment",
    "",
    "   \n",
    "ls \ud800",
    "a&&" * 100 + "a",
    "ls " + "x" * 10_001,
]


@pytest.mark.parametrize("command", UNCLEAR, ids=lambda command: repr(command[:40]))
def test_unclear(command: str) -> None:
    result = parse(command)
    assert isinstance(result, UnclearScript)
    assert result.reason.endswith(".")


def test_text_is_unambiguous() -> None:
    assert SimpleCommand(("npm", "test")).text == "npm test"
    assert SimpleCommand(("npm", "test it", "")).text == "npm 'test it' ''"


ODD = [
    *"$ ` \\ ( ) { } [ ] ! & <( >( <<E $( ${ $'".split(),
    "\r",
    "\x00",
    "\x0b",
    "\xa0",
    "\u2028",
]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["ls", "cat x", "git log", "echo a; ls", "ls 'a b'", "ls "]),
    st.sampled_from(ODD),
    st.sampled_from(["", " ", "x", "/etc/x", "id)", ";ls", "\n"]),
)
def test_what_is_odd_is_unclear(before: str, odd: str, after: str) -> None:
    assert isinstance(parse(before + odd + after), UnclearScript)


def test_reading_is_pure(tmp_path: Path) -> None:
    parse(f"touch {tmp_path}/x")
    assert list(tmp_path.iterdir()) == []
