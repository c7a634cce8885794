from . import correcting, entailment
from .calling import NO_CALLS, Calls
from .checking import UNDECIDED, Judgement, Verdict, check, names_called
from .cited import CallSite, CitedLines
from .citing import (
    MOST_JUDGED,
    CitedStatement,
    Key,
    cited_statements,
    enclosing_lines,
    near,
    settled,
)
from .entailment import Entailed
from .judging import (
    CheckedAnswer,
    CheckedStatement,
    by_checks,
    calls_wanted,
    check_answer,
    is_for_model,
    located,
    merged_all,
    place_of,
)
from .reporting import judged_report, judged_text, report_of, seen
from .statements import AnswerStatement, statements_of
from .verify import (
    NONE_ESTABLISHED,
    Established,
    Sources,
    document_of,
    faults,
    files_of,
    in_lines,
    resolved,
    verify_answer,
)
from .wording import is_denial

__all__ = [
    "MOST_JUDGED",
    "NONE_ESTABLISHED",
    "NO_CALLS",
    "UNDECIDED",
    "AnswerStatement",
    "CallSite",
    "Calls",
    "CheckedAnswer",
    "CheckedStatement",
    "CitedLines",
    "CitedStatement",
    "Entailed",
    "Established",
    "Judgement",
    "Key",
    "Sources",
    "Verdict",
    "by_checks",
    "calls_wanted",
    "check",
    "check_answer",
    "cited_statements",
    "correcting",
    "document_of",
    "enclosing_lines",
    "entailment",
    "faults",
    "files_of",
    "in_lines",
    "is_denial",
    "is_for_model",
    "judged_report",
    "judged_text",
    "located",
    "merged_all",
    "names_called",
    "near",
    "place_of",
    "report_of",
    "resolved",
    "seen",
    "settled",
    "statements_of",
    "verify_answer",
]
