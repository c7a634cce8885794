"""Who is asked about code: the editor, which asks its language servers, else servers of ours."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import CodeAnswer, CodeQuestion, CodeServers
from glossator.core.ports import EditorPort

_NOTHING = "the editor's language servers know nothing of it, or are still starting"


@dataclass(frozen=True, slots=True)
class EditorCode(CodeServers):
    """Asks the editor where it can be asked, and `own` servers elsewhere."""

    port: EditorPort
    own: CodeServers

    async def ask(
        self, question: CodeQuestion, seconds: float, *, begins: bool = True
    ) -> CodeAnswer | str:
        """See `CodeServers`."""
        if not self.port.tells_code:
            return await self.own.ask(question, seconds, begins=begins)
        return await self.port.code(question, seconds) or _NOTHING

    @property
    def are_there(self) -> bool:
        """Whether anybody can be asked."""
        return self.port.tells_code or self.own.are_there

    @property
    def tells_diagnostics(self) -> bool:
        """Whether anybody tells them."""
        return self.port.tells_diagnostics or self.own.tells_diagnostics

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """See `CodeServers`."""
        if not self.port.tells_diagnostics:
            return await self.own.diagnostics(wanted, seconds)
        return await self.port.diagnostics(wanted, seconds)
