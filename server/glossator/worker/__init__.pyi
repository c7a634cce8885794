from .client import Worker, WorkerGone, WorkerPhase, WorkerState
from .connection import JobFailed
from .items import Item, Trouble, attempt, attempt_steps
from .jobs import Job, JobProgress, Slices, finished, run_here

__all__ = [
    "Item",
    "Job",
    "JobFailed",
    "JobProgress",
    "Slices",
    "Trouble",
    "Worker",
    "WorkerGone",
    "WorkerPhase",
    "WorkerState",
    "attempt",
    "attempt_steps",
    "finished",
    "run_here",
]
