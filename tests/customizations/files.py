"""Files that describe something, and what is loaded of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from glossator.customizations.catalog import CustomizationFiles, Customizations
from tests.workspaces import Workspace

TOOLS = ("Bash", "Explore", "Read")


def described(name: str, words: str, body: str = "Do.") -> str:
    return f"---\nname: {name}\ndescription: {words}\n---\n{body}\n"


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def load(
    made: Workspace,
    home: Path | None = None,
    *,
    config: Path | None = None,
    disabled: Iterable[str] = (),
    hidden: Callable[[str], bool] | None = None,
    trusted: bool = True,
) -> Customizations:
    """What there is now, by a loader that has read nothing yet."""
    nowhere = made.root.parent / "no-config"
    files = CustomizationFiles(str(home) if home else None, str(config or nowhere), disabled, TOOLS)
    return files.load(made.snapshot, hidden, trusted=trusted)


def states(found: Customizations) -> list[tuple[str, str, str, str]]:
    """Kind, name, whose and state of each."""
    return [(each.kind.value, each.name, each.source, each.state.value) for each in found.listed]
