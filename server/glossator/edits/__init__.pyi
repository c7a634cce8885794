from . import wait as wait
from .apply import PlanEditing
from .edit_report import line_ranges, lines_around, numbered_lines
from .edit_tools import Edit, MultiEdit, Write
from .editor_files import EditorFiles
from .find import Substitution, as_lf, rewrite, substitute
from .merge import rebase
from .move_tool import Move
from .notebook_tool import NotebookEdit
from .rename_tool import Rename

__all__ = [
    "Edit",
    "EditorFiles",
    "Move",
    "MultiEdit",
    "NotebookEdit",
    "PlanEditing",
    "Rename",
    "Substitution",
    "Write",
    "as_lf",
    "line_ranges",
    "lines_around",
    "numbered_lines",
    "rebase",
    "rewrite",
    "substitute",
    "wait",
]
