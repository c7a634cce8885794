"""Programs that only read, and the options with which they only read.

Everything else is unknown. Options that write, run another program, follow links out of a folder
or read names of files from elsewhere are left out on purpose (`sort -o`, `rg --pre`, `find -exec`,
`git --output`), and so is everything that nobody has checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

ANYTHING = re.compile(r".*", re.DOTALL)
MANY = 10_000  # more than a command holds


class _More(TypedDict, total=False):
    """The rarer columns of a row; see `Options`."""

    separate: bool
    free: int
    shape: re.Pattern[str]
    least: int
    most: int
    number: bool
    needs: frozenset[str]
    builtin: bool
    no_folders: bool


@dataclass(frozen=True, slots=True)
class Options:
    """The words with which a program only reads.

    `flags` and `valued` are one-letter options without and with a value; `long` and `long_valued`
    words after `--`. The value of a long option must follow a `=`, unless `separate` is set, as it
    may be left out of many. All other words are taken for paths, but for the first `free` ones,
    which must look like `shape`.
    """

    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    separate: bool = False
    free: int = 0
    shape: re.Pattern[str] = ANYTHING
    least: int = 0  # operands
    most: int = MANY  # operands
    number: bool = False  # takes -5
    needs: frozenset[str] = frozenset()  # one of these options
    builtin: bool = False  # of the shell: no file is run
    no_folders: bool = False  # of a folder it would read files, wherever links in it lead


def _options(
    flags: str = "",
    valued: str = "",
    long: str = "",
    long_valued: str = "",
    **more: Unpack[_More],
) -> Options:
    return Options(flags, valued, frozenset(long.split()), frozenset(long_valued.split()), **more)


_GREP = _options(
    "EFGPivwxcnHhlLoqsbrIaUZz",
    "efmABC",
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match"
    " word-regexp line-regexp count line-number with-filename no-filename files-with-matches"
    " files-without-match only-matching quiet silent no-messages recursive text null color",
    "regexp file max-count after-context before-context include exclude exclude-dir binary-files",
    separate=True,
    number=True,
)
_SUM = _options("bt", "", "binary text")
# a program of jq that takes no module: it would be looked for where the program says
_JQ = re.compile(r"(?!.*\b(?:import|include|modulemeta)\b).*", re.DOTALL)

PROGRAMS: Mapping[str, Options] = {
    "basename": _options("a", "s", "multiple", "suffix"),
    "cd": _options(builtin=True),
    "cat": _options("AbeEnstTuv", "", "number number-nonblank show-all squeeze-blank"),
    "cmp": _options("bls", "n", "silent quiet", "bytes"),
    "column": _options("tx", "sco"),
    "comm": _options("123", "", "check-order nocheck-order"),
    "cut": _options(
        "nsz", "bcdf", "complement only-delimited", "delimiter fields characters bytes"
    ),
    "date": _options("u", "", "utc", free=1, most=1, shape=re.compile(r"\+.*")),
    "df": _options("ahHiklmPT", "", "human-readable"),
    "diff": _options(
        "abBdEiNpqstTuwyZ",
        "UCxIW",
        "brief unified ignore-case ignore-all-space ignore-space-change"
        " ignore-blank-lines side-by-side text new-file report-identical-files",
        "exclude label color width",
        no_folders=True,
    ),
    "dirname": _options("z"),
    "du": _options("abcDhHklmsSx", "d", "human-readable summarize all total", "max-depth exclude"),
    "echo": _options("neE", free=MANY, builtin=True),
    "egrep": _GREP,
    "false": _options(builtin=True),
    "fgrep": _GREP,
    "file": _options("bhiL", "", "brief mime mime-type mime-encoding dereference no-dereference"),
    "grep": _GREP,
    "head": _options("qvz", "nc", "quiet silent verbose", "lines bytes", number=True),
    "id": _options("gGnru", most=0),
    "jq": _options(
        "cMrjaSesn",
        "",
        "compact-output raw-output sort-keys exit-status slurp null-input monochrome-output tab",
        "indent",
        free=1,
        shape=_JQ,
    ),
    "ls": _options(
        "1aAbBcCdfFgGhHiklmnNopqQrRsStuvUxXZ",
        "I",
        "all almost-all author classify directory full-time group-directories-first"
        " human-readable inode no-group numeric-uid-gid recursive reverse size",
        "color format hide ignore sort time time-style indicator-style",
    ),
    "md5sum": _SUM,
    "nl": _options("p", "bdfhilnsvw"),
    "nproc": _options("", "", "all", most=0),
    "od": _options("bcdoxv", "AjNtw"),
    "paste": _options("sz", "d", "serial", "delimiters"),
    "printenv": _options(free=MANY),
    "pwd": _options("LP", most=0, builtin=True),
    "readlink": _options("efmnqsvz"),
    "realpath": _options("emLPqsz", "", "", "relative-to relative-base"),
    "rg": _options(
        "iSsvwxclnNHIoFPUquap0b.",
        "efgtTABCmMdrE",
        "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count"
        " count-matches files-with-matches files-without-match line-number no-line-number"
        " with-filename no-filename only-matching fixed-strings pcre2 multiline multiline-dotall"
        " quiet hidden no-ignore no-ignore-vcs no-heading heading text files json stats trim"
        " column vimgrep type-list no-config null no-messages",
        "regexp file glob iglob type type-not after-context before-context context max-count"
        " max-columns max-depth max-filesize replace encoding sort sortr color colors engine",
        separate=True,
    ),
    "rev": _options(),
    "sed": _options(
        "nEru",
        "",
        "quiet silent regexp-extended",
        free=1,
        shape=re.compile(r"(\d+|\$)(,(\d+|\$))?p(;(\d+|\$)(,(\d+|\$))?p)*"),
        needs=frozenset({"n", "quiet", "silent"}),
        least=1,
    ),
    "sha1sum": _SUM,
    "sha256sum": _SUM,
    "sha512sum": _SUM,
    "sort": _options(
        "bcCdfghiMmnrRsuVz",
        "kt",
        "numeric-sort reverse unique ignore-case version-sort human-numeric-sort"
        " general-numeric-sort stable check month-sort ignore-leading-blanks"
        " dictionary-order zero-terminated",
        "key field-separator sort",
    ),
    "stat": _options("Ltxn", "cf", "dereference terse", "format printf"),
    "tac": _options("br", "s"),
    "tail": _options("qvzr", "nc", "quiet silent verbose", "lines bytes", number=True),
    "test": _options("efdrwxsLhnzk", builtin=True),
    "tr": _options("cCdst", "", "complement delete squeeze-repeats truncate-set1", free=2),
    "tree": _options(
        "adfpsughDFrtUvxiJ", "LPI", "dirsfirst filesfirst noreport gitignore prune", "filelimit"
    ),
    "true": _options(builtin=True),
    "uname": _options("amnoprsv", most=0),
    "uniq": _options("cdDiuz", "fsw", "count repeated unique ignore-case", "skip-fields", most=1),
    "wc": _options("cmlLw", "", "bytes chars lines words max-line-length"),
    "which": _options("a", free=MANY),
    "whoami": _options(most=0),
}

_REVISIONS = (
    "oneline graph decorate no-decorate all branches tags remotes stat numstat shortstat name-only"
    " name-status no-merges merges first-parent reverse follow abbrev-commit patch no-patch summary"
    " cached staged no-color color no-renames find-renames find-copies ignore-all-space"
    " ignore-space-change ignore-blank-lines word-diff check no-ext-diff no-textconv full-index"
    " left-right cherry-pick relative-date minimal patience histogram raw no-index"
    " date-order topo-order author-date-order boundary merge-base exit-code quiet no-prefix"
    " compact-summary dirstat pickaxe-all pickaxe-regex unified"
)
_REVISIONS_VALUED = (
    "format pretty date since until after before author committer grep max-count skip abbrev stat"
    " diff-filter unified color word-diff decorate find-renames glob exclude inter-hunk-context"
    " diff-algorithm relative decorate-refs ignore-submodules submodule"
)
_LOG = _options("pzisuwbRMC", "nLSGU", _REVISIONS, _REVISIONS_VALUED, number=True)

# gpg, or what is configured for it: in a format, by which to sort, or in a format of that name
GIT_RUNS = re.compile(
    r"%G|%\(\*?signature|^--sort=-?\*?signature"
    r"|^--(?:format|pretty)=(?!.*%|(?:t?format:.*|oneline|short|medium|full|fuller|reference|email"
    r"|mboxrd|raw)?$)"
)

# a subcommand of git -> the options with which it only reads
GIT: Mapping[str, Options] = {
    "blame": _options(
        "bcwlsetfnMC", "L", "porcelain line-porcelain show-email", "since abbrev date"
    ),
    "branch": _options(
        "arv",
        "",
        "list all remotes verbose show-current no-color color ignore-case",
        "contains no-contains merged no-merged sort format points-at color",
        most=0,
    ),
    "cat-file": _options("pts"),
    "describe": _options("", "", "all tags long always contains first-parent", "abbrev match"),
    "diff": _LOG,
    "grep": _options(
        "cEFGhHIilLnPovwqWz",  # without -a: hidden files are binary to it
        "eABCm",
        "ignore-case word-regexp invert-match line-number count files-with-matches name-only"
        " extended-regexp fixed-strings perl-regexp cached untracked heading break show-function",
        "max-depth after-context before-context context max-count",
        number=True,
    ),
    "log": _LOG,
    "ls-files": _options(
        "cdomsuktvz",
        "x",
        "cached deleted others modified stage unmerged killed exclude-standard full-name"
        " error-unmatch ignored directory eol",
        "exclude abbrev format",
    ),
    "ls-tree": _options("drtlz", "", "name-only long full-name full-tree object-only", "format"),
    "merge-base": _options("a", "", "all octopus independent is-ancestor fork-point"),
    "name-rev": _options("", "", "name-only tags all always", "refs"),
    "remote": _options("v", "", "verbose", most=0),
    "rev-list": _LOG,
    "rev-parse": _options(
        "q",
        "",
        "abbrev-ref short verify quiet show-toplevel is-inside-work-tree git-dir show-prefix"
        " show-cdup symbolic-full-name is-bare-repository git-common-dir all branches tags remotes",
        "short abbrev-ref",
    ),
    "shortlog": _options("nse", "", "numbered summary email no-merges", "group since", least=1),
    "show": _LOG,
    "status": _options(
        "sbuvz",
        "",
        "short branch porcelain long verbose untracked-files ignored show-stash ahead-behind"
        " no-renames",
        "porcelain untracked-files ignored column ignore-submodules find-renames",
    ),
    "tag": _options(
        "ln", "", "list", "contains merged sort format points-at", needs=frozenset({"l", "list"})
    ),
}

# what `find` may be asked -> how many words follow
FIND: Mapping[str, int] = {
    **dict.fromkeys("! ( ) , -a -and -o -or -not -true -false".split(), 0),
    **dict.fromkeys("-print -print0 -ls -prune -quit -depth -mount -xdev -empty".split(), 0),
    **dict.fromkeys("-executable -readable -writable -nouser -nogroup -daystart".split(), 0),
    **dict.fromkeys("-name -iname -path -ipath -wholename -regex -iregex -lname".split(), 1),
    **dict.fromkeys("-type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newer".split(), 1),
    **dict.fromkeys("-perm -user -group -uid -gid -links -inum -maxdepth -mindepth".split(), 1),
    **dict.fromkeys("-regextype -printf".split(), 1),
}
