from .client import Worker, WorkerGone, WorkerPhase, WorkerState
from .connection import JobFailed
from .here import finished, run_here
from .jobs import Job, JobProgress, Slices

__all__ = [
    "Job",
    "JobFailed",
    "JobProgress",
    "Slices",
    "Worker",
    "WorkerGone",
    "WorkerPhase",
    "WorkerState",
    "finished",
    "run_here",
]
