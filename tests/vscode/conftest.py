"""Which tests in VS Code run: a core always, others only if something changed that they are about.

Such a test names files and folders: `@pytest.mark.about("vscode-client/src")`. It is skipped if git
tells what changed and none of that is there. All run if git cannot tell, or `-m` names the mark.
"""

from pathlib import Path

import pytest

from tests.vscode.changed import changed_files, concerns

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is about nothing that changed."""
    if "about" in config.option.markexpr:
        return
    changed = changed_files(ROOT)
    for item in items:
        mark = item.get_closest_marker("about")
        if mark and changed and not concerns(mark, changed):
            reason = "nothing changed that it is about; `make stories` runs it"
            item.add_marker(pytest.mark.skip(reason=reason))
