from .answers import FactList, ForgottenFacts, PinnedFact
from .files import LedgerFiles, ledger_folder
from .ledger import FactKey, Ledger
from .memory_core import MemoryCore, MemoryCores, SessionSummary, SystemProfile, WorkingBench
from .selection import stands_alone, without_label
from .team import MAX_BYTES, TeamLedger

__all__ = [
    "MAX_BYTES",
    "FactKey",
    "FactList",
    "ForgottenFacts",
    "Ledger",
    "LedgerFiles",
    "MemoryCore",
    "MemoryCores",
    "PinnedFact",
    "SessionSummary",
    "SystemProfile",
    "TeamLedger",
    "WorkingBench",
    "ledger_folder",
    "stands_alone",
    "without_label",
]
