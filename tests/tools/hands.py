"""An editor's side of an edit, on a real workspace: open documents in memory, others on disk."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from glossator.core.atomic import opened
from glossator.core.document import Document
from glossator.core.edit import Applied, EditOutcome, EditPlan, FileEdit, Parts, keep
from glossator.core.encoding import encode
from glossator.core.tool_result import ToolResult
from glossator.edits.edit_tools import Edit, MultiEdit, Write
from glossator.edits.merge import rebase_plan
from glossator.edits.move_tool import Move
from glossator.edits.notebook_tool import NotebookEdit
from glossator.llm.model import ToolCall
from glossator.tools.base import registry
from glossator.tools.read import Read
from glossator.turn.calls import call_tool, permit_direct_call
from glossator.workspace.documents.overlays import Edited, TextEdit
from tests.workspaces import Workspace

TOOLS = registry((Read(), Edit(), MultiEdit(), NotebookEdit(), Write(), Move()))


@dataclass
class Hands:
    """Applies plans; `before` is called first, `rejected` says which hunks the user does not want.

    `formatted` is what the editor makes of a text on saving.
    """

    ws: Workspace
    before: Callable[[], object] = lambda: None
    rejected: tuple[int, ...] = ()
    formatted: Callable[[str], str] = lambda text: text
    outcome: EditOutcome | None = None
    plans: list[EditPlan] = field(default_factory=list)

    def within(
        self, _paths: AbstractSet[str], _waiting: object, _parts: Parts | None = None
    ) -> Hands:
        return self

    async def apply(self, plan: EditPlan) -> EditOutcome:
        self.plans.append(plan)
        self.before()
        if self.outcome is not None:
            return self.outcome
        moved = rebase_plan(plan, self.ws.snapshot.read)
        if not isinstance(moved, EditPlan):
            return moved
        accepted = [hunk.id for n, hunk in enumerate(moved.hunks) if n not in self.rejected]
        for change in keep(moved, set(accepted)).files:
            assert isinstance(change, FileEdit)
            self._change(change)
        note = "The user rejected a part of it." if self.rejected else ""
        read = (self.ws.snapshot.read(change.path) for change in moved.files)
        return Applied(tuple(each for each in read if isinstance(each, Document)), note)

    def _change(self, change: FileEdit) -> None:
        version = change.base.version if change.base else None
        text = self.formatted(change.result)
        if version is not None:
            edit = TextEdit(None, text)
            self.ws.host.apply(Edited(change.uri, version + 1, (edit,)))
            return
        encoding = change.base.encoding if change.base else "utf-8"
        with opened(change.path, self.ws.snapshot.roots) as place:
            place.stage(encode(text, encoding), place.look())
            place.commit()
        self.ws.touched(change.path)


async def call(
    ws: Workspace, tool: str, hands: Hands | None = None, **arguments: object
) -> ToolResult:
    """What the tool answers, as the agent loop calls it."""
    context = ws.context(edits=hands or Hands(ws))
    return await call_tool(
        TOOLS, ToolCall("call", tool, dict(arguments)), context, permit_direct_call
    )
