"""Proofs by language servers: what they know of all the workspace's code decides some sentences.

A sentence is supported only where every place of the name is explained (docs/decisions/0082).
Nothing here raises for what it cannot find out: then the sentence stays as it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from glossator.application import Application
from glossator.core.errors import UsageError
from glossator.grounding import UNDECIDED, Claim, Judgement
from glossator.turn.judged.evidence import Evidence
from glossator.turn.judged.proved_calls import prove_calls
from glossator.turn.judged.proved_types import prove_types
from glossator.worker import JobFailed, WorkerGone

logger = logging.getLogger(__name__)

SECONDS = 1.0  # for all proofs of a look at an answer

_GRACE_SECONDS = 0.1  # for what is under way to say that it is not ready


async def prove(
    app: Application, claims: Sequence[Claim], seconds: float, *, begins: bool
) -> Sequence[Judgement | None]:
    """A judgement for each claim, undecided if it could not be proved in so many seconds.

    None if no language server answers yet. `begins`: one may be started.
    """
    if not app.code.are_there:
        return [None] * len(claims)
    snapshot = app.host.snapshot()
    deadline = asyncio.get_running_loop().time() + seconds
    evidence = Evidence(app, snapshot, deadline, begins)
    found = await asyncio.gather(*(_proved(evidence, each) for each in claims))
    is_same = app.host.snapshot().revision == snapshot.revision
    return found if is_same else [None] * len(claims)


async def _proved(evidence: Evidence, claim: Claim) -> Judgement | None:
    prove_it = prove_calls if claim.is_of_calls else prove_types
    try:
        async with asyncio.timeout_at(evidence.deadline + _GRACE_SECONDS):
            return await prove_it(evidence, claim)
    except TimeoutError:
        logger.info("%s was not proved in time", claim.subject.text)
    except (WorkerGone, JobFailed, UsageError) as failure:
        logger.warning("%s was not proved: %s", claim.subject.text, failure)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        logger.exception("Proving a sentence failed")  # a bug in it must not cost the answer
    return UNDECIDED
