from .chat_words import command_of, is_ours, slash_word, works_here
from .launch import run_cli
from .messages import duration, plural, price
from .options import Json
from .render import Cell, Code, Column, Display, Part, Styled, Table, TextLine, line, one_line
from .render.answers import answer_text
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
    "answer_text",
    "command_of",
    "duration",
    "is_ours",
    "line",
    "one_line",
    "plural",
    "price",
    "run_cli",
    "slash_word",
    "work_here",
    "works_here",
]
