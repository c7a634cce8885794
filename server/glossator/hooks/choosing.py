"""Which hooks run: the user's, and those of the workspace that the user adopted, not turned off."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from glossator.core.window import ContextKind
from glossator.hooks.hook import HookEvent, HookIds, KnownHook, rules_of
from glossator.hooks.proposals import Proposal, proposed_hooks
from glossator.permissions import Approvals, Switches
from glossator.settings import HookSettings
from glossator.workspace import WorkspaceSnapshot

KIND = "hook"  # of adoptions


class Hooks:
    """Raises `UsageError` for a matcher of the settings that cannot be used.

    A hook that `switches` turn off does not run.
    """

    def __init__(self, settings: HookSettings, approvals: Approvals, switches: Switches) -> None:
        named = HookIds()
        self.own = tuple(
            KnownHook(
                named.id("settings", event.value, hook.matcher, hook.command),
                event,
                hook,
                rules_of(event, hook.matcher, f"the setting hooks.{event.setting}"),
            )
            for event in HookEvent
            for hook in getattr(settings, event.name.lower())
        )
        self._approvals = approvals
        self._switches = switches
        self.adopted: tuple[KnownHook, ...] = ()  # as `look` saw them
        self._lost = set[str]()  # ids of those that changed since, as `look` saw them
        self.began = set[str]()  # ids of the sessions whose start hooks know of
        self.notes: dict[str, tuple[str, ...]] = {}  # on the last question, by sessions' ids

    async def look(self, snapshot: WorkspaceSnapshot, *, trusted: bool) -> tuple[str, ...]:
        """Look at what the workspace asks for, if anything of it is adopted.

        Gives the ids, each once, of those that are not as they were adopted any more. Before trust
        no file that a hook names is read, so `adopted` are all that once were.
        """
        before, self.adopted = self.adopted, ()
        if not any(self._approvals.names(KIND, root) for root in snapshot.roots):
            return ()
        found = (await asyncio.to_thread(proposed_hooks, snapshot, hashed=trusted)).hooks
        runs = self.is_adopted if trusted else self.was_adopted
        self.adopted = tuple(each.hook for each in found if each.hook is not None and runs(each))
        if not trusted:
            return ()
        lost = {each.id for each in before} | {each.id for each in found if self.was_adopted(each)}
        lost -= {each.id for each in self.adopted} | self._switches.off(ContextKind.HOOK)
        new, self._lost = lost - self._lost, lost
        return tuple(sorted(new))

    def of(self, event: HookEvent, about: str = "") -> tuple[KnownHook, ...]:
        """Those that run at a moment that is `about` a tool or an occasion; "": any."""
        chosen = tuple(each for each in (*self.own, *self.adopted) if each.is_for(event, about))
        off = self._switches.off(ContextKind.HOOK) if chosen else frozenset()
        return tuple(each for each in chosen if each.id not in off)

    def __iter__(self) -> Iterator[KnownHook]:
        """The user's own."""
        return iter(self.own)

    # what a workspace asks for

    def is_adopted(self, proposal: Proposal) -> bool:
        """Whether exactly this was adopted."""
        return bool(proposal.sha256) and self._approvals.is_adopted(
            KIND, proposal.id, proposal.folder, proposal.sha256
        )

    def was_adopted(self, proposal: Proposal) -> bool:
        """Whether this was adopted, or what stood in its place."""
        return self._approvals.was_adopted(KIND, proposal.id, proposal.folder)

    def adopt(self, proposal: Proposal) -> None:
        """Let exactly this run from now on. Raises `StoreUnavailable`; blocking."""
        self._approvals.adopt(KIND, proposal.id, proposal.folder, proposal.sha256)

    def forget(self, proposal: Proposal) -> bool:
        """Take an adoption back; False if there was none. Raises `StoreUnavailable`; blocking."""
        self.adopted = tuple(each for each in self.adopted if each.id != proposal.id)
        return self._approvals.forget(KIND, proposal.id, proposal.folder)
