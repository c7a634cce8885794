from . import wait as wait
from .apply import PlanEditing
from .editor_files import EditorFiles
from .find import Substitution, substitute
from .line_ends import rewrite
from .merge import rebase

__all__ = ["EditorFiles", "PlanEditing", "Substitution", "rebase", "rewrite", "substitute", "wait"]
