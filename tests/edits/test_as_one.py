"""A plan that is right only with all of its parts, as a rename is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileEdit, Parts, PlanView, Refused
from glossator.core.line_diff import Replacement
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.edits.apply import PlanEditing
from glossator.lsp.edits import EditSupport
from tests.stage import Recorder
from tests.workspaces import MakeWorkspace, Workspace

TEXT = "a\nb\na\n"


class _NotKept:
    async def before(self, _paths: Iterable[str]) -> None: ...

    async def after(
        self, _changed: Mapping[str, str | None], _untouched: Iterable[str]
    ) -> None: ...


def plan_of(ws: Workspace, *, as_one: bool) -> EditPlan:
    base = ws.snapshot.read("a.txt")
    assert isinstance(base, Document)
    both = Replacement(0, 1, "c"), Replacement(4, 5, "c")
    return EditPlan.of("Rename a", FileEdit(base.uri, base.path, base, both), as_one=as_one)


async def test_where_a_part_is_left_out_nothing_is_applied(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": TEXT})
    plan = plan_of(ws, as_one=True)
    editing = PlanEditing(
        ws.host,
        Recorder(),
        lambda _: None,
        _NotKept(),
        review=True,
        permitted=frozenset({plan.files[0].path}),
        parts=Parts(frozenset({plan.hunks[0].id}), "Not there."),
    )
    outcome = await editing.apply(plan)
    assert outcome == Refused(
        "Nothing was changed. The user rejected this edit.\nThe user says: Not there."
    )
    assert (ws.root / "a.txt").read_text() == TEXT


async def test_no_part_of_it_can_be_allowed(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": TEXT})
    for as_one in (False, True):
        view = PlanView.of(plan_of(ws, as_one=as_one))
        request = PermissionRequest("Rename", "Rename a?", "", (), plan=view)
        first = PermissionAnswer(Choice.ONCE, parts=(view.hunks[0].id,))
        assert request.offers(first) is not as_one
        assert request.offers(PermissionAnswer(Choice.ONCE))


async def test_an_editor_that_asks_by_parts_is_not_left_to_ask(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": TEXT})
    editor = EditSupport(applies=True, versioned=True, annotated=True)
    assert editor.confirms(plan_of(ws, as_one=False))
    assert not editor.confirms(plan_of(ws, as_one=True))
