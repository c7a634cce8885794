"""An answer as plain LSP clients are shown it."""

from __future__ import annotations

from glossator.core.answer import Answer
from glossator.core.wire import from_wire
from glossator.lsp.reports import answer_to_markdown
from tests.cli.test_grounded_answers import grounded


def test_what_was_found_of_each_sentence_is_told_in_words_with_links() -> None:
    assert answer_to_markdown(from_wire(Answer, grounded())) == (
        "Runs end at once [`a.py:3`](file:///w/a.py#L3). They retry five times"
        " [`a.py:3`](file:///w/a.py#L3) (contradicted). The log says so"
        " [`fact f1`](file:///w/l.py#L7). Nothing of `b.py` is left. As task 1 found"
        " [`task 1`](file:///w/a.py#L7), it waits [`c.py:1-2`](file:///w/a.py#L1) (moved).\n\n"
        "## Citations\n\n"
        "- contradicted (judged by a model): [`a.py:3`](file:///w/a.py#L3)"
        " (The lines say 3, not 5.): “They retry five times”\n"
        "- verified (judged by a model): [`fact f1`](file:///w/l.py#L7)\n"
        "- not judged: [`task 1`](file:///w/a.py#L7)\n"
        "- moved: [`c.py:1-2`](file:///w/a.py#L1) (They are lines 5-6 now.):"
        " “As task 1 found, it waits”\n"
        "- cites nothing: “Nothing of `b.py` is left.”\n"
        "- rewritten: “Runs may go on.” (The lines end them.) Now: “Runs end at once.”\n\n"
        "5 citations: 1 verified by rules, 1 verified by a model, 1 not judged, 1 moved,"
        " 1 contradicted; 1 sentence cites nothing; 1 sentence was corrected.\n\n"
        "---\n\n*claude-sonnet-5-5; stopped: answered*\n"
    )
