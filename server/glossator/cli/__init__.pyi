from .launch import run_cli
from .messages import duration, plural, price
from .options import Json
from .render import Cell, Code, Column, Display, Part, Styled, Table, TextLine, line, one_line
from .run import work_here

__all__ = [
    "Cell",
    "Code",
    "Column",
    "Display",
    "Json",
    "Part",
    "Styled",
    "Table",
    "TextLine",
    "duration",
    "line",
    "one_line",
    "plural",
    "price",
    "run_cli",
    "work_here",
]
