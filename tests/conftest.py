"""Fixtures for every test."""

import gc
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

from tests.forks import forking, true_starts
from tests.quiet import write_quiet_settings
from tests.workspaces import workspace

__all__ = ["workspace"]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: while a test waits for a process, another one runs."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays: the collector of garbage need not look at it."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """VS Code first: it takes longest, one window after the other."""
    items.sort(key=lambda item: "vscode" not in item.path.parts)


@pytest.fixture(autouse=True, scope="session")
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The developer's key, server, settings and terminal reach no test, nor tests their folders."""
    with _own_folders(tmp_path_factory) as patch:
        for name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "GLOSSATOR_"))]:
            patch.delenv(name)
        patch.setenv("TERM", "xterm-256color")  # on a "dumb" one nothing is redrawn
        # Commands read the tools of a home; before each one, all that they consist of is walked.
        patch.setenv("PATH", os.pathsep.join(_outside_home(os.environ["PATH"].split(os.pathsep))))
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        # No test speaks TLS, and to read a machine's certificates for each client takes 40 ms.
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("no-certificates")))
        with forking():
            yield


def _outside_home(folders: list[str]) -> list[str]:
    """The folders that are not below the developer's home, and those of this environment."""
    home, ours = Path.home(), Path(sys.prefix)
    return [
        each
        for each in folders
        if Path(each).is_relative_to(ours) or home not in Path(each).parents
    ]


@pytest.fixture(autouse=True, scope="module")
def _apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the tests of other modules kept, hundreds of sessions, reaches no test either."""
    with _own_folders(tmp_path_factory):
        yield


@contextmanager
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("CONFIG", "STATE", "CACHE"):
            patch.setenv(f"XDG_{folder}_HOME", str(tmp_path_factory.mktemp(folder.lower())))
        write_quiet_settings(Path(os.environ["XDG_CONFIG_HOME"]))
        yield patch


@pytest.fixture
def true_start() -> Iterator[None]:
    """Programs are started as users start them, not forked."""
    with true_starts():
        yield


class _Raising(logging.Handler):
    """Raises for what is logged as a bug, where it is in the process of a test."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


@pytest.fixture(autouse=True)
def _bugs_raise() -> Iterator[None]:
    """A signal that the orchestrator's table does not have fails the test."""
    handler, bugs = _Raising(), logging.getLogger("glossator.turn.orchestrator")
    bugs.addHandler(handler)
    yield
    bugs.removeHandler(handler)
