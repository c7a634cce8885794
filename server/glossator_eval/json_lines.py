"""Files with a JSON object a line, checked as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from glossator.core.errors import UsageError

_M = TypeVar("_M", bound=BaseModel)


def read_lines(file: Path, kind: type[_M]) -> Iterator[tuple[int, _M]]:
    """Each line that is not blank, with its number. Raises `UsageError` with the line."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}); check the name.") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, kind.model_validate_json(line)
            except ValidationError as error:
                raise UsageError(f"{file}:{number}: {why_invalid(error)}") from error


def why_invalid(error: ValidationError) -> str:
    """The first mistake: where in the value it is, and what is wrong."""
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    more = error.error_count() - 1
    words = f"{place}: {first['msg']}" if place else first["msg"]
    return f"{words}{f' (and {more} more mistakes)' if more else ''}. Mend it there."
