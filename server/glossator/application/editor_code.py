"""What the editor's other language servers know of code, as the tools ask for it."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import CodeAnswer, CodeQuestion, CodeServers
from glossator.core.ports import EditorPort

_NOTHING = "the editor's language servers know nothing of it, or are still starting"


def code_of(port: EditorPort, own: CodeServers) -> CodeServers:
    """Who is asked about code: the editor where it can be, else servers of our own."""
    if port.tells_code:
        return EditorCode(port)
    return OwnCode(port, own) if port.tells_diagnostics else own


@dataclass(frozen=True, slots=True)
class EditorCode(CodeServers):
    """Asks the editor, which asks its language servers."""

    port: EditorPort

    async def ask(self, question: CodeQuestion, seconds: float) -> CodeAnswer | str:
        """See `CodeServers`."""
        if not self.port.tells_code:
            return ""
        return await self.port.code(question, seconds) or _NOTHING

    @property
    def are_there(self) -> bool:
        """Whether the editor can be asked."""
        return self.port.tells_code

    @property
    def tells_diagnostics(self) -> bool:
        """Whether the editor tells them."""
        return self.port.tells_diagnostics

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """See `EditorPort`."""
        return await self.port.diagnostics(wanted, seconds)


@dataclass(frozen=True, slots=True)
class OwnCode(EditorCode):
    """Asks servers of our own, beside an editor that tells diagnostics alone."""

    own: CodeServers

    async def ask(self, question: CodeQuestion, seconds: float) -> CodeAnswer | str:
        """See `CodeServers`."""
        return await self.own.ask(question, seconds)

    @property
    def are_there(self) -> bool:
        """Whether there are any."""
        return self.own.are_there
