"""What a terminal replies to a server's requests; questions are put to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from glossator.cli.apply_edit import apply_edit, relative
from glossator.cli.messages import NOBODY_PERMITS, NOBODY_REVIEWS
from glossator.cli.prompt import denied_notice
from glossator.cli.render import Display
from glossator.cli.server import ResponseError
from glossator.cli.terminal import TerminalLock
from glossator.cli.user import User
from glossator.core.edit import HunkKind, HunkView, PlanView
from glossator.core.permission import PermissionRequest
from glossator.core.question import Question
from glossator.core.wire import Json, WireError, from_wire

METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602

_T = TypeVar("_T")
_NOBODY_ASKED = {"message": NOBODY_PERMITS, "asked": False}


class Replies:
    """Replies to a server's requests; without a `user`, nobody is there to be asked."""

    def __init__(
        self, display: Display, roots: Sequence[Path], lock: TerminalLock, user: User | None
    ) -> None:
        self._display = display
        self._roots = tuple(map(str, roots))
        self._lock = lock
        self._user = user

    async def reply(self, method: str, params: Json) -> Json:
        """The result. Raises `ResponseError` for what a terminal cannot do."""
        match method:
            case "glossator/question" if self._user is not None:
                return await self._user.answer(_decoded(Question, params))
            case "glossator/permission":
                return await self._permit(_decoded(PermissionRequest, params))
            case "glossator/review":
                return await self._review(_decoded(PlanView, params))
            case "workspace/applyEdit":
                return await self._apply(params)
            case "workspace/configuration":  # it has no settings of its own
                return [None for _ in params["items"]]
            case (
                "client/registerCapability"
                | "client/unregisterCapability"
                | "window/workDoneProgress/create"
                | "window/showMessageRequest"
            ):
                return None
            case _:
                raise ResponseError(METHOD_NOT_FOUND, f"{method} is not supported.")

    async def _permit(self, request: PermissionRequest) -> dict[str, Json]:
        if self._user is not None:
            return await self._user.permit(request)
        self._lock.show(partial(self._display.notice, denied_notice(request)))
        return {"choice": "deny", **_NOBODY_ASKED}

    async def _review(self, plan: PlanView) -> dict[str, Json]:
        if self._user is not None:
            return await self._user.review([self._relative(hunk) for hunk in plan.hunks])
        self._lock.show(partial(self._display.notice, NOBODY_REVIEWS))
        return {"accepted": [], **_NOBODY_ASKED}

    def _relative(self, hunk: HunkView) -> HunkView:
        """With paths as people read them."""
        hunk = replace(hunk, path=relative(hunk.path, self._roots))
        if hunk.kind is not HunkKind.RENAME:
            return hunk
        before, after = (relative(path[:-1], self._roots) for path in (hunk.before, hunk.after))
        return replace(hunk, before=f"{before}\n", after=f"{after}\n")

    async def _apply(self, params: dict[str, Json]) -> Json:
        """An edit that was begun is written to its end, even if the request is cancelled."""
        work = asyncio.create_task(asyncio.to_thread(apply_edit, params, self._roots))
        try:
            outcome = await asyncio.shield(work)
        except asyncio.CancelledError:
            outcome = await work
        for diff in outcome.diffs:
            self._lock.show(partial(self._display.diff, diff))
        return outcome.result


def _decoded(kind: type[_T], params: object) -> _T:
    try:
        return from_wire(kind, params, strict=False)
    except WireError as error:
        raise ResponseError(_INVALID_PARAMS, str(error)) from error
