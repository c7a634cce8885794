"""A denial that a model finds in a part of a definition is compared with the rest of it."""

from __future__ import annotations

import pytest

from glossator.core.span import Basis
from glossator.grounding import (
    Established,
    Sources,
    Verdict,
    by_checks,
    cited_statements,
    entailment,
    merged_all,
)
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "status.js": (
        "function setStatus (reply, err) {\n"
        "  if (!reply.sent) {\n"
        "    let code = 500\n"
        "    if (err?.code >= 400) code = err.code\n"
        "    else if (err?.status >= 400) code = err.status\n"
        "    reply.set(code)\n"
        "    reply.seen = 1\n"
        "  }\n"
        "}\n"
        "\n"
        "module.exports = { setStatus }\n"
    ),
    "results.py": (
        '"""Results."""\n'
        "\n"
        "class Results(Middleware):\n"
        '    """Keeps results; see fail()."""\n'
        "\n"
        "    def after(self, message, result):\n"
        "        self.store(message, result)\n"
        "        self.log(message)\n"
        "\n"
        "    def skip(self, message):\n"
        "        message.fail()\n"
    ),
    "save.py": (
        "def save(data):\n"
        "    send(data)\n"
        "    retry(3)\n"
        "    logger.info('lock')  # no lock: it is not needed\n"
        "    write(path)\n"
    ),
}


@pytest.fixture
async def ws(workspace: MakeWorkspace) -> Workspace:
    ws = await workspace(FILES)
    for path in FILES:
        await ws.call("Read", path=path)
    return ws


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # what stands in the rest
        ("`setStatus` never reads `err.status`. [cite: doc, status.js, L1-L4]", "contradicted"),
        ("It never looks at `err.status`. [cite: doc, status.js, L1-L4]", "contradicted"),
        ("`setStatus` does not call `reply.set`. [cite: doc, status.js, L1-L4]", "contradicted"),
        ("`setStatus` never reads `reply.seen`. [cite: doc, status.js, L1-L4]", "undecided"),
        ("The first branch never reads `err.status`. [cite: doc, status.js, L1-L4]", "undecided"),
        ("`after` never trusts `log`. [cite: doc, results.py, L6-L7]", "undecided"),
        # what does not
        ("`setStatus` never reads `err.other`. [cite: doc, status.js, L1-L4]", "supported"),
        ("`setStatus` has no `err.code` below 400. [cite: doc, status.js, L1-L4]", "undecided"),
        ("`setStatus` never passes `err.code`. [cite: doc, status.js, L1-L5]", "undecided"),
        ("`after` never fails `message`. [cite: doc, results.py, L6-L7]", "undecided"),
        ("`after` never returns `result`. [cite: doc, results.py, L6-L7]", "supported"),
        # what stands there in other words, in a text or in a comment
        ("`save` does not retry when `send` fails. [cite: doc, save.py, L1-L2]", "undecided"),
        ("`save` never retries `send`. [cite: doc, save.py, L1-L2]", "undecided"),
        ("`save` does not log what `send` returns. [cite: doc, save.py, L1-L2]", "undecided"),
        ("`save` never closes `send`. [cite: doc, save.py, L1-L2]", "supported"),
        ("`save` never checks `path`. [cite: doc, save.py, L1-L2]", "undecided"),
        ("`save` never uses `lock`. [cite: doc, save.py, L1-L2]", "undecided"),
        ("`save` never uses `path`. [cite: doc, save.py, L1-L2]", "contradicted"),
        # without names, or with one alone, nothing can be looked for
        ("The Results middleware never fails a message. [cite: doc, results.py, L4]", "undecided"),
        ("`after` only keeps `result`. [cite: doc, results.py, L6-L7]", "undecided"),
        # all of it
        ("`after` only keeps `result`. [cite: doc, results.py, L6-L8]", "supported"),
        ("It never fails. [cite: doc, results.py, L6-L8]", "supported"),
        ("`Results` never fails. [cite: doc, results.py, L6-L8]", "undecided"),
        ("`Results` never fails. [cite: doc, results.py, L3-L11]", "supported"),
        # no denial
        ("`setStatus` begins with 500. [cite: doc, status.js, L1-L3]", "supported"),
    ],
)
def test_what_a_model_supports_of_a_denial(ws: Workspace, text: str, verdict: str) -> None:
    (cited,), others = cited_statements(text, Sources(ws.snapshot, ws.reads, (), Established()))
    words = cited.lines[0].lines[0]
    said = {"answers": [{"statement": 1, "answer": "SUPPORTED", "words": words}]}
    told = {cited.key: entailment.answers_in(said, [cited])[0]}
    (judged,) = merged_all([cited], others, {cited.key: by_checks(cited)}, told).statements
    assert judged.verdict.value == verdict, judged.reason
    if judged.verdict is Verdict.CONTRADICTED:
        assert judged.basis is Basis.CHECKS
        assert "line" in judged.reason
