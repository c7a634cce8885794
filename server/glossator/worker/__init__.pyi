from .client import Phase, Worker, WorkerGone, WorkerState
from .connection import JobFailed
from .jobs import Job, Progress, Slices

__all__ = ["Job", "JobFailed", "Phase", "Progress", "Slices", "Worker", "WorkerGone", "WorkerState"]
