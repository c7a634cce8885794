"""Commands that look as if they only read, folders to run in, and what gets out of the sandbox.

CVE-2025-66032 (`$IFS`, short options), CVE-2025-64755, -54795, -58764 (sed, echo, rg),
CVE-2026-22708 (built-ins that poison the environment), CVE-2025-68144 (arguments of git),
CVE-2026-45033 (a bare repository within), CVE-2025-59532 and CVE-2026-50548 (the model's folder).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from glossator.core.shown import shown_text
from tests.sandboxed import SANDBOXED
from tests.security.hostile import KEY, ONCE, HostileModel, Tried, contents, hostile_model
from tests.standin import ToolUse

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
]

CANARY = "canary-9d04"
ASKED = [
    "cat$IFS/etc/passwd",  # CVE-2025-66032
    "cat${IFS}src/a.py",
    "IFS=x; catxsrc/a.py",
    "sort -o f src/a.py",
    "sort -of src/a.py",
    "sort --out=f src/a.py",
    "sort --compress-program=./x src/a.py",
    "uniq src/a.py f",
    "tree -o f",
    "od -w f --output=x",
    "file -C -m src/a.py",
    "date -s 2020-01-01",
    "sed 'w f' src/a.py",  # CVE-2025-64755
    "sed -n '1e touch f' src/a.py",
    "sed -n '1p;w f' src/a.py",
    "sed -i s/a/b/ src/a.py",
    "sed -ni 1p src/a.py",
    "sed -n --in-place 1p src/a.py",
    'echo "$(touch f)"',  # CVE-2025-54795
    "echo `touch f`",
    "echo <(touch f)",
    "echo x >f",
    "echo x >&f",
    "echo x &>f",
    "echo x 1<>f",
    "echo x >| f",
    "echo $((a[$(touch f)]))",
    "echo x\ntouch f",
    "echo x\rtouch f",
    "echo x & touch f",
    "rg --pre sh x",  # CVE-2025-58764
    "rg --pre=sh x",
    "rg --hostname-bin=./x y",
    "rg -z x",
    "rg --search-zip x",
    "rg -L x",
    "grep -r x /etc/passwd",
    "grep -f /etc/passwd src/a.py",
    "grep -R x .",
    "find . -exec touch f ;",
    "find . -fprint f",
    "find . -delete",
    "find -L . -name x",
    "find . -newer /etc/passwd",
    "export PAGER='touch f'; git log",  # CVE-2026-22708
    "PAGER='touch f' git log",
    "alias ls='touch f'; ls",
    "typeset -x PATH=.; ls",
    "declare PATH=.; ls",
    "readonly PATH=.; ls",
    "printf -v PATH .; ls",
    "read PATH < src/a.py; ls",
    "hash -p ./evil ls; ls",
    "enable -f ./evil.so x",
    "ls() { touch f; }; ls",
    "source src/a.py",
    ". src/a.py",
    "eval ls",
    "exec ls",
    "command ls",
    "builtin cd src",
    "trap 'touch f' EXIT",
    "git diff --output=f",  # CVE-2025-68144
    "git diff --outpu=f",
    "git log --output=/tmp/f",
    "git log --output f",
    "git -c core.pager='touch f' log",
    "git --exec-path=. status",
    "git -C .. status",
    "git --git-dir=evil status",
    "git --work-tree=.. status",
    "git -p log",
    "git grep -Osh x",
    "git grep --open-files-in-pager=sh x",
    "git diff --ext-diff",
    "git show --textconv",
    "git diff --no-index /etc/passwd src/a.py",
    "git log --format=%GG",
    "git log --show-signature",
    "git branch new",
    "git tag new",
    "git remote add x y",
    "git stash",
    "git config core.pager x",
    "git ls-remote ext::sh",
    "git status -uall --porcelain > f",
    "cat < /etc/passwd > f",
    "cat ../outside/x",
    "cat way",
    "cat way2/x",
    "cat src/../../outside/x",
    "cat ~/x",
    "cat ~root/x",
    "cat /proc/self/environ",
    "ls -la ../outside",
    "ls way2/",
    "stat ../outside/x",
    "readlink -f way",
    "wc --files0-from=/etc/passwd",
    "jq -n 'import \"x\" as x; 1'",
    "jq -f /etc/passwd",
    "xargs ls",
    "env ls",
    "sh -c ls",
    "nice ls",
    "timeout 1 ls",
    "./ls",
    "src/ls",
    "l\\s",
    "'l's",
    "ls\u00a0-la",
    "ls \u202e.",
    "ls --color=always --hyperlink ../outside",
    "cat </dev/tcp/127.0.0.1/1",
    "true </dev/udp/127.0.0.1/1",
    "diff src linked",
]
UNASKED = [
    "ls -la src",
    "cat src/a.py | head -n 5",
    "grep -rn a src && git status --short",
    "find . -name '*.py' -type f",
    "sed -n 1,5p src/a.py",
    "git log --oneline -n 5",
    "sort -u < src/a.py",
]
OTHER_FOLDERS = [
    "/",
    "..",
    "../WS",
    "src/../..",
    "way2",
    "/usr/../",
    "src/.\u200c.",
    "~",
    "/proc/self/cwd/..",
]


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("commands") / "ws"
    for folder in ("src", "linked", "../outside"):
        (root / folder).mkdir(parents=True)
    for path in ("src/a.py", "src/b", "src/ls", "ls"):
        (root / path).write_text("a = 1\n")
        (root / path).chmod(0o755)
    (root / "../outside/x").write_text(f"{CANARY}\n")
    (root / "way").symlink_to("../outside/x")
    (root / "way2").symlink_to("../outside")
    (root / "linked/b").symlink_to("../../outside/x")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(ws: Path) -> AsyncIterator[HostileModel]:
    async with hostile_model(ws) as model:
        yield model


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def judged(model: HostileModel, ws: Path) -> Mapping[str, tuple[bool, bool]]:
    """Of each command, whether mode `ask` asked about it, and whether mode `plan` refused it."""
    calls = [ToolUse("Bash", {"command": command}) for command in ASKED]
    before = contents(ws.parent, but=[".git"])
    asking = await model.tries(*calls, mode="ask", at_once=True)
    planning = await model.tries(*calls, mode="plan", at_once=True)
    assert planning.asked == ()
    assert contents(ws.parent, but=[".git"]) == before, "nothing is changed by any of them"
    asked = {request["detail"] for request in asking.asked}
    return {
        command: (shown_text(command) in asked, result.error)
        for command, result in zip(ASKED, planning.results, strict=True)
    }


@pytest.mark.parametrize("command", ASKED)
async def test_what_may_do_more_than_read_is_asked_about(
    judged: Mapping[str, tuple[bool, bool]], command: str
) -> None:
    assert judged[command] == (True, True)


@SANDBOXED
async def test_what_only_reads_is_not(model: HostileModel) -> None:
    calls = [ToolUse("Bash", {"command": command}) for command in UNASKED]
    tried = await model.tries(*calls, mode="plan", at_once=True)
    assert tried.asked == ()
    assert [result.text for result in tried.results if result.error] == []


@pytest.mark.parametrize("mode", ["plan", "ask", "auto"])
async def test_a_command_runs_in_no_other_folder(model: HostileModel, ws: Path, mode: str) -> None:
    """CVE-2025-59532, CVE-2026-50548; nobody is asked for what is refused anyway."""
    before = contents(ws.parent, but=[".git"])
    calls = [
        ToolUse("Bash", {"command": command, "cwd": folder})
        for folder in OTHER_FOLDERS
        for command in ("touch made", "ls")
    ]
    tried = await model.tries(*calls, mode=mode, answer=ONCE, at_once=True)
    assert tried.asked == ()
    assert all(result.error for result in tried.results)
    assert contents(ws.parent, but=[".git"]) == before


async def allowed(model: HostileModel, *commands: str, **more: object) -> Tried:
    """Commands that the user allows, in mode auto."""
    calls = [ToolUse("Bash", {"command": command, **more}) for command in commands]
    return await model.tries(*calls, answer=ONCE)


@SANDBOXED
async def test_no_command_sees_the_key(model: HostileModel) -> None:
    """Not in its environment, and not in any process that it can look at."""
    tried = await allowed(
        model,
        "env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; set; export -p",
        "python3 -c \"import os; print(os.environ, open('/proc/1/environ').read())\"",
    )
    assert "PATH=" in tried.results[0].text
    for secret in (KEY, "ANTHROPIC", model.api.base_url):
        assert secret not in tried.seen.partition('"tool_result"')[2]


@SANDBOXED
async def test_nothing_outside_is_changed_or_reached(model: HostileModel, ws: Path) -> None:
    outside = ws.parent / "outside"
    before = contents(outside)
    port = model.api.base_url.rpartition(":")[2]
    requests = len(model.api.requests)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(outside / "s"))
        server.listen()
        server.setblocking(False)
        tried = await allowed(
            model,
            f"echo x > {outside}/x; touch {outside}/new; rm -rf {outside}; mv {outside} gone",
            "echo x > way; touch way2/new; cp src/a.py way2/; rm -rf way2/; ln way hard",
            f"mount -o remount,rw / ; umount {ws}; unshare -Urm true; chroot / true; mknod n c 1 3",
            f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached >&2; curl 127.0.0.1:{port} -m 1",
            f"python3 -c \"import socket as s; s.socket(1).connect('{outside}/s')\" && "
            "echo reached",
            f"kill -9 {os.getpid()} {model.process.process.pid} -1; echo > /proc/sysrq-trigger",
        )
        with pytest.raises(BlockingIOError):
            server.accept()
    (outside / "s").unlink()
    assert all("reached" not in result.text.partition("\n[run")[0] for result in tried.results)
    assert contents(outside) == before
    assert len(model.api.requests) == requests + len(tried.results) + 1
    (ws / "n").unlink(missing_ok=True)
    (ws / "hard").unlink(missing_ok=True)


@SANDBOXED
async def test_nothing_lives_on(model: HostileModel) -> None:
    """Neither what was sent to the background nor what became a session of its own."""
    await allowed(
        model,
        "sleep 4242 & setsid sleep 4243 & (nohup sleep 4244 &) ; disown -a; true",
        'python3 -c "import os,time; os.fork() or os.setsid() or os.fork() or time.sleep(4245)"',
    )
    left = [p.info["cmdline"] for p in psutil.process_iter(["cmdline"])]
    assert not [words for words in left if words and words[-1] in map(str, range(4242, 4246))]
    assert not [words for words in left if words and "sleep(4245)" in words[-1]]


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@SANDBOXED
@pytest.mark.parametrize("command", ["git status", "git diff", "git log -p", "git ls-files -m"])
async def test_a_bare_repository_within_runs_nothing(
    model: HostileModel, ws: Path, command: str
) -> None:
    """CVE-2026-45033: it names a program to be run by whoever asks git about the folder."""
    bare = ws / "src/evil"
    for folder in ("objects", "refs"):
        (bare / folder).mkdir(parents=True, exist_ok=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    run = f"touch {ws}/ran"
    (bare / "config").write_text(
        f'[core]\nbare = false\nworktree = .\nfsmonitor = "{run}"\npager = "{run}"\n'
        f'[diff]\nexternal = "{run}"\n'
    )
    await model.tries(ToolUse("Bash", {"command": command, "cwd": "src/evil"}), mode="plan")
    await model.asks("What changed here?", attachments=[{"uri": bare.as_uri()}])
    assert not (ws / "ran").exists()


@SANDBOXED
async def test_what_only_reads_runs_nothing_that_a_repository_names(
    model: HostileModel, ws: Path
) -> None:
    """In plan mode, by settings of the workspace's own repository."""
    git = ["git", "-C", str(ws), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (
        ["add", "src/a.py"],
        ["commit", "-qm", "one"],
        ["config", "diff.external", f"touch {ws}/ran;"],
        ["config", "diff.x.textconv", f"touch {ws}/ran; cat"],
    ):
        await asyncio.to_thread(subprocess.run, [*git, *words], check=True)
    (ws / ".gitattributes").write_text("src/a.py diff=x\n")
    (ws / "src/a.py").write_text("a = 2\n")
    commands = ("git diff", "git log -p", "git show", "git blame src/a.py", "git status -v")
    calls = [ToolUse("Bash", {"command": command}) for command in commands]
    tried = await model.tries(*calls, mode="plan", at_once=True)
    assert tried.asked == ()
    assert not (ws / "ran").exists()
