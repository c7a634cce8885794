"""The real `glossator` program, talking to a scripted server: `program.py RECORDING ARGUMENT…`."""

from __future__ import annotations

import sys
from pathlib import Path

from glossator.cli.launch import run_cli

if __name__ == "__main__":
    recording, *arguments = sys.argv[1:]
    server = Path(__file__).with_name("scripted_server.py")
    sys.exit(run_cli(arguments, [sys.executable, str(server), recording]))
