"""The lock of the client's packages holds for every platform, and names no registry."""

import json
from pathlib import Path

LOCK = Path(__file__).parents[2] / "vscode-client" / "package-lock.json"


def test_each_package_is_pinned_by_a_hash_and_by_no_address() -> None:
    packages = json.loads(LOCK.read_text())["packages"]
    wrong = [
        name
        for name, package in packages.items()
        if name and ("integrity" not in package or "resolved" in package)
    ]
    assert packages
    assert wrong == []
