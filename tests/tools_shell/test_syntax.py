"""What is understood of a command is what bash makes of it; everything else is unclear."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given as given_pieces
from hypothesis import settings
from hypothesis import strategies as st

from glossator.tools.shell.syntax import Loose, Script, Simple, Unclear, Unknown, parse


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
    assert [word for word in words if isinstance(word, Loose)] == loose


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
    assert isinstance(script, Unclear)
    assert [each.text for each in script.parts if isinstance(each, Unknown)] == unknown
    assert [each.text for each in script.parts if isinstance(each, Simple)] == known


@pytest.mark.parametrize(
    ("command", "hints", "opaque"),
    [
        ("git push $x", [["git", "push", "$x"]], False),
        ("echo $(rm x)", [["echo"], ["rm", "x"]], False),
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
    assert isinstance(script, Unclear)
    part = script.parts[0]
    assert isinstance(part, Unknown)
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
    assert isinstance(result, Unclear)
    assert result.reason.endswith(".")


def test_text_is_unambiguous() -> None:
    assert Simple(("npm", "test")).text == "npm test"
    assert Simple(("npm", "test it", "")).text == "npm 'test it' ''"


BASH = shutil.which("bash")
PIECES = [*"a b0 ; & && | || > < >> >& 2 ' \" \\ $ ` ( ) { } * ~ # ! = - \n".split(" "), " ", "\t"]
MORE = ["\n", "x=", "'a b'", '"a b"', "-l", "* ", "p c", "\np d\n", " # c\n", "; p e", "$?"]
GROUPED = [
    *"( ) { } ! if then else elif fi while until do done [ ]".split(),
    *("for i in ", "$i ", '"$i" ', "${i}b ", "V=v p ", "<<E ", "<<'E' ", "E\n", "<<<", "; ", "\n"),
    *("; do ", "; done", "; then ", "; fi", "for i in a 'b c'; do p ", "if p c; then p "),
    *("p <<E\na\nE\n", "p <<'E' | p d\n$x\nE\n", "V='a b' p c", "{ p c; }", "(p d)", "[ a = b ]"),
]
# what a program was given: its words, a variable, what it was fed. It ends what never ends.
PROGRAM = """
p() {
    IFS= read -rd '' fed
    printf '%s\\0' p "$@" "V=${V-}" "F=$fed" $'\\1' >> "$said"
    n=$((n + 1)); [ $n -lt 20 ] || kill -9 $$
    return $code
}
command_not_found_handle() { printf 'another\\1' >> "$said"; }
"""


NUMBER = re.compile("\0(\\d+|[$][?])(?=\0)")


def given(command: Simple) -> str:
    """What `PROGRAM` writes for it."""
    fed = command.fed or ""
    fed += "\n" if fed and not fed.endswith("\n") else ""
    variable = next((each for each in command.variables if each.startswith("V=")), "V=")
    return "\0".join((*command.words, variable, f"F={fed}", ""))


def check_with_bash(text: str, folder: Path) -> None:
    """Whatever is understood, bash runs as it was understood, and nothing else."""
    script = parse(text)
    if isinstance(script, Unclear):
        return
    known = [each for each in script.commands if each.words[0] != "["]
    if any(each.words[0] != "p" or each.redirects for each in known):
        return
    said, empty = folder / "said", folder / "empty"
    empty.mkdir()
    for code in ("0", "1"):  # so that what is after && and after || runs, too
        subprocess.run(
            [str(BASH), "-c", f"{PROGRAM}\n{text}"],
            env={"code": code, "said": str(said), "LC_ALL": "C.UTF-8"},
            cwd=empty,  # no pattern fits
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=20,
        )
    ran = re.findall("([^\1]+)\1", said.read_bytes().decode() if said.exists() else "")
    did = {NUMBER.sub("\0?", each.lstrip("\0")) for each in ran}
    meant = {NUMBER.sub("\0?", given(each)) for each in known}
    assert did <= meant
    assert did == meant or is_never_run(text)


def is_never_run(text: str) -> bool:
    """A branch may depend on what a `[`, a `!` or a loop makes of both codes."""
    return re.search(r"\[|!|\b(if|while|until)\b", text) is not None


@pytest.mark.skipif(BASH is None, reason="there is no bash to compare with")
@settings(max_examples=150, deadline=None)
@given_pieces(st.lists(st.sampled_from([*PIECES, *MORE]), max_size=9))
def test_words_are_bash_words(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    check_with_bash("p " + "".join(pieces), tmp_path_factory.mktemp("words"))


@pytest.mark.skipif(BASH is None, reason="there is no bash to compare with")
@settings(max_examples=150, deadline=None)
@given_pieces(
    st.lists(st.sampled_from(GROUPED), max_size=6), st.lists(st.sampled_from(MORE), max_size=3)
)
def test_groups_are_bash_groups(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], more: list[str]
) -> None:
    check_with_bash(" ".join([*pieces, *more]), tmp_path_factory.mktemp("groups"))


ODD = [
    *"$ ` \\ ( ) { } [ ] ! & <( >( <<E $( ${ $'".split(),
    "\r",
    "\x00",
    "\x0b",
    "\xa0",
    "\u2028",
]


@settings(max_examples=150, deadline=None)
@given_pieces(
    st.sampled_from(["ls", "cat x", "git log", "echo a; ls", "ls 'a b'", "ls "]),
    st.sampled_from(ODD),
    st.sampled_from(["", " ", "x", "/etc/x", "id)", ";ls", "\n"]),
)
def test_what_is_odd_is_unclear(before: str, odd: str, after: str) -> None:
    assert isinstance(parse(before + odd + after), Unclear)


def test_reading_is_pure(tmp_path: Path) -> None:
    parse(f"touch {tmp_path}/x")
    assert list(tmp_path.iterdir()) == []
