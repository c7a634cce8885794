"""Decides whether a tool call may be made, and asks the user where the rules say so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace

from glossator.core.edit import Parts, PlanView
from glossator.core.errors import DeclarationError, UsageError
from glossator.core.permission import (
    Access,
    Mode,
    PermissionAnswer,
    PermissionRequest,
    Permit,
    as_sent,
)
from glossator.core.shown import shown, shown_text, some_of
from glossator.permissions import (
    FAMILIES,
    MCP,
    Allow,
    Ask,
    CallSubject,
    Decision,
    Deny,
    Grants,
    Policy,
    decision_about,
)
from glossator.sandbox import BashArgs, HardLinkedFiles, LimitedShell
from glossator.shell import Script, parse, read_only_commands
from glossator.tools import Tool, ToolArgs, ToolContext, in_thread
from glossator.workspace import WorkspaceSnapshot

Permission = Callable[[Tool, ToolArgs, ToolContext], Awaitable[Permit | Deny]]
FindHardLinked = Callable[[WorkspaceSnapshot], HardLinkedFiles]  # blocking

_MAX_TRIES = 3  # while what a call would touch changes under the question
_TOO_MANY_NAMES = (
    "Too many files here go by other names elsewhere (hard links) for it to be kept from each."
)
_UNSTEADY = (
    "What this would touch changed each time the user was asked, so nothing was done.\nLook at the"
    " files again before you go on."
)
_UNUSABLE = (
    "The user was asked, but the permission rules of each answer could not be used, so nothing was"
    " done.\nAsk the user how to go on."
)
_NAMED = {
    Access.READ: FAMILIES["Read"],
    Access.WRITE: FAMILIES["Edit"],
    Access.EXECUTE: frozenset({"Bash"}),
    Access.REMEMBER: frozenset({"Memory"}),
}


def check_tools(tools: Iterable[Tool]) -> None:
    """Raises `DeclarationError` for a tool that escapes permission rules."""
    for tool in tools:
        named = _NAMED.get(tool.access)
        if named is None:  # it touches neither files nor processes
            continue
        if tool.name not in named:
            raise DeclarationError(
                f"No family of permission rules names the tool {tool.name}, whose access is"
                f" {tool.access}: add it to FAMILIES in permissions/policy.py."
            )
        has_path = any("path" in field for field in tool.args.model_fields)
        if has_path and tool.args.paths is ToolArgs.paths:
            raise DeclarationError(
                f"Permission rules cannot see which paths a call of {tool.name} is about: give"
                f" {tool.args.__name__} a method `paths`."
            )


@dataclass(frozen=True, slots=True)
class PermissionChecker:
    """Decides about the calls of one session; asks the user one question at a time.

    `SessionActing` (`acting.py`) makes it. `refusal` says why a call that acts is refused in an
    untrusted workspace, None if it is allowed; it may ask the user. `grants` are those for the open
    folders. `reviews`: the user reviews every edit before it is applied. `hard_linked` finds files
    with hard links elsewhere.
    """

    policy: Callable[[], Policy]  # `Acting.policy` of the session
    grants: Callable[[], Grants]  # `SessionActing.grants`
    # of the `EditorPort`
    ask_permission: Callable[[PermissionRequest], Awaitable[PermissionAnswer]]
    limited: Callable[[WorkspaceSnapshot], LimitedShell]  # `Acting.limited`; blocking
    refusal: Callable[[Access], Awaitable[str | None]]  # `TrustQuestion.refusal`
    reviews: bool = False
    hard_linked: FindHardLinked = lambda _: HardLinkedFiles()  # `Acting.hard_linked`
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def permission(self, tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        """Permission for a call, or why not. Raises `UsageError` if it cannot be judged."""
        made = await self._permission(tool, args, context)
        if isinstance(made, Permit) and (args.acting_as() or tool.name).startswith(MCP):
            await in_thread(args.agreed)
        return made

    async def _permission(self, tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        access = args.needed_access(tool.access)
        if access is Access.NONE and not context.asking:
            return Permit()
        policy = self._policy_now()
        if access is Access.READ and not (policy.deny or policy.ask or context.asking):
            return Permit()  # tools that read keep to the workspace anyway
        call = _Call(tool, args, context)
        decision = await self._decision(call)
        if isinstance(decision.made, Deny):
            return decision.made  # in trusted workspaces, too
        if access not in (Access.READ, Access.NONE):
            with context.waiting():
                reason = await self.refusal(access)
            if reason is not None:
                return Deny(reason)
            decision = await self._final(call)  # the user may have been asked
        if isinstance(decision.made, Ask):
            await context.before_asking()
            with context.waiting():  # for the answers before it
                await self._turn.acquire()
            try:
                return await self._answered(call)
            finally:
                self._turn.release()
        return decision.made if isinstance(decision.made, Deny) else decision.permit

    async def put(self, request: PermissionRequest) -> PermissionAnswer:
        """Put another question to the user, behind those before it."""
        async with self._turn:
            return await self.ask_permission(request)

    async def _answered(self, call: _Call) -> Permit | Deny:
        """Ask the user, unless the answer to another question settles this one.

        The answer counts only for what was asked: if a link or the mode changes meanwhile, the user
        is asked again.
        """
        current = await self._final(call)
        parts: Parts | None = None
        for _ in range(_MAX_TRIES):
            asked = current
            if not isinstance(asked.made, Ask):
                break
            answer = await self._asked(call, asked, asked.made)
            if isinstance(answer, Deny):
                return answer
            parts = _parts(answer)
            current = await self._final(call)
            if current.same_as(asked) or current.is_granted(asked):
                return replace(current.permit, hard_linked=(), parts=parts)
        match current.made:
            case Deny() as denied:
                return denied
            case Ask():
                return Deny(_UNSTEADY)
        return replace(current.permit, parts=parts)

    async def _asked(self, call: _Call, asked: _Decided, ask: Ask) -> PermissionAnswer | Deny:
        """Keep the user's answer; ask again if its rules cannot be kept."""
        context, grants = call.context, self.grants()
        reasons = ask.reasons
        if isinstance(call.args, BashArgs) and not asked.permit.only_reads:
            reasons += await in_thread(_hard_link_reasons, context.snapshot, self.hard_linked)
        request = await in_thread(_request, call, replace(ask, reasons=reasons))
        for _ in range(_MAX_TRIES):
            with context.waiting():
                answer = await self.ask_permission(request)
            try:
                settled = grants.settle(ask, answer)
                return settled if isinstance(settled, Deny) else answer
            except UsageError as error:
                problem = f"Nothing was kept. {error}"
                request = replace(request, reasons=(*reasons, problem))
        return Deny(_UNUSABLE)

    async def _decision(self, call: _Call) -> _Decided:
        subject = await in_thread(_subject, call, self.limited)
        policy = self._policy_now()
        if self.reviews and subject.access is Access.WRITE and policy.mode is Mode.ASK:
            policy = replace(policy, mode=Mode.ACCEPT_EDITS)
        if subject.access is Access.NONE:  # only a hook asks about these
            return _Decided(subject, _narrowed(Allow(), call.context.asking))
        made = decision_about(subject, policy)
        if isinstance(made, Allow) and call.name.startswith(MCP):
            doubt = await in_thread(call.args.doubt)
            made = Ask((doubt,)) if doubt else made
        return _Decided(subject, _narrowed(made, call.context.asking))

    async def _final(self, call: _Call) -> _Decided:
        """Like `_decision`, but a command that runs unasked may not change hard-linked files."""
        args, decided = call.args, await self._decision(call)
        is_run = isinstance(args, BashArgs) and args.command is not None
        if not is_run or not isinstance(decided.made, Allow) or decided.permit.only_reads:
            return decided
        linked = await in_thread(self.hard_linked, call.context.snapshot)
        if linked.read_only is None:
            return replace(decided, made=Ask((_TOO_MANY_NAMES,)))
        return replace(decided, hard_linked=linked.read_only)

    def _policy_now(self) -> Policy:
        return replace(self.policy(), session=self.grants().rules)


@dataclass(frozen=True, slots=True)
class _Call:
    tool: Tool
    args: ToolArgs
    context: ToolContext

    @property
    def name(self) -> str:
        """The tool that is judged, and named in the question."""
        return self.args.acting_as() or self.tool.name


@dataclass(frozen=True, slots=True)
class _Decided:
    """A decision and its subject."""

    subject: CallSubject
    made: Decision
    hard_linked: tuple[str, ...] = ()

    @property
    def permit(self) -> Permit:
        """Permission for exactly this subject."""
        paths = frozenset(path for target in self.subject.targets for path in target.real)
        script = self.subject.script
        only_reads = script is not None and script.read_only and not paths
        return Permit(paths, only_reads, self.hard_linked)

    def same_as(self, other: _Decided) -> bool:
        """Whether two decisions ask the same question about the same targets."""
        if isinstance(self.made, Ask) and isinstance(other.made, Ask):
            # an answer may have brought rules for a part of it
            same = self.made.reasons == other.made.reasons
        else:
            same = self.made == other.made
        return same and self.subject.targets == other.subject.targets

    def is_granted(self, other: _Decided) -> bool:
        """Whether a decision allows the call, and has the same targets."""
        return isinstance(self.made, Allow) and self.subject.targets == other.subject.targets


def _narrowed(made: Decision, asking: str) -> Decision:
    """The decision; if a hook wants the user to be asked, it does not allow the call by itself."""
    if not asking or isinstance(made, Deny):
        return made
    reasons = made.reasons if isinstance(made, Ask) else ()
    return Ask((*reasons, f"A hook of yours asks: {shown(asking)}"))


def _subject(call: _Call, limited: Callable[[WorkspaceSnapshot], LimitedShell]) -> CallSubject:
    snapshot = call.context.snapshot
    if isinstance(call.args, BashArgs):
        return _script(call.args, limited(snapshot))
    access = call.args.needed_access(call.tool.access)
    return CallSubject.of_files(call.name, access, call.args.reached(snapshot))


def _script(args: BashArgs, limited: LimitedShell) -> CallSubject:
    """The commands of a shell call; looking at a job has no effect."""
    place = limited.shell.place(args.cwd)
    script = parse(args.command) if args.command is not None else Script(())
    return CallSubject.of_shell(
        script,
        cwd=place.cwd,
        reading=read_only_commands(script.known, place),
        open_reason=limited.open_reason if args.command is not None else None,
        is_temporary=limited.shell.is_temporary,
        network=args.network and args.command is not None,
        line=args.command or "",
    )


def _hard_link_reasons(snapshot: WorkspaceSnapshot, find: FindHardLinked) -> tuple[str, ...]:
    """A warning about hard-linked files, which a command could change elsewhere, too."""
    paths = find(snapshot).files
    if not paths:
        return ()
    names = some_of([shown(snapshot.relative(path)) for path in paths], 1)
    reason = (
        f"{names} may go by other names elsewhere (hard links): what it writes there changes those,"
        " too."
    )
    return (reason,)


def _parts(answer: PermissionAnswer) -> Parts | None:
    return None if answer.parts is None else Parts(frozenset(answer.parts), answer.message.strip())


def _request(call: _Call, ask: Ask) -> PermissionRequest:
    name, args = call.name, call.args
    detail, cut = as_sent(shown_text(args.preview(call.context)))
    suggestions = tuple(map(str, ask.suggestions))
    plan = args.planned(call.context) if cut is None else None
    view = PlanView.of(plan) if plan and plan.hunks else None
    title = f"{shown(args.asked_to()) or f'Use {name}'}?"
    return PermissionRequest(name, title, detail, ask.reasons, suggestions, cut, view)
