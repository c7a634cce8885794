"""The worker process: `python -P -m glossator.worker [FD]`, started by `client.Worker`.

Frames go over the original standard streams. For all other code, standard output is the log and
standard input the null device.
"""

from __future__ import annotations

import logging
import mmap
import os
import signal
import sys

from glossator.worker.items import MARK_BYTES
from glossator.worker.serve import serve

_NICENESS = 10  # editor and language servers go first


def main() -> None:
    """Serve until the server closes the pipe or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    if sys.platform != "win32":
        os.nice(_NICENESS)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    requests, reports = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    mark = mmap.mmap(int(sys.argv[1]), MARK_BYTES) if len(sys.argv) > 1 else None
    with os.fdopen(requests, "rb") as incoming, os.fdopen(reports, "wb") as outgoing:
        serve(incoming, outgoing, mark)


main()
