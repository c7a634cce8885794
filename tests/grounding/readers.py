"""A model that judges an answer: what it says of statements, and the verdicts with the rules'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from glossator.grounding import Entailed, entailment
from glossator.grounding.citation_checks import Sources
from glossator.grounding.statement_lines import Key, cited_statements
from glossator.grounding.verdicts import CheckedAnswer, by_checks, is_for_model, merged_all

Says = Mapping[str, tuple[str, Sequence[object]]]  # by a part of the statement: answer and words


def judged(answer: str, sources: Sources, says: Says) -> CheckedAnswer:
    """The verdicts when a model says this of the statements that it is asked about."""
    statements, others = cited_statements(answer, sources)
    found = {each.key: by_checks(each) for each in statements}
    told: dict[Key, Entailed] = {}
    for batch in entailment.batches(e for e in statements if is_for_model(e, found[e.key])):
        answers = [
            {"statement": number, "answer": verdict, "words": list(words)}
            for number, each in enumerate(batch, 1)
            for part, (verdict, words) in says.items()
            if part in each.text
        ]
        replies = entailment.answers_in({"answers": answers}, batch)
        told |= {batch[at].key: each for at, each in replies.items()}
    return merged_all(statements, others, found, told)
