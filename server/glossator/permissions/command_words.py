"""The words of commands, as rules see them: the paths that they may mean, and the commands in them.

Both rather find too many than too few. A program that finds its files itself
(`grep -r`) names none of them; only a sandbox protects those.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from glob import iglob
from itertools import dropwhile, islice, pairwise

from glossator.shell import (
    SimpleCommand,
    UncertainWord,
    UnclearScript,
    UnknownPart,
    parse,
    possible_folders,
)

CommandWords = tuple[str, ...]  # variables (`NAME=value`) that are set for it first

_PARTS = re.compile(r"[=:@,]")  # `--file=x`, `HEAD:x`, `@x`
_MAGIC = re.compile(r"[*?\[]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_MAX_FOLDERS = 32  # in which a script may be
_MAX_PATTERNS = 2  # names with a `*` in one path
_MAX_MATCHES = 1_000
_SHELLS = frozenset("ash bash dash fish ksh mksh sh zsh".split())
# programs that run the program named among their words
_RUNNERS = _SHELLS | frozenset(
    "alias builtin busybox bunx chroot chrt command coproc doas env eval exec fakeroot firejail"
    " flock gdb ionice ltrace nice nohup npx nsenter numactl parallel prlimit runuser script"
    " setpriv setsid stdbuf strace su sudo systemd-run taskset time timeout toybox trap unbuffer"
    " unshare uvx valgrind watch xargs xvfb-run".split()
)
# programs that do so with one of these words
_RUNS_WITH = {
    "bun": {"x"},
    "conda": {"run"},
    "direnv": {"exec"},
    "fd": {"-x", "-X", "--exec", "--exec-batch"},
    "find": {"-exec", "-execdir", "-ok", "-okdir"},
    "git": {"bisect", "difftool", "filter-branch", "foreach", "rebase"},
    "hatch": {"run"},
    "mise": {"exec", "x"},
    "nix": {"develop", "run", "shell"},
    "npm": {"exec", "x"},
    "pdm": {"run"},
    "pipenv": {"run"},
    "pipx": {"run"},
    "pnpm": {"dlx", "exec"},
    "poetry": {"run"},
    "rye": {"run"},
    "uv": {"run", "x"},
    "yarn": {"dlx", "exec"},
}
_SAYING = frozenset({"echo", "printf"})
_BETWEEN = re.compile(r"[\s;&|()<>{}]+")
_PLAIN = re.compile(r"[\w./:=@%+,-]*")  # no text of several words
_TAKES_TEXT = re.compile(r"-[a-zA-Z]*c")
_MAX_TEXTS = 64
_MAX_TEXT_LETTERS = 16_000  # of a text


@dataclass(frozen=True, slots=True)
class MeantPaths:
    """Absolute paths, links and `..` unresolved: what words may name, what redirects write to."""

    named: tuple[str, ...]
    written: tuple[str, ...]


def words_of(command: SimpleCommand) -> CommandWords:
    """The words that rules are compared with; a here-document is one more, uncertain word."""
    fed = () if command.fed is None else (UncertainWord(command.fed),)
    return (*command.variables, *command.words, *fed)


def without_variables(command: CommandWords) -> CommandWords:
    """A command without the variables that are set for it."""
    return tuple(dropwhile(_VARIABLE.match, command))


def command_text(command: CommandWords) -> str:
    """A command as people write it."""
    return " ".join(
        word if isinstance(word, UncertainWord) else shlex.quote(word) for word in command
    )


def meant_paths(
    commands: Iterable[CommandWords], writes: Iterable[str], cwd: str
) -> MeantPaths | None:
    """The paths that a script started in `cwd` may mean; None if they are too many."""
    known = tuple(commands)
    folders = possible_folders(known, cwd, _MAX_FOLDERS)
    words = dict.fromkeys(word for command in known for word in command)
    parts = dict.fromkeys(part for word in words for part in (word, *_PARTS.split(word)))
    parts = dict.fromkeys(filter(_is_name, parts))
    named = tuple(islice(_named(parts, folders), _MAX_MATCHES + 1))
    too_wide = any(_patterns(part) > _MAX_PATTERNS for part in parts)
    if too_wide or len(folders) > _MAX_FOLDERS or len(named) > _MAX_MATCHES:
        return None
    written = (path for word in writes for path in _paths(word, folders))
    return MeantPaths(tuple(dict.fromkeys(named)), tuple(dict.fromkeys(written)))


def _named(parts: Iterable[str], folders: list[str]) -> Iterator[str]:
    for part in parts:
        for path in _paths(part, folders):
            # where nothing is, an absolute path is more likely something else, as `/api/users`
            if not os.path.isabs(os.path.expanduser(part)) or os.path.lexists(path):
                yield path
        if 0 < _patterns(part) <= _MAX_PATTERNS:
            for folder in folders:
                matches = iglob(os.path.expanduser(part), root_dir=folder, include_hidden=True)
                yield from (os.path.join(folder, match) for match in matches)


def _paths(word: str, folders: list[str]) -> Iterator[str]:
    """The paths a word means in one of the folders; a `~` is the home folder or itself."""
    for meant in dict.fromkeys((word, os.path.expanduser(word))):
        yield from dict.fromkeys(os.path.join(folder, meant) for folder in folders)


def _patterns(path: str) -> int:
    return sum(_MAGIC.search(name) is not None for name in path.split("/"))


def _is_name(word: str) -> bool:
    try:
        return word != "" and b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


@dataclass(slots=True)
class NestedCommands:
    """The commands in texts that other commands give to programs to run (`sh -c 'npm test'`).

    `commands` are the visible ones, `files` the targets of their redirections. `doubted` are parts
    that are not understood but that a shell is sure to run, "" for those beyond the limit; they
    may run commands that cannot be seen if they are `opaque`.
    """

    commands: list[SimpleCommand] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    doubted: list[str] = field(default_factory=list)
    opaque: bool = False


def program_of(word: str) -> str:
    """What a program is called, without its folder."""
    return word.rpartition("/")[2]


def runs_another(words: Sequence[str]) -> bool:
    """Whether a command may run a program that is named among its words."""
    program = program_of(words[0]) if words else ""
    return program in _RUNNERS or not _RUNS_WITH.get(program, set()).isdisjoint(words)


def split_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words, with those that hold several (`sh -c 'npm test'`) split."""
    return tuple(type(word)(part) for word in words for part in _BETWEEN.split(word) if part)


def nested_commands(commands: Iterable[SimpleCommand]) -> NestedCommands:
    """The commands in the texts of commands, in the texts of those, and so on."""
    found = NestedCommands()
    left = list(commands)
    seen: set[str] = set()
    while left:
        texts = [each for each in _texts(left) if each[0] not in seen]
        left = []
        for text, is_sure in texts:
            seen.add(text)
            if len(seen) > _MAX_TEXTS or len(text) > _MAX_TEXT_LETTERS:
                found.doubted.append("")
                found.opaque = True
                return found
            left += _read(text, found, is_sure=is_sure)
    return found


def _read(text: str, found: NestedCommands, *, is_sure: bool) -> list[SimpleCommand]:
    """Add the commands in a text to what was found, and return them."""
    script = parse(text)
    parts = script.parts if isinstance(script, UnclearScript) else script.commands
    unknown = [each for each in parts if isinstance(each, UnknownPart)]
    commands = [*script.known, *(hint for each in unknown for hint in each.hints)]
    redirects = [each for one in commands for each in one.redirects if each.operator != ">&"]
    files = [*(each.target for each in redirects), *(name for e in unknown for name in e.writes)]
    found.commands += commands
    found.files += [name for name in files if name != os.devnull]
    if is_sure:
        found.doubted += [each.text for each in unknown]
        found.opaque |= any(each.opaque for each in unknown)
        if isinstance(text, UncertainWord):  # the shell takes what it makes of it for commands, too
            found.doubted.append(text)
            found.opaque = True
    return commands


def _texts(commands: Sequence[SimpleCommand]) -> Iterator[tuple[str, bool]]:
    """The texts that commands may run, and whether a shell surely runs them."""
    fed_shells = {each.pipeline for each in commands if each.pipeline and _is_shell(each.words)}
    for command in commands:
        words = without_variables(words_of(command))
        is_fed = command.fed is not None
        if is_fed and (_is_shell(command.words) or command.pipeline in fed_shells):
            yield command.fed or "", True
        if command.pipeline in fed_shells and words[0] in _SAYING:
            yield " ".join(words[1:]), False
            yield from ((word, False) for word in words[1:])
        if runs_another(words):
            yield from _of_runner(words[: len(words) - is_fed])


def _of_runner(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for at, (before, word) in enumerate(pairwise(words)):
        if before == "eval":
            is_known = not any(isinstance(each, UncertainWord) for each in words[at + 1 :])
            yield (str if is_known else UncertainWord)(" ".join(words[at + 1 :])), True
        is_text = before == "trap" or (_TAKES_TEXT.fullmatch(before) and _is_shell(words))
        attached = word[2:] if word.startswith("-") else ""  # `su -c'rm x'`
        for text in dict.fromkeys((word, word.partition("=")[2], attached)):
            if not _PLAIN.fullmatch(text):
                yield text, bool(is_text) and text == word


def _is_shell(words: Sequence[str]) -> bool:
    """Whether a command is a shell, or may run one."""
    may_be = words if runs_another(words) else words[:1]
    return any(program_of(word) in _SHELLS for word in may_be)
