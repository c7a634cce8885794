"""The `glossator` program: `python -m glossator` and the console script."""

from __future__ import annotations

import sys

from glossator.cli.launch import run


def main() -> None:
    """Run the command line of this process and exit."""
    sys.exit(run(sys.argv[1:], [sys.executable, "-m", "glossator.lsp"]))


if __name__ == "__main__":
    main()
