"""What is understood of a command is what bash makes of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given as given_pieces
from hypothesis import settings
from hypothesis import strategies as st

from glossator.shell.parser import parse
from glossator.shell.script import SimpleCommand, UnclearScript

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


def given(command: SimpleCommand) -> str:
    """What `PROGRAM` writes for it."""
    fed = command.fed or ""
    fed += "\n" if fed and not fed.endswith("\n") else ""
    variable = next((each for each in command.variables if each.startswith("V=")), "V=")
    return "\0".join((*command.words, variable, f"F={fed}", ""))


def check_with_bash(text: str, folder: Path) -> None:
    """Whatever is understood, bash runs as it was understood, and nothing else."""
    script = parse(text)
    if isinstance(script, UnclearScript):
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
