"""Time that passes at once: limits of minutes are reached without waiting for them."""

import time

import pytest


def let_pass(patch: pytest.MonkeyPatch, seconds: float) -> None:
    """It is so many seconds later, for event loops and for the working time of runs.

    To be called in the event loop, when the test has seen that what is to run into its limit waits.
    """
    now = time.monotonic
    patch.setattr(time, "monotonic", lambda: now() + seconds)
