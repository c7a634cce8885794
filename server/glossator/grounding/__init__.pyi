from .reporting import report_of, seen
from .verify import faults, files_of, verify_all, verify_answer

__all__ = ["faults", "files_of", "report_of", "seen", "verify_all", "verify_answer"]
