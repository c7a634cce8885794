from .decomposer import NoPlan, decompose, read_plan, workspace_line
from .dispatcher import TaskType, by_words, dispatch
from .executor import execute
from .orchestrator import Action, Orchestrator, Signal
from .task_result import TaskResult, has_answer, no_result, result_of, without_conflicts
from .written_plan import plan_text, read_plan_text
from .zones import NOTHING, documents_zone, fact_line, facts_zone

__all__ = [
    "NOTHING",
    "Action",
    "NoPlan",
    "Orchestrator",
    "Signal",
    "TaskResult",
    "TaskType",
    "by_words",
    "decompose",
    "dispatch",
    "documents_zone",
    "execute",
    "fact_line",
    "facts_zone",
    "has_answer",
    "no_result",
    "plan_text",
    "read_plan",
    "read_plan_text",
    "result_of",
    "without_conflicts",
    "workspace_line",
]
