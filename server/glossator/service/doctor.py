"""Doctor: what is configured, what works, what is missing, and what to do about it."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from enum import StrEnum

from glossator.llm.factory import describe
from glossator.service.application import Application
from glossator.settings.load import user_file


class CheckState(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `next_step` is empty when nothing needs doing."""

    name: str
    state: CheckState
    detail: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """Takes nothing."""


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """All checks, in the order to read them."""

    checks: tuple[Check, ...]


async def doctor(app: Application, _request: DoctorRequest) -> DoctorAnswer:
    """Look at everything that asking depends on; sends nothing to any provider."""
    await app.ready()
    return DoctorAnswer((_python(), _workspace(app), _watcher(app), _model(app), _settings()))


def _python() -> Check:
    version = platform.python_version()
    return Check("Python", CheckState.OK, f"{version} at {sys.executable}")


def _workspace(app: Application) -> Check:
    status = app.host.status()
    if not status.roots:
        return Check(
            "Workspace",
            CheckState.WARNING,
            "No folder is open.",
            "Open a folder, or name one with --workspace.",
        )
    detail = f"{status.files:,} files in {', '.join(status.roots)}"
    if not status.files:
        return Check(
            "Workspace",
            CheckState.WARNING,
            detail,
            "Every file is left out; look at the ignore rules in `glossator status`.",
        )
    return Check("Workspace", CheckState.OK, detail)


def _watcher(app: Application) -> Check:
    watcher = app.host.status().watcher
    if not watcher.startswith("off"):
        return Check("File events", CheckState.OK, watcher)
    return Check(
        "File events",
        CheckState.WARNING,
        watcher,
        "Changes made outside the editor go unnoticed; on Linux raise fs.inotify.max_user_watches.",
    )


def _model(app: Application) -> Check:
    models = app.settings.models
    detail = describe(models, app.environment)
    if not app.model.offline:
        return Check("Model", CheckState.OK, detail)
    if models.offline:
        return Check("Model", CheckState.OK, detail)
    return Check(
        "Model",
        CheckState.WARNING,
        detail,
        "Set ANTHROPIC_API_KEY for answers by a model, or ANTHROPIC_BASE_URL for your own server.",
    )


def _settings() -> Check:
    path = user_file()
    found = "read" if path.exists() else "not there, defaults apply"
    return Check("Settings file", CheckState.OK, f"{path} ({found})")
