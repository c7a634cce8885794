"""A process that has as many files open as it may."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def no_descriptor_left(but: int = 0) -> Iterator[None]:
    """In the block no further file can be opened by this process, `but` for so many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as held:
        probe = os.open(os.devnull, os.O_RDONLY)
        held.callback(os.close, probe)
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (probe + 64, hard))
        while True:
            try:
                held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
            except OSError as error:
                if error.errno != errno.EMFILE:
                    raise
                break
        resource.setrlimit(resource.RLIMIT_NOFILE, (probe + 64 + but, hard))
        yield
