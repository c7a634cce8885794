"""Fixtures for every test."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.workspaces import workspace

__all__ = ["workspace"]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True, scope="session")
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither the developer's key, server or settings reach a test, nor tests their folders."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "GLOSSATOR_"))]:
            patch.delenv(name)
        for folder in ("CONFIG", "STATE", "CACHE"):
            patch.setenv(f"XDG_{folder}_HOME", str(tmp_path_factory.mktemp(folder.lower())))
        yield
