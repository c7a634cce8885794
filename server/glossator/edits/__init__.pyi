from . import wait as wait
from .apply import PlanEditing
from .editor_files import EditorFiles
from .find import Substitution, rewrite, substitute
from .merge import rebase

__all__ = ["EditorFiles", "PlanEditing", "Substitution", "rebase", "rewrite", "substitute", "wait"]
