"""What ends a command early.

GlossatorError
├── ServerLost          the server ended, or said something that is not LSP
├── ResponseError       the server answered with an error
└── Cancelled           the user, or a signal, ended the command
"""

from __future__ import annotations

from glossator.core.errors import GlossatorError, UsageError

REQUEST_FAILED = -32803  # LSP's, for what cannot be carried out as it was asked


class ServerLost(GlossatorError):
    """The server ended, or said something that is not LSP, before it answered."""


class ResponseError(GlossatorError):
    """The server's error answer; `code` is JSON-RPC's or LSP's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def code_of(error: GlossatorError) -> int:
    """The code of an error in JSON: the server's, as it would be, or 0 where there is none."""
    if isinstance(error, ResponseError):
        return error.code
    return REQUEST_FAILED if isinstance(error, UsageError) else 0


class Cancelled(GlossatorError):
    """The command was ended on purpose; `exit_code` is the shell's 128 + signal."""

    def __init__(self, exit_code: int) -> None:
        super().__init__("Cancelled.")
        self.exit_code = exit_code
