"""What servers refused, kept for the next start: limits that need not be learnt twice.

It stands in `<user state folder>/refused.json`, by server and model, and is forgotten a week after
the last refusal, with another version of Glossator, or when the file is deleted.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

import platformdirs
from pydantic import BaseModel, ValidationError

from glossator import __version__
from glossator.llm.backends import server_of
from glossator.settings import ModelSettings

_SECONDS = 7 * 24 * 3600.0
_MOST = 50  # models

_log = logging.getLogger(__name__)


class Learnt(BaseModel, frozen=True):
    """What refusals taught about a model at a server; 0 for a limit that none named.

    `window` and `max_output` are tokens, `options` what requests do without, `tools` the names of
    those that are not sent. `at` is the time of the last refusal, in seconds.
    """

    window: int = 0
    max_output: int = 0
    options: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    at: float = 0.0


class _File(BaseModel):
    version: str
    models: dict[str, Learnt]


def learnt_file() -> Path:
    """Where it is kept."""
    return Path(platformdirs.user_state_dir("glossator")) / "refused.json"


class LearntLimits:
    """The file; every method blocks. One that cannot be used is logged: nothing depends on it."""

    def __init__(self, file: Path | None = None) -> None:
        """Without a file nothing is kept."""
        self._file = file

    def of(self, settings: ModelSettings, model: str) -> Learnt:
        """What is known of a model."""
        return self._load().get(_key(settings, model), Learnt())

    def keep(self, settings: ModelSettings, model: str, learnt: Learnt) -> None:
        """This is known of a model now; the time is that of this call."""
        known, key = self._load(), _key(settings, model)
        before = known.get(key, Learnt())
        if self._file is None or learnt.model_copy(update={"at": before.at}) == before:
            return
        known[key] = learnt.model_copy(update={"at": time.time()})
        newest = sorted(known.items(), key=lambda item: -item[1].at)[:_MOST]
        written = _File(version=__version__, models=dict(newest)).model_dump_json(indent=1)
        unfinished = self._file.with_suffix(".tmp")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished.write_text(written, "utf-8")
            unfinished.replace(self._file)
        except OSError as error:
            _log.warning("What %s refused is asked again after a restart: %s", model, error)

    def _load(self) -> dict[str, Learnt]:
        if self._file is None:
            return {}
        try:
            kept = _File.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as damage:
            _log.warning("What servers refused is not known any more: %s: %s", self._file, damage)
            return {}
        if kept.version != __version__:
            return {}
        oldest = time.time() - _SECONDS
        return {key: each for key, each in kept.models.items() if each.at > oldest}


def _key(settings: ModelSettings, model: str) -> str:
    return f"{settings.backend} {server_of(settings)} {settings.profile} {model}"
