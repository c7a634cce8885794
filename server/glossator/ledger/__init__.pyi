from .answers import FactList, ForgottenFacts, PinnedFact
from .cores import MemoryCores
from .fact_lines import FactKey
from .files import LedgerFiles, ledger_folder
from .ledger import Ledger
from .memory_core import MemoryCore, SessionSummary, SystemProfile, WorkingBench
from .standing_alone import stands_alone, without_label
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
