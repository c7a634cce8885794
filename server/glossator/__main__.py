"""The `glossator` program: `python -m glossator` and the console script."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line of this process and exit."""
    try:
        from glossator.cli import run_cli  # noqa: PLC0415 - Ctrl-C may come while it is imported

        sys.exit(run_cli(sys.argv[1:], [sys.executable, "-m", "glossator.lsp"]))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
