"""Keeps the code that libraries generate while they are imported.

attrs, dataclasses and typing write source text and compile it whenever a class is made or an
annotation is read: 4,000 texts while a server starts, a fifth of that time and more. Between
`begin` and `end` the compiled code of each text comes from a file beside our own byte code, one for
each program. The key is the text itself, so no entry is ever stale; without the file the start is
only slower. See docs/decisions/0009.
"""

from __future__ import annotations
import __future__

import builtins
import dataclasses
import logging
import marshal
import os
import re
import sys
import typing
from collections.abc import Callable, Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType, ModuleType

from glossator import __version__

_FOLDER = Path(__file__).parent / "__pycache__"

_Key = tuple[int, str, str]  # flags, mode, text

# attrs writes the hash of a class into what it generates, which is another in each process.
_OF_THIS_PROCESS = re.compile(r"-?[0-9]{12,}")

_log = logging.getLogger(__name__)
_kept: dict[_Key, CodeType] = {}
_known = 0  # how many of them the file holds
_file: Path | None = None  # while the start lasts


def file_of(program: str) -> Path:
    """Where the code of a program's start is kept."""
    return _FOLDER / f"generated-{program}-{__version__}-{MAGIC_NUMBER.hex()}.code"


def begin(file: Path) -> None:
    """Compile no text twice from now on; only the three modules' own calls are concerned.

    Of attrs only where it was imported before.
    """
    global _known, _file
    _kept.update(_load(file))
    _known, _file = len(_kept), file
    # A name of a module's own hides the built-in function from its code.
    for module, name, stand_in in _stand_ins():
        setattr(module, name, stand_in)


def end() -> None:
    """The start is over: everything is as before, and what is new is kept for the next one.

    Nothing happens where none began.
    """
    global _file  # noqa: PLW0603 - see above
    if _file is None:
        return
    for module, name, _ in _stand_ins():
        if name in vars(module):
            delattr(module, name)
    if len(_kept) > _known and not sys.dont_write_bytecode:
        _save(_file, _kept)
    _kept.clear()
    _file = None


def _flags(module: ModuleType) -> int:
    """The `from __future__ import …` of the module, which code it compiles inherits."""
    present = (getattr(__future__, name) for name in __future__.all_feature_names)
    return sum(each.compiler_flag for each in present if each in vars(module).values())


def _compiler(flags: int) -> Callable[..., object]:
    def compile_once(text: object, filename: str, mode: str, *more: object) -> object:
        if not isinstance(text, str) or more:
            return builtins.compile(text, filename, mode, *more)  # type: ignore[call-overload]
        key = flags, mode, text
        code = _kept.get(key)
        if code is None:
            code = builtins.compile(text, filename, mode, flags, dont_inherit=True)
            if not _OF_THIS_PROCESS.search(text):
                _kept[key] = code
        return code

    return compile_once


_compile_for_dataclasses = _compiler(_flags(dataclasses))


def _exec(text: object, *namespaces: object) -> None:
    code = _compile_for_dataclasses(text, "<string>", "exec") if isinstance(text, str) else text
    builtins.exec(code, *namespaces)  # type: ignore[arg-type]  # noqa: S102 - what dataclasses does


def _stand_ins() -> Iterator[tuple[ModuleType, str, object]]:
    yield dataclasses, "exec", _exec
    for module in (typing, sys.modules.get("attr._make")):
        if module is not None:
            yield module, "compile", _compiler(_flags(module))


def _load(file: Path) -> dict[_Key, CodeType]:
    try:
        kept = marshal.loads(file.read_bytes())  # noqa: S302 - as safe as the byte code beside it
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, EOFError, TypeError) as error:
        _log.info("%s is written again: %s", file, error)
        return {}
    return kept if isinstance(kept, dict) else {}


def _save(file: Path, codes: dict[_Key, CodeType]) -> None:
    try:
        new = file.with_name(f"{file.name}.{os.getpid()}")  # two servers may start at once
        new.write_bytes(marshal.dumps(codes))
        new.replace(file)
    except OSError as error:  # an installation that may not be written to
        _log.info("%s cannot be kept: %s", file, error)
