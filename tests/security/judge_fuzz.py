"""Random command lines that are judged to only read, run with strace as a witness.

    .venv/bin/python -m tests.security.judge_fuzz --seconds 600

Each is run in a workspace with links that lead out of it, pipes, and files named like options. The
witness must see nothing written, removed or renamed, no connection, no program but those that the
line names, and nothing opened of what lies next to the workspace.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from glossator.sandbox.environment import scrubbed
from glossator.shell.parser import parse
from glossator.shell.programs import FIND, GIT, PROGRAMS, Options
from glossator.shell.read_only import CommandContext, read_only_commands
from glossator.shell.script import Script

STRACE = shutil.which("strace")
BASH = shutil.which("bash")
_SECONDS = 20.0  # for one command; none of them waits for anything

_FILES = {
    "ws/a.py": "import os\n\n\ndef f(x):\n    return x\n",
    "ws/b.txt": "3 b\n1 a\n2 c\n",
    "ws/n.json": '{"name": "x"}\n',
    "ws/names": "../secret\0a.py\0",
    "ws/list": "../secret\na.py\n",
    "ws/src/c.py": "x = 1\n",
    "ws/src/deep/d.txt": "d\n",
    "ws/options/-o": "",
    "ws/options/--output=x": "",
    "ws/options/a b": "",
    "ws/options/e.txt": "",
    "ws/left/same": "l\n",
    "ws/right/same": "r\n",
    "secret": "canary\n",
    "ws-evil/secret": "canary\n",
    "home/secret": "canary\n",
}
_LINKS = {
    "ws/out": "../secret",
    "ws/up": "..",
    "ws/in": "a.py",
    "ws/l": "src/deep",
    "ws/dangling": "../nowhere",
    "ws/src/out": "../../secret",
    "ws/left/leads": "../../secret",
    "ws/right/leads": "../../home/secret",
    "ws/src/up": "../../ws-evil",
    "ws/!": "../secret",
}
_OPERANDS = (
    "a.py b.txt n.json src src/c.py src/deep l in left right options . ./a.py 'a.py' nowhere - --"
    " a.py b.txt HEAD HEAD~1 HEAD:a.py"
    # what leads out of it, or waits
    " .. ../secret out up up/secret dangling src/out src/up l/.. l/../.. l/../../secret names list"
    " left/leads pipe /etc/passwd /dev/null /dev/stdin /proc/self/environ ../ws-evil"
    " src/../../secret ~/secret ! nowhere/../../secret"
    # what a shell makes names of
    " * *.py src/* options/* */same .* ?.py *t left/* up/* -* [a-c]*"
).split()
_ATTACKS = (
    "-R -L -l -o x -ox --output=x --output x -f names -f list -T . -S1 --files0-from=names -f - -i"
    " --compress-program=sh --pre=sh --pre sh -z --exec=sh -exec id ; -delete -fprint x -okdir"
    " --open-files-in-pager=sh -O -Osh --ext-diff --textconv --no-index -C src -c core.pager=sh"
    " --show-signature --format=%G? --sort=signature -m list -s now --follow -F --dereference"
    " --from-file=list -newer out -samefile out -files0-from names -r --recursive --fromfile"
    " --rawfile a out -nf --expression=1p -n 1p 1,2p 'w x' +%s"
).split()
_VALUES = "1 2 x a.py out list ../secret '*' *.py , never /etc/passwd always : %s %h".split()
_VARIABLES = "LC_ALL=C NO_COLOR=1 PATH=. PAGER=sh TZ=../secret LESSOPEN=x A=1 CDPATH=..".split()
# what programs start to do their work: scripts of the system, and git its own parts
_HELPERS = {"egrep": {"sh", "dash", "bash", "grep"}, "which": {"sh", "dash", "bash"}}
_HELPERS["fgrep"] = _HELPERS["egrep"]


class Lines:
    """Random command lines."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def one(self) -> str:
        """A line of a few programs."""
        choose = self._random
        if choose.random() < 0.1:
            words = " ".join(choose.choices(_OPERANDS, k=2))
            name = choose.choice(("$f", '"$f"', "${f}"))
            return f"for f in {words}; do {self._program(name)}; done"
        parts = [self._program()]
        while choose.random() < 0.35:
            parts += [choose.choice((" | ", " && ", "; ", " || ", "\n")), self._program()]
        line = "".join(parts)
        if choose.random() < 0.1:
            return f"cd {choose.choice(_OPERANDS)} && {line}"
        return (
            choose.choice(("({})", "! {}", "if {}; then pwd; fi")).format(line)
            if (choose.random() < 0.08)
            else line
        )

    def _program(self, *operands: str) -> str:
        choose = self._random
        program = choose.choice((*PROGRAMS, *["git", "find", "cd", "["] * 4))
        words = list(self._words(program))
        words += choose.choices((*_OPERANDS, *operands * 60), k=choose.choice((0, 1, 1, 2)))
        if choose.random() < 0.06:
            words.append(f"<{choose.choice(_OPERANDS)}")
        if choose.random() < 0.04:
            words.append(choose.choice((">x", "2>/dev/null", "2>&1", "<<<x", "</dev/tcp/::1/9")))
        if choose.random() < 0.05:
            program = f"{choose.choice(_VARIABLES)} {program}"
        return " ".join((program, *words))

    def _words(self, program: str) -> Iterator[str]:
        choose = self._random
        options = PROGRAMS.get(program, Options())
        if program == "git":
            yield (subcommand := choose.choice(list(GIT)))
            options = GIT[subcommand]
        if program == "find":
            yield choose.choice(_OPERANDS)
        for _ in range(choose.choice((0, 1, 1, 2, 3))):
            if choose.random() < 0.15:
                yield choose.choice(_ATTACKS)
            elif program == "find":
                test = choose.choice(list(FIND))
                yield " ".join((f"'{test}'", *choose.choices(_VALUES, k=FIND[test])))
            elif program == "[":
                yield choose.choice(("-f", "-d", "!", "=", "-nt"))
            else:
                yield self._option(options)
        if program == "[":
            yield f"{choose.choice(_OPERANDS)} ]"
        if options.free and choose.random() < 0.8:
            yield choose.choice(("x", "1p", "+%s", ".name"))

    def _option(self, options: Options) -> str:
        choose = self._random
        value = choose.choice(_VALUES)
        found = []
        if options.flags:
            found.append(f"-{''.join(choose.choices(options.flags, k=choose.choice((1, 1, 2))))}")
        if options.valued:
            found.append(f"-{choose.choice(options.valued)}{choose.choice(('', ' '))}{value}")
        if options.long:
            found.append(f"--{choose.choice(sorted(options.long))}")
        if options.long_valued:
            name = choose.choice(sorted(options.long_valued))
            found.append(f"--{name}{choose.choice('= ')}{value}")
        return choose.choice(found) if found else ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A workspace among other folders, and how commands run in it."""

    top: Path
    environment: dict[str, str]

    @property
    def place(self) -> CommandContext:
        """Where its commands run."""
        root = str(self.top / "ws")
        return CommandContext(root, (root,), self.environment["PATH"])


@contextmanager
def scene() -> Iterator[Scene]:
    """A workspace, with a repository, for as long as the `with` lasts."""
    with tempfile.TemporaryDirectory(prefix="judged-") as folder:
        top = Path(os.path.realpath(folder))
        for name, text in _FILES.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name, target in _LINKS.items():
            (top / name).symlink_to(target)
        os.mkfifo(top / "ws/pipe")
        (top / "tmp").mkdir()
        home = {"HOME": str(top / "home"), "TMPDIR": str(top / "tmp")}
        environment = scrubbed({**os.environ, **home})
        for words in ("init -q", "add a.py b.txt src", "commit -q -m one", "commit -q -m two"):
            who = ("-c", "user.name=x", "-c", "user.email=x", "-c", "core.hooksPath=/dev/null")
            more = ("--allow-empty",) if words.startswith("commit") else ()
            subprocess.run(
                ["git", *who, *words.split(), *more], cwd=top / "ws", env=environment, check=True
            )
        yield Scene(top, environment)


_WATCHING = (
    *(str(STRACE), "-ff", "-y", "-s", "512", "-e", "signal=none", "-e"),
    "trace=%file,%network,fchmod,fchown,ftruncate,fsetxattr,fremovexattr",
)
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+)(?P<rest>.*)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_REAL = re.compile(r"<([^<>]*)>")
_WRITING = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
_CHANGING = re.compile(
    r"(creat|unlink|rename|rmdir|mkdir|link|symlink|mknod|truncate|f?chmod|f?l?chown|utime|futime"
    r"|l?f?setxattr|l?f?removexattr|mount|umount|pivot_root|swapon|acct|chroot)\w*"
)
_TALKING = frozenset("connect sendto sendmsg sendmmsg bind listen accept accept4".split())
_NAME_SERVICE = "nscd/socket"  # the C library asks it for names of users


def violations(command: str, scene: Scene) -> list[str]:
    """What the witness saw of a command that one that only reads may not do."""
    with tempfile.TemporaryDirectory(prefix="witness-") as folder:
        record = os.path.join(folder, "of")
        try:
            subprocess.run(
                [*_WATCHING, "-o", record, "--", str(BASH), "-c", command],
                cwd=scene.place.cwd,
                env=scene.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ["it did not end"]
        allowed = _programs(command)
        return [
            line
            for file in Path(folder).iterdir()
            for line in file.read_text("utf-8", "replace").splitlines()
            if (call := _CALL.match(line)) and _is_violation(call, scene, allowed)
        ]


def _programs(command: str) -> set[str]:
    """The names of the programs that a command may start."""
    script = parse(command)
    named = {each.words[0] for each in script.known}
    return {"bash", *named, *(name for each in named for name in _HELPERS.get(each, ()))}


def _is_violation(call: re.Match[str], scene: Scene, programs: set[str]) -> bool:
    name, arguments, failed = call["name"], call["arguments"], call["result"].startswith("-")
    paths = _QUOTED.findall(arguments)
    if name in ("execve", "execveat"):
        program = os.path.basename(paths[0]) if paths else ""
        is_git = "git" in programs and program.split("-")[0] == "git"
        return not failed and program not in programs and not is_git
    if name in _TALKING:
        return _NAME_SERVICE not in arguments
    own = str(scene.top / "tmp")  # for temporary files, in the sandbox as well
    if name.startswith("open"):
        real = next(iter(_REAL.findall(call["rest"])), "")
        path = real or (paths[0] if paths else "")
        if _WRITING.search(arguments.rpartition('"')[2]):
            return path not in ("/dev/null", "/dev/tty") and not path.startswith(own)
        outside = real.startswith(str(scene.top)) and not real.startswith(scene.place.cwd + "/")
        return outside and real not in (scene.place.cwd, own)
    changed = _CHANGING.fullmatch(name) is not None and not name.startswith("readlink")
    return changed and not all(path.startswith(own) for path in paths)


def can_watch() -> str | None:
    """Why there can be no witness here; None if there can be."""
    if STRACE is None or BASH is None or shutil.which("git") is None:
        return "strace, bash or git is missing"
    tried = subprocess.run(
        [STRACE, "-o", os.devnull, "true"], capture_output=True, check=False, text=True
    )
    return None if tried.returncode == 0 else f"strace does not work here: {tried.stderr.strip()}"


@dataclass(slots=True)
class Tally:
    """How many lines were made, and how many of them were judged to only read, and so were run."""

    made: int = 0
    run: int = 0


def fuzz(seed: int, seconds: float, most: int, tally: Tally) -> Iterator[tuple[str, list[str]]]:
    """The command lines that did more than they were judged to do, with what the witness saw."""
    lines, seen = Lines(seed), set[str]()
    end = time.monotonic() + seconds
    with scene() as where:
        while time.monotonic() < end and tally.run < most:
            line = lines.one()
            tally.made += 1
            if line in seen or not _is_read_only(line, where.place):
                continue
            seen.add(line)
            tally.run += 1
            if found := violations(line, where):
                yield line, found


def _is_read_only(line: str, place: CommandContext) -> bool:
    script = parse(line)
    if not isinstance(script, Script):
        return False
    return read_only_commands(script.commands, place).issuperset(script.commands)


def main() -> None:
    """Run for a while; ends with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=Random().randrange(10**9))
    chosen = parser.parse_args()
    if reason := can_watch():
        sys.exit(reason)
    sys.stdout.write(f"seed {chosen.seed}\n")
    tally, count = Tally(), 0
    for line, found in fuzz(chosen.seed, chosen.seconds, sys.maxsize, tally):
        count += 1
        sys.stdout.write(f"{line!r}\n" + "".join(f"    {each}\n" for each in found[:3]))
        sys.stdout.flush()
    sys.stdout.write(f"{tally.made} lines, {tally.run} judged to only read and run, {count} not\n")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()
