"""Which sandbox there is on this machine."""

from __future__ import annotations

import platform

from glossator.sandbox.bubblewrap import find_bubblewrap
from glossator.sandbox.policy import Sandbox, Unavailable
from glossator.sandbox.seatbelt import find_seatbelt


def find_sandbox() -> Sandbox | Unavailable:
    """The sandbox of this system, tried out; takes about 30 ms, so call it from a thread."""
    match platform.system():
        case "Linux":
            return find_bubblewrap()
        case "Darwin":
            return find_seatbelt()
        case _:
            return Unavailable(
                "There is no sandbox for this system, so every command is asked about."
            )
