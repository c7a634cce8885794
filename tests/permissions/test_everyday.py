"""Command lines that developers, and models, write every day: which are asked about, by mode."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from glossator.permissions.subject import CallSubject
from glossator.shell.parser import parse
from glossator.shell.read_only import CommandContext, read_only_commands
from tests.permissions.asking import policy, verdict

READS = """
ls -la 2>/dev/null
ls -la 2>&1 | head
ls src >/dev/null
ls src > /dev/null 2>&1
ls nowhere 2>/dev/null || true
ls nowhere; echo $?
ls && echo ok
ls >/dev/null && echo ok
ls *.py
ls src/*.py 2>/dev/null | wc -l
ls -R | head -100
cat a.py 2>/dev/null || echo none
cat a.py > /dev/null
cat a.py src/c.py | grep x
cat package.json | jq .scripts
head -n 5 < a.py
tail -n 20 a.py
wc -l < a.py
wc -l src/*.py
tr a-z A-Z < a.py
grep -rn foo src 2>/dev/null | head -20
grep -c x a.py || true
rg -n foo src 2>/dev/null
rg --files -g '*.py' | wc -l
find . -name '*.py' | wc -l
find . -name '*.py' -type f 2>/dev/null | head
find . -type f -not -path './.git/*' | head -40
find . -maxdepth 2 -type d | sort
find . -name x -o -name y
git status
git status --short 2>&1
git status --short && git diff --stat
git log --oneline -5 2>/dev/null | cat
git log --pretty=format:'%h %s' -5
git --no-pager log -3
git diff HEAD~1 --stat | tail -3
git show HEAD:a.py | head -20
git branch -a 2>/dev/null
git branch --show-current
git remote -v
git rev-parse --show-toplevel 2>/dev/null
git ls-files | grep '\\.py$' | head
git blame a.py | head -5
git grep -n foo
cd src && git status
cd src && git log -1 2>/dev/null
cd src; ls; pwd
test -f a.py && cat a.py
[ -f a.py ] && echo yes || echo no
if test -d src; then ls src; fi
for f in a.py src/c.py; do wc -l $f; done
which python
which python3 2>/dev/null
echo "a b" | wc -w
pwd && whoami
date
printenv PATH
uname -a
du -sh . 2>/dev/null
df -h
file a.py
stat a.py
sed -n '1,20p' a.py
sed -n 1,5p a.py | cat -n
sort a.py | uniq -c | sort -rn | head
diff a.py src/c.py
realpath a.py
sha256sum a.py
""".strip().split("\n")
MAY_DO_MORE = """
find . -name '*.py' | xargs grep foo
find src -name '*.py' -exec wc -l {} +
git ls-files | xargs wc -l | tail -1
git add -A && git commit -m x
wc -l $(git ls-files)
echo $HOME
python --version
python -c 'print(1)' 2>/dev/null
node --version 2>&1
pytest -q 2>&1 | tail -5
npm test 2>&1 | tail -20
make -j4 >/dev/null 2>&1 && echo ok
bash -c 'ls && pwd' 2>/dev/null
cd src && python -m pytest -x
mkdir -p build
rm -f x
ls 2>err.txt
""".strip().split("\n")
RULES = ("Bash(npm publish:*)", "Bash(rm -rf:*)", "Bash(git push:*)", "Bash(sudo:*)", "Read(.env)")


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("everyday")
    (root / "src").mkdir()
    for name in ("a.py", "src/c.py", "package.json"):
        (root / name).write_text("{}")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def subject(line: str, ws: Path) -> CallSubject:
    """As the gate makes it, in a sandbox."""
    script = parse(line)
    reading = read_only_commands(script.known, CommandContext(str(ws), (str(ws),), "/usr/bin:/bin"))
    return CallSubject.of_shell(script, cwd=str(ws), reading=reading, open_reason=None)


def by_mode(line: str, ws: Path, deny: tuple[str, ...] = ()) -> list[str]:
    held = (policy(mode, deny=deny, root=ws) for mode in ("plan", "ask", "auto"))
    return [verdict(subject(line, ws), each) for each in held]


@pytest.mark.parametrize("line", READS)
def test_what_only_reads_is_allowed_in_every_mode(ws: Path, line: str) -> None:
    assert by_mode(line, ws) == ["allow", "allow", "allow"]


@pytest.mark.parametrize("line", MAY_DO_MORE)
def test_what_may_do_more_is_asked_about_but_in_auto(ws: Path, line: str) -> None:
    assert by_mode(line, ws) == ["deny", "ask", "allow"]


@pytest.mark.parametrize("line", [*READS, *MAY_DO_MORE])
def test_common_deny_rules_are_about_none_of_them(ws: Path, line: str) -> None:
    assert by_mode(line, ws, RULES)[2] == "allow"
