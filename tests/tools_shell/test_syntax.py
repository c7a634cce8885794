"""What is understood of a command is what bash makes of it; everything else is unclear."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.tools.shell.syntax import Script, Simple, Unclear, parse


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
    "ls *.py",
    "ls a?b",
    "ls [ab]",
    "l? x",
    "ls !(a)",
    "echo !!",
    "ls +(a)",
    # variables and names
    "A=1",
    "A=1 ls",
    "A+=1 ls",
    "export PAGER=sh; git log",
    "declare -x A",
    "unset PATH",
    "readonly A=1",
    "local x",
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
    "if true; then ls; fi",
    "for a in b; do ls; done",
    "while true; do ls; done",
    "case a in b) ls;; esac",
    "(ls)",
    "{ ls; }",
    "! ls",
    "[[ -f x ]]",
    "[ -f x ]",
    "((1))",
    "ls() { rm x; }",
    "function ls { rm x; }",
    "time ls",
    "coproc ls",
    "then",
    "select a in b; do ls; done",
    # redirections and the background
    "cat <<E\nx\nE",
    "cat <<<x",
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
    "ls # comment",
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


@pytest.mark.skipif(BASH is None, reason="there is no bash to compare with")
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, "\n", "x=", "'a b'", '"a b"', "-l"]), max_size=9))
def test_words_are_bash_words(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    """Whatever is understood, bash runs as it was understood."""
    script = parse("p " + "".join(pieces))
    if isinstance(script, Unclear) or any(each.words[0] != "p" for each in script.commands):
        return
    if any(each.redirects for each in script.commands):
        return
    folder = tmp_path_factory.mktemp("words")
    text = "p " + "".join(pieces)
    program = f'p() {{ printf "%s\\0" "$@" "" >> {folder}/said; return $code; }}'
    for code in ("0", "1"):  # so that what is after && and after || runs, too
        subprocess.run([str(BASH), "-c", f"{program}\n{text}"], env={"code": code}, check=False)
    said = (folder / "said").read_bytes().decode()
    for command in script.commands:
        assert "\0".join((*command.words[1:], "", "")) in said


ODD = [
    *"$ ` \\ ( ) { } * ? [ ] ! & <( >( <<E $( ${ $'".split(),
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
    assert isinstance(parse(before + odd + after), Unclear)


def test_reading_is_pure(tmp_path: Path) -> None:
    parse(f"touch {tmp_path}/x")
    assert list(tmp_path.iterdir()) == []
