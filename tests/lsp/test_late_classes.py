"""Classes that are finished late are the same classes, and most are never finished."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from concurrent.futures import ThreadPoolExecutor
import attrs
from glossator.lsp.late_classes import _Fields, import_types
define = attrs.define
types = import_types()
assert attrs.define is define and types is import_types()
named = types.ALL_TYPES_MAP.values()
kinds = [each for each in named if "__attrs_attrs__" in getattr(each, "__dict__", ())]
def unfinished():
    return sum(isinstance(vars(each)["__attrs_attrs__"], _Fields) for each in kinds)
assert unfinished() == len(kinds) > 500
place = types.Position(1, 2)
assert place == types.Position(1, 2) != types.Position(2, 1) and repr(place) == "1:2"
assert types.Position(1, 2) < types.Position(2, 1)
assert types.Range.__init__ is not types.Hover.__init__
hover = types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "x"), types.Range(place, place))
from glossator.lsp.messages import make_converter
converter = make_converter()
written = {"contents": {"kind": "markdown", "value": "x"},
           "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 2}}}
assert converter.unstructure(hover) == written
assert converter.structure(written, types.Hover) == hover
assert len(kinds) - unfinished() < 10
for refused in (lambda: types.Position(-1, 0), lambda: types.Position("1", 0)):
    try:
        refused()
    except (TypeError, ValueError):
        continue
    raise AssertionError
def log(_):
    return types.LogMessageParams(types.MessageType.Error, "x")
with ThreadPoolExecutor(8) as pool:
    assert len(set(map(repr, pool.map(log, range(64))))) == 1
if "whole" in sys.argv:
    print(*sorted((each.__name__, field.name, str(field.type), str(field.default))
                  for each in kinds for field in attrs.fields(each)), sep="\\n")
    assert unfinished() == 0
"""
ALL_FIELDS = """
import attrs
from lsprotocol import types
from lsprotocol.converters import get_converter
get_converter()
named = types.ALL_TYPES_MAP.values()
kinds = [each for each in named if "__attrs_attrs__" in getattr(each, "__dict__", ())]
print(*sorted((each.__name__, field.name, str(field.type), str(field.default))
              for each in kinds for field in attrs.fields(each)), sep="\\n")
"""


def test_late_classes_are_like_early_ones() -> None:
    python = [sys.executable, "-W", "error", "-c"]
    late = subprocess.check_output([*python, PROGRAM, "whole"], text=True)
    assert late == subprocess.check_output([*python, ALL_FIELDS], text=True)
