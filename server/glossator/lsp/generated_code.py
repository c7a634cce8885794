"""Imports lsprotocol's types without compiling their generated methods anew each time.

attrs writes the methods of a class as source text and compiles it when the class is made. For the
550 classes of lsprotocol that is half of the time until `initialize` can be answered. Here each
text is compiled once, and the code is kept in a file beside Python's own byte code. The key is the
text itself, so nothing can be out of date; without a file to read or write the import is slower.
"""

from __future__ import annotations

import importlib
import logging
import marshal
import os
import sys
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from types import CodeType

import attr._make

_TYPES = "lsprotocol.types"
_log = logging.getLogger(__name__)


def import_types() -> None:
    """Import `lsprotocol.types`; does nothing when it is there."""
    spec = find_spec("lsprotocol")
    if _TYPES in sys.modules or spec is None or spec.origin is None:
        return
    file = Path(spec.origin).parent / "__pycache__" / f"glossator-{MAGIC_NUMBER.hex()}.attrs"
    kept = _load(file)
    used: dict[str, CodeType] = {}

    def compile_once(text: str, name: str, mode: str) -> CodeType:
        if text not in used:
            used[text] = kept.get(text) or compile(text, name, mode)
        return used[text]

    # For this import, a name of the module's own hides the built-in function.
    attr._make.compile = compile_once  # type: ignore[attr-defined]
    try:
        importlib.import_module(_TYPES)
    finally:
        del attr._make.compile  # type: ignore[attr-defined]
    if used.keys() != kept.keys():
        _save(file, used)


def _load(file: Path) -> dict[str, CodeType]:
    try:
        kept = marshal.loads(file.read_bytes())  # noqa: S302 - as safe as the byte code beside it
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, EOFError, TypeError) as error:
        _log.info("%s is made anew: %s", file, error)
        return {}
    return kept if isinstance(kept, dict) else {}


def _save(file: Path, codes: dict[str, CodeType]) -> None:
    try:
        new = file.with_name(f"{file.name}.{os.getpid()}")  # two servers may start at once
        new.write_bytes(marshal.dumps(codes))
        new.replace(file)
    except OSError as error:  # an installation that may not be written to
        _log.info("%s cannot be kept: %s", file, error)
