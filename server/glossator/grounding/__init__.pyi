from .reporting import report_of, seen
from .verify import faults, files_of, verify, verify_all

__all__ = ["faults", "files_of", "report_of", "seen", "verify", "verify_all"]
