"""A program at a terminal of its own: `at_terminal PROGRAM ARGUMENT…` or `… -m MODULE ARGUMENT…`.

Standard input becomes the controlling terminal, so that Ctrl-C is a signal.
"""

from __future__ import annotations

import fcntl
import os
import runpy
import sys
import termios

if __name__ == "__main__":
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    program, *arguments = sys.argv[1:]
    if program != "-m":
        os.execvp(program, sys.argv[1:])
    sys.argv[1:] = arguments[1:]
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
