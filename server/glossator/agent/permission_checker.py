"""Before a tool acts: what is decided about the call, and the user's word where it takes one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace

from glossator.core.errors import DeclarationError, UsageError
from glossator.core.permission import Access, Mode, PermissionAnswer, PermissionRequest, as_sent
from glossator.core.shown import shown, shown_text, some_of
from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.permissions.decide import Allow, Ask, Decision, Deny, decide
from glossator.permissions.grants import Grants
from glossator.permissions.policy import Policy
from glossator.permissions.rules import FAMILIES
from glossator.permissions.subject import Subject
from glossator.sandbox.policy import Shared
from glossator.sandbox.shell import LimitedShell
from glossator.shell.judge import only_reading
from glossator.shell.syntax import Script, parse
from glossator.tools.base import Cancelled, Tool, ToolArgs, ToolContext, in_thread
from glossator.tools.bash import BashArgs

_TRIES = 3  # while what a call would touch changes under the question
_NETWORK = "It would use the network."
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
}


def check_tools(tools: Iterable[Tool]) -> None:
    """Raises `DeclarationError` for a tool that permission rules would not hold for."""
    for tool in tools:
        named = _NAMED.get(tool.access)
        if named is None:  # it touches neither files nor processes
            continue
        if tool.name not in named:
            raise DeclarationError(
                f"No family of permission rules names the tool {tool.name}, whose access is"
                f" {tool.access}: add it to FAMILIES in permissions/rules.py."
            )
        has_path = any("path" in field for field in tool.args.model_fields)
        if has_path and tool.args.paths is ToolArgs.paths:
            raise DeclarationError(
                f"Permission rules cannot see which paths a call of {tool.name} is about: give"
                f" {tool.args.__name__} a method `paths`."
            )


@dataclass(frozen=True, slots=True)
class Permit:
    """A call may be made. `paths` are the real ones it was decided about; it edits no others.

    `only_reads`: it is a command that was found to change nothing. `shared` is what a command may
    not change for the sake of its other names, as the user was not asked about just that.
    """

    paths: frozenset[str] = frozenset()
    only_reads: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionChecker:
    """Decides about the calls of one session; one question at a time is put to the user.

    `untrusted` says why what acts may not be done in the workspace, None if it may; it may ask the
    user, too. `grants` are those for the folders that are open now. `reviews`: every edit is
    put to the user anyway, before it is applied. `shared` finds what of the workspace goes by other
    names elsewhere, too.
    """

    policy: Callable[[], Policy]
    grants: Callable[[], Grants]
    ask: Callable[[PermissionRequest], Awaitable[PermissionAnswer]]
    shell: Callable[[WorkspaceSnapshot], LimitedShell]  # blocking
    untrusted: Callable[[Access], Awaitable[str | None]]
    reviews: bool = False
    shared: Callable[[WorkspaceSnapshot], Shared] = lambda _: Shared()  # blocking
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def permission(self, tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        """Whether a call may be made.

        Raises `UsageError` for a call that can be decided about by nobody.
        """
        if tool.access is Access.NONE:
            return Permit()
        policy = self._policy_now()
        if tool.access is Access.READ and not (policy.deny or policy.ask):
            return Permit()  # who reads keeps to the workspace anyway
        decision = await self._decision(tool, args, context)
        if isinstance(decision.made, Deny):
            return decision.made  # whether the workspace is trusted or not
        if tool.access is not Access.READ:
            with context.waiting():
                reason = await self.untrusted(tool.access)
            if reason is not None:
                return Deny(reason)
            decision = await self._final(tool, args, context)  # the user may have been asked
        if isinstance(decision.made, Ask):
            await context.before_asking()
            async with self._turn:
                return await self._answered(tool, args, context)
        return decision.made if isinstance(decision.made, Deny) else decision.permit

    async def put(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask the user something else, in turn."""
        async with self._turn:
            return await self.ask(request)

    async def _answered(self, tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        """As `permission`. What was answered meanwhile may have settled it, so it is decided anew.

        An answer is worth only what was asked: while the user thought, a link may have come to lead
        elsewhere, or the mode been changed.
        """
        current = await self._final(tool, args, context)
        for _ in range(_TRIES):
            asked = current
            if not isinstance(asked.made, Ask):
                break
            settled = await self._asked(tool, args, context, asked, asked.made)
            if isinstance(settled, Deny):
                return settled
            current = await self._final(tool, args, context)
            if current.same_as(asked) or current.is_granted(asked):
                return replace(current.permit, shared=())
        match current.made:
            case Deny() as denied:
                return denied
            case Ask():
                return Deny(_UNSTEADY)
        return current.permit

    async def _asked(
        self, tool: Tool, args: ToolArgs, context: ToolContext, asked: _Decided, ask: Ask
    ) -> Allow | Deny:
        """The user's answer, which is kept; asked again where it has rules that cannot be."""
        grants = self.grants()
        reasons = ask.reasons
        if isinstance(args, BashArgs) and not asked.permit.only_reads:
            reasons += await in_thread(_elsewhere, context.snapshot, self.shared)
        request = await in_thread(_request, tool, args, context, replace(ask, reasons=reasons))
        for _ in range(_TRIES):
            with context.waiting():
                answer = await self.ask(request)
            try:
                return grants.settle(ask, answer)
            except UsageError as error:
                problem = f"Nothing was kept. {error}"
                request = replace(request, reasons=(*reasons, problem))
        return Deny(_UNUSABLE)

    async def _decision(self, tool: Tool, args: ToolArgs, context: ToolContext) -> _Decided:
        subject = await in_thread(_subject, tool, args, context, self.shell)
        policy = self._policy_now()
        if self.reviews and subject.access is Access.WRITE and policy.mode is Mode.ASK:
            policy = replace(policy, mode=Mode.ACCEPT_EDITS)
        return _Decided(subject, decide(subject, policy))

    async def _final(self, tool: Tool, args: ToolArgs, context: ToolContext) -> _Decided:
        """As `_decision`; what runs unasked is to be kept from what has other names elsewhere."""
        decided = await self._decision(tool, args, context)
        is_run = isinstance(args, BashArgs) and args.command is not None
        if not is_run or not isinstance(decided.made, Allow) or decided.permit.only_reads:
            return decided
        shared = await in_thread(_shared, context.snapshot, self.shared)
        if shared.sealed is None:
            return replace(decided, made=Ask((_TOO_MANY_NAMES,)))
        return replace(decided, shared=shared.sealed)

    def _policy_now(self) -> Policy:
        return replace(self.policy(), session=self.grants().rules)


@dataclass(frozen=True, slots=True)
class _Decided:
    """What was decided, and about what."""

    subject: Subject
    made: Decision
    shared: tuple[str, ...] = ()

    @property
    def permit(self) -> Permit:
        """To act on just what was decided about."""
        paths = frozenset(path for target in self.subject.targets for path in target.real)
        script = self.subject.script
        only_reads = script is not None and script.read_only and not paths
        return Permit(paths, only_reads, self.shared)

    def same_as(self, other: _Decided) -> bool:
        """Whether who was asked about the one was asked about the other.

        What the words of a script may mean besides its targets changes as files come and go.
        """
        if isinstance(self.made, Ask) and isinstance(other.made, Ask):
            # an answer may have brought rules for a part of it
            same = self.made.reasons == other.made.reasons
        else:
            same = self.made == other.made
        return same and self.subject.targets == other.subject.targets

    def is_granted(self, other: _Decided) -> bool:
        """Whether it is allowed now, and the same that was asked about."""
        return isinstance(self.made, Allow) and self.subject.targets == other.subject.targets


def _subject(
    _cancelled: Cancelled,
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
    shell: Callable[[WorkspaceSnapshot], LimitedShell],
) -> Subject:
    if isinstance(args, BashArgs):
        return _script(args, shell(context.snapshot))
    return Subject.of_files(tool.name, tool.access, args.reached(context.snapshot))


def _script(args: BashArgs, limited: LimitedShell) -> Subject:
    """What a command would do; looking at a job does nothing."""
    place = limited.shell.place(args.cwd)
    script = parse(args.command) if args.command is not None else Script(())
    open_reason = limited.open_reason or (_NETWORK if args.network else None)
    return Subject.of_shell(
        script,
        cwd=place.cwd,
        reading=only_reading(script.known, place),
        open_reason=open_reason if args.command is not None else None,
        is_temporary=limited.shell.is_temporary,
    )


def _shared(
    _cancelled: Cancelled,
    snapshot: WorkspaceSnapshot,
    shared: Callable[[WorkspaceSnapshot], Shared],
) -> Shared:
    return shared(snapshot)


def _elsewhere(
    _cancelled: Cancelled,
    snapshot: WorkspaceSnapshot,
    shared: Callable[[WorkspaceSnapshot], Shared],
) -> tuple[str, ...]:
    """What the user is to know of files that a command could change by their other names."""
    paths = shared(snapshot).files
    if not paths:
        return ()
    names = some_of([shown(snapshot.relative(path)) for path in paths], 1)
    reason = (
        f"{names} may go by other names elsewhere (hard links): what it writes there changes those,"
        " too."
    )
    return (reason,)


def _request(
    _cancelled: Cancelled, tool: Tool, args: ToolArgs, context: ToolContext, ask: Ask
) -> PermissionRequest:
    detail, cut = as_sent(shown_text(args.preview(context)))
    paths = args.paths()[:1] if detail else args.paths()  # the detail names all
    names = " ".join(map(shown, paths))
    title = f"May {tool.name} {names or 'run'}?"
    suggestions = tuple(map(str, ask.suggestions))
    return PermissionRequest(tool.name, title, detail, ask.reasons, suggestions, cut)
