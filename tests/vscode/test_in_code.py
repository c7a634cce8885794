"""The client in a real VS Code, in a real browser; `make test` sets both up.

One window tells what people do daily in every run: ask, read, edit, undo, with the keys. The tests
with a mark `about` run beside it if that changed, and those with `stories` only by that name.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "vscode-client"
CODE = CLIENT / "test" / "code"
NODE = Path(sys.prefix) / "node" / "node"

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif("CODE_CACHE" not in os.environ, reason="VS Code is set up by `make test`"),
]


HOST = pytest.mark.about(
    "vscode-client/src",
    "vscode-client/panel/state",
    "server/glossator/commands",
    "server/glossator/edits",
    "server/glossator/lsp",
    "server/glossator/undo",
)
START = pytest.mark.about(
    "vscode-client/src",
    "server/glossator/llm/offline.py",
    "server/glossator/lsp",
    "server/glossator/permissions/trust.py",
)


@pytest.fixture(scope="module")
def built() -> None:
    """The client with its tests; nobody else may be building it just now."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    subprocess.run(
        ["make", "--silent", "vscode-client/dist/.built"],
        cwd=CLIENT.parent,
        env=environment,
        check=True,
    )


@pytest.fixture(scope="module")
def vsix(built: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as it would be installed, without the wheels."""
    path = tmp_path_factory.mktemp("vsix") / "glossator.vsix"
    program = CLIENT / "node_modules" / "@vscode" / "vsce" / "vsce"
    plain = ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links"]
    node(program, "package", *plain, "--out", path)
    return path


@pytest.fixture(scope="module")
def pictures() -> Path:
    """Where the screenshots are kept, to be looked at."""
    folder = CLIENT / "dist" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def node(*command: object) -> None:
    """Run a program of the client's. Fails with what it says."""
    begun = time.monotonic()
    done = subprocess.run(
        [NODE, *map(str, command)], cwd=CLIENT, capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - begun
    assert done.returncode == 0, f"after {seconds:.0f} s\n{done.stdout}\n{done.stderr}"


@HOST
@pytest.mark.usefixtures("built")
def test_commands_providers_and_ports_in_the_extension_host() -> None:
    node(CODE / "host.mjs", sys.executable)


@START
def test_a_first_run_without_a_key(vsix: Path, pictures: Path) -> None:
    node(CODE / "start.mjs", vsix, sys.executable, pictures)


@pytest.mark.stories
def test_the_set_up_as_the_walkthrough_leads_through_it(vsix: Path, pictures: Path) -> None:
    node(CODE / "setup.mjs", vsix, sys.executable, pictures)


def test_what_people_do_daily_and_what_must_never_happen(vsix: Path, pictures: Path) -> None:
    stories = ("explain", "review", "denied", "hostile", "typed")
    node(CODE / "story.mjs", vsix, sys.executable, pictures, *stories)


@pytest.mark.stories
@pytest.mark.parametrize(
    "stories",
    [
        "undone queued picked",
        "renamed",
        "restricted",
        "saved",
        "planned drafted allowed stopped unsaved again gloss recorded",
        "long reloaded restarted searched looks",
        "context",
        "diffs kept output keyboard",
        "grounded",
        "tabs cells",
        "inline sideby takeover",
    ],
)
def test_stories(vsix: Path, pictures: Path, stories: str) -> None:
    node(CODE / "story.mjs", vsix, sys.executable, pictures, *stories.split())
