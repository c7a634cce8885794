"""The blocks of a prompt: what is attached as a file, and what the model gets as it came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from acp import schema
from PIL import Image

from glossator.acp.content import Prompt, mcp_servers, read_prompt
from glossator.core.errors import UsageError
from glossator.turn import Attachment
from tests.workspace.files.trees import host, write_tree

APP = "def greet(name):\n    return f'Hello {name}'\n"
SVG = "<svg>on disk</svg>\n"


class Secret:
    """Rules that hide one file."""

    def __call__(self, path: str) -> bool:
        return path.endswith("/secret.txt")

    def rules(self, _: str) -> tuple[str, ...]:
        return ("Read(secret.txt)",)


def embedded(root: Path, name: str, text: str, kind: str | None = None) -> Prompt:
    """The prompt that is a file's text, as the client has it."""
    write_tree(root, {"app.py": APP, "fish.svg": SVG, "secret.txt": "hidden\n"})
    uri = f"file://{root}/{name}"
    resource = schema.TextResourceContents(uri=uri, text=text, mime_type=kind)
    block: Any = schema.EmbeddedResourceContentBlock(type="resource", resource=resource)
    return read_prompt([block], host(root).snapshot(), Secret())


@pytest.mark.parametrize(
    ("lines", "text", "attached"),
    [
        ("", APP, (None, None)),
        ("#L2:2", APP.splitlines()[1], (2, 2)),
        ("", "def other(): pass\n", None),
        ("#L2:2", "other", None),
        ("#L3-L1", "other", None),
        ("#L2-L9999", APP.splitlines()[1], None),
        (f"#L{'9' * 5000}", "other", None),
    ],
)
def test_a_file_that_is_embedded_can_be_cited(
    tmp_path: Path, lines: str, text: str, attached: tuple[int | None, int | None] | None
) -> None:
    """Unless the text is another one than the file's: that comes as the client gives it."""
    prompt = embedded(tmp_path, f"app.py{lines}", text)
    if attached is not None:
        assert prompt == Prompt("`app.py`", (Attachment(f"file://{tmp_path}/app.py", *attached),))
    else:
        assert prompt.attached == ()
        assert text in prompt.text


@pytest.mark.parametrize(
    ("name", "kind", "text", "attached"),
    [
        ("red.png", "image/png", "\ufffdPNG", True),  # some clients embed all files as texts
        ("new.png", "image/png", "as embedded", False),  # is not on the disk
        ("new.svg", "image/svg+xml", "as embedded", False),
        ("fish.svg", "image/svg+xml", "as embedded", False),
        ("app.py", "image/png", "as embedded", False),
        ("fish.svg", "image/svg+xml", SVG, True),
    ],
)
def test_only_what_is_no_picture_on_the_disk_is_compared_as_text(
    tmp_path: Path, name: str, kind: str, text: str, *, attached: bool
) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "red.png")
    prompt = embedded(tmp_path, name, text, kind)
    assert bool(prompt.attached) is attached
    assert (text in prompt.text) is not attached


@pytest.mark.parametrize("text", ["hidden\n", "guessed\n"])
@pytest.mark.parametrize("name", ["secret.txt", "other.txt"])
def test_a_file_that_rules_hide_is_refused_whatever_is_embedded(
    tmp_path: Path, name: str, text: str
) -> None:
    """Else the refusal would tell what is in it; `other.txt` leads to it."""
    (tmp_path / "other.txt").symlink_to("secret.txt")
    with pytest.raises(UsageError, match=r"is kept from the model"):
        embedded(tmp_path, name, text)


def test_servers_whose_names_become_the_same_are_told_apart() -> None:
    names = ("my files", "my_files", "my.files", "…", "files")
    given = [schema.McpServerStdio(name=each, command=each, args=[], env=[]) for each in names]
    taken = {name: each.command for name, each in mcp_servers(given).items()}
    assert taken == {
        "my-files": "my files",
        "my-files-2": "my_files",
        "my-files-3": "my.files",
        "server": "…",
        "files": "files",
    }
