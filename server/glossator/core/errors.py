"""Every exception Glossator raises on purpose.

GlossatorError                  anything we can explain to the user
├── UsageError                  a request that cannot be carried out as it was asked
│   ├── InvalidPosition         a position outside the text or inside a character
│   ├── InvalidSettings         a setting of the wrong name, type or range
│   ├── SessionBusy             a session that is answering already
│   ├── SessionInUse            a session that another running server owns
│   ├── UnknownSession          a session id that is not kept for this workspace
│   └── UnknownTool             a tool name that is not registered
├── StoreUnavailable            what is kept on disk, or shared, is not to be had now
├── TooManyOpenFiles            a file could not be opened, and nothing is known about it
├── PromptError                 a prompt file that is missing, malformed or misused
├── DeclarationError            a command, tool or setting that was added without all it needs
├── EmbeddingFailed             there are no vectors for a text (see `retry_after`)
└── ModelError                  the model could not answer (see `retryable`)
    ├── BudgetSpent             a limit of tokens or money is reached: the model is not asked
    ├── ModelRefused            the request was wrong, or not allowed: trying again cannot help
    │   ├── RequestTooLong      it is larger than the model, or its server, takes (see `limit`)
    │   ├── ContentRefused      something in its messages is refused (see `about` and `place`)
    │   └── OptionRefused       a field or a tool of it is refused (see `option`)
    ├── ModelUnavailable        overloaded, limited, or out of reach: trying again may help
    └── StreamCut               the answer broke off before it was whole; nothing of it was used

Past the tool boundary a failure is data: tools return `ToolResult.error`, they do not raise.
"""

from __future__ import annotations

from typing import Literal


class GlossatorError(Exception):
    """Base of all; the message is plain English with a next step."""


class UsageError(GlossatorError):
    """The request cannot be carried out as it was asked."""


class InvalidPosition(UsageError):
    """A position outside the text, or in the middle of a character."""


class InvalidSettings(UsageError):
    """A setting with an unknown name, a wrong type or a value out of range."""


class SessionBusy(UsageError):
    """A session that is answering already."""


class SessionInUse(UsageError):
    """A session that another running server owns."""


class UnknownSession(UsageError):
    """A session id that is not kept for this workspace."""


class UnknownTool(UsageError):
    """A tool name that is not in the registry."""


class StoreUnavailable(GlossatorError):
    """A file of kept results, or a shared store, cannot be used; callers go on and say so."""


class TooManyOpenFiles(GlossatorError):
    """This process, or the machine, has as many files open as it may."""


class PromptError(GlossatorError):
    """A prompt file that is missing, malformed, or given the wrong inputs."""


class DeclarationError(GlossatorError):
    """A command, tool or setting lacks something; found at start, the message says what to add."""


class EmbeddingFailed(GlossatorError):
    """A text could not be embedded, or what embeds cannot be used; search goes on without vectors.

    `retry_after` is the wait in seconds after which trying again may help, None if it cannot.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelError(GlossatorError):
    """The model could not answer.

    `retry_after` is the wait in seconds that the provider asked for, if it named one.
    """

    retryable = False

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BudgetSpent(ModelError):
    """A limit of tokens or money is reached; the model was not asked."""


class ModelRefused(ModelError):
    """The provider refused the request; sending it again cannot help."""


class RequestTooLong(ModelRefused):
    """The request is larger than the model, or its server, takes; a shorter one may fit.

    `limit` is the window in tokens, if the server named it.
    """

    def __init__(self, message: str, *, limit: int | None = None) -> None:
        super().__init__(message)
        self.limit = limit


RefusedPart = Literal["thinking", "image", "document", "media", "part"]


class ContentRefused(ModelRefused):
    """Something in the messages is refused; without it the rest may be accepted.

    `about`: "media" is too many images or documents, "part" is not known. `place`: the number of
    the message, of a block in it, and of a block in that one, as far as they are named. `why` are
    the server's words.
    """

    def __init__(
        self, message: str, about: RefusedPart, place: tuple[int, ...] = (), why: str = ""
    ) -> None:
        super().__init__(message)
        self.about = about
        self.place = place
        self.why = why

    @property
    def is_unexplained(self) -> bool:
        """Whether the server named neither what it refuses nor where that is."""
        return self.about == "part" and not self.place


class OptionRefused(ModelRefused):
    """A part of the request beside its messages is refused; without it the rest may be accepted.

    `option` is the name of a field, or `tools.3` for the tool of that number. `limit` is the
    largest number that the server takes there, if it named one. `why` are the server's words.
    """

    def __init__(self, message: str, option: str, limit: int | None = None, why: str = "") -> None:
        super().__init__(message)
        self.option = option
        self.limit = limit
        self.why = why


class ModelUnavailable(ModelError):
    """The provider is overloaded, limits us, or cannot be reached; a retry may help."""

    retryable = True


class StreamCut(ModelError):
    """The stream ended before the message was whole; nothing of it was acted on."""

    retryable = True
