from . import corrections, entailment
from .agent_reports import judged_report, judged_text, report_of, seen
from .citation_checks import (
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
from .cited_lines import CallSite, CitedLines
from .correction_lines import carrying_lines
from .entailment import Entailed
from .rules import NO_CALLS, UNDECIDED, Calls, Judgement, Verdict, check, names_called
from .statement_lines import (
    MOST_JUDGED,
    CitedStatement,
    Key,
    cited_statements,
    enclosing_lines,
    settled,
)
from .statements import AnswerStatement, statements_of
from .verdicts import (
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
    "carrying_lines",
    "check",
    "check_answer",
    "cited_statements",
    "corrections",
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
    "place_of",
    "report_of",
    "resolved",
    "seen",
    "settled",
    "statements_of",
    "verify_answer",
]
