"""What the API refuses: one ordered tuple of small functions, each raising `Refusal`."""

from collections.abc import Callable

from tests.standin.rules.call import Call

Rule = Callable[[Call], None]

RULES: tuple[Rule, ...] = ()


def check(call: Call) -> None:
    """Raise the first `Refusal` the request has earned."""
    for rule in RULES:
        rule(call)
