"""Jupyter notebooks as numbered lines: each cell's source, then its text output.

Source: nbformat 4, https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from glossator.core.text import split_lines

_OUTPUT_LINES = 20


class NotebookError(ValueError):
    """The text is not a notebook; the message says why."""


def notebook_lines(text: str) -> list[str]:
    """The cells as lines. Raises `NotebookError`."""
    try:
        cells = json.loads(text)["cells"]
        return [line for number, cell in enumerate(cells, 1) for line in _cell(number, cell)]
    except json.JSONDecodeError as error:
        raise NotebookError(f"it is not JSON ({error})") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"it does not follow nbformat 4 ({error!r})") from error


def _cell(number: int, cell: dict[str, Any]) -> Iterator[str]:
    yield f"# cell {number} ({cell['cell_type']})"
    yield from split_lines(_joined(cell["source"]))
    for output in cell.get("outputs", ()):
        lines = split_lines(_output_text(output))
        if lines:
            yield "# output"
            yield from lines[:_OUTPUT_LINES]
        if len(lines) > _OUTPUT_LINES:
            yield f"# [{len(lines) - _OUTPUT_LINES} more lines of output]"


def _output_text(output: dict[str, Any]) -> str:
    kind = output["output_type"]
    if kind == "stream":
        return _joined(output["text"])
    if kind == "error":
        return f"{output['ename']}: {output['evalue']}"
    data = output["data"]
    others = ", ".join(sorted(set(data) - {"text/plain"}))
    return _joined(data.get("text/plain", "")) + (f"\n[also as {others}]" if others else "")


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
