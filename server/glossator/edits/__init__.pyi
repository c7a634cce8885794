from . import wait as wait
from .apply import PlanEditing
from .editor_files import EditorFiles
from .find import Substitution, as_lf, rewrite, substitute
from .merge import rebase

__all__ = [
    "EditorFiles",
    "PlanEditing",
    "Substitution",
    "as_lf",
    "rebase",
    "rewrite",
    "substitute",
    "wait",
]
