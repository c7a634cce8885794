"""Opening an address in the user's browser, where there is one to be seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from glossator.core.errors import UsageError


def open_in_browser(url: str) -> bool:
    """Start the browser without waiting for it; False where none can be shown."""
    if not url.startswith(("https://", "http://")):
        raise UsageError("Only web addresses are opened in a browser.")
    if sys.platform == "win32":
        os.startfile(url)  # noqa: S606 - a web address, see above
        return True
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    has_screen = sys.platform == "darwin" or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))
    )
    program = shutil.which(opener)
    if program is None or not has_screen:  # without a screen a text browser would take the terminal
        return False
    subprocess.Popen(  # noqa: S603 - the system's own opener
        (program, url),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return True
