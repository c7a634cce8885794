"""Starting the worker process: what it inherits, and what it does not."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass

_INHERITED = frozenset(
    "PATH HOME LANG LANGUAGE TMPDIR TMP TEMP LD_LIBRARY_PATH DYLD_LIBRARY_PATH "
    "SYSTEMROOT SYSTEMDRIVE WINDIR USERPROFILE APPDATA LOCALAPPDATA "
    "PYTHONHOME PYTHONUTF8 PYTHONIOENCODING PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX "
    "PYTHONNOUSERSITE PYTHONUSERBASE PYTHONWARNINGS PYTHONFAULTHANDLER".split()
)
_INHERITED_FAMILIES = ("LC_", "XDG_")
_NEUTRAL_FOLDER = os.path.abspath(os.sep)
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # or numpy starts a pool


@dataclass(frozen=True, slots=True)
class Launched:
    """A process that was started, and the pipes to it."""

    process: Process
    requests: asyncio.StreamWriter
    reports: asyncio.StreamReader
    log: asyncio.StreamReader


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What a worker needs of `environ`; above all no keys and no tokens."""
    kept = {
        name: value
        for name, value in environ.items()
        if name.upper() in _INHERITED or name.startswith(_INHERITED_FAMILIES)
    }
    # relative entries would mean other folders there, and an empty one its current folder
    places = [os.path.abspath(place) for place in _entries(environ.get("PYTHONPATH")) if place]
    if places:
        kept["PYTHONPATH"] = os.pathsep.join(places)
    return kept | _ONE_THREAD


async def launch() -> Launched:
    """A new worker process; raises `OSError`.

    Not in the workspace and with `-P`, so that no module of the workspace is taken for ours; in a
    session of its own, so that Ctrl-C in a terminal does not reach it.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "glossator.worker",
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=_NEUTRAL_FOLDER,
        env=clean_environment(os.environ),
        start_new_session=True,
    )
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise OSError("the worker process was started without its pipes")
    return Launched(process, process.stdin, process.stdout, process.stderr)


def _entries(path: str | None) -> list[str]:
    return path.split(os.pathsep) if path else []
