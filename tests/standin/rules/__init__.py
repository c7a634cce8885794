"""What the API refuses: one ordered tuple of small functions, each raising `Refusal`.

The first refusal wins, so the order is part of the contract: a rule may rely on all before it,
above all on the shape of the body.
"""

from collections.abc import Callable

from tests.standin.rules.caching import cache_breakpoints
from tests.standin.rules.call import Call
from tests.standin.rules.citations import no_citations_from_the_user, search_results
from tests.standin.rules.context import compaction_trigger
from tests.standin.rules.media import images_can_be_processed, prompt_fits
from tests.standin.rules.models import known_model, pre_warming, thinking_type, token_limits
from tests.standin.rules.pairing import (
    results_answer_calls,
    server_calls_left_open,
    unique_calls,
)
from tests.standin.rules.roles import blocks_fit_their_role, no_prefill, system_messages
from tests.standin.rules.shape import (
    known_fields,
    no_empty_text,
    no_sampling_parameters,
    something_to_answer,
)
from tests.standin.rules.strict import strict_schemas
from tests.standin.rules.thinking import last_thinking_unaltered, thinking_bound_to_its_prefix
from tests.standin.rules.tools import deferred_tools, tool_choice, tool_definitions

Rule = Callable[[Call], None]

RULES: tuple[Rule, ...] = (
    no_sampling_parameters,
    known_fields,
    something_to_answer,
    known_model,
    token_limits,
    thinking_type,
    pre_warming,
    cache_breakpoints,
    no_empty_text,
    tool_definitions,
    deferred_tools,
    tool_choice,
    strict_schemas,
    compaction_trigger,
    blocks_fit_their_role,
    no_prefill,
    system_messages,
    unique_calls,
    results_answer_calls,
    server_calls_left_open,
    no_citations_from_the_user,
    search_results,
    images_can_be_processed,
    prompt_fits,
    last_thinking_unaltered,
    thinking_bound_to_its_prefix,
)


def check(call: Call) -> None:
    """Raise the first `Refusal` the request has earned."""
    for rule in RULES:
        rule(call)
