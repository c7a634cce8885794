"""What tools need to act: permissions, edits, the shell, checkpoints."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import platformdirs

from glossator.application.permission_checker import Permission, PermissionChecker
from glossator.application.saving import UNSAVED, Saving, SavingFirst, UnsavedEdits
from glossator.application.turn_shell import Listing, TurnShell
from glossator.core.errors import UsageError
from glossator.core.events import Notice, TurnsUndone, UndoneTurn
from glossator.core.permission import Mode
from glossator.core.ports import EditorPort
from glossator.core.run_events import JobsChanged, UnsavedFile
from glossator.core.shown import shown
from glossator.edits import EditorFiles, PlanEditing
from glossator.permissions import (
    Grants,
    HiddenFiles,
    Modes,
    Places,
    Policy,
    PrivateFile,
    Trust,
    TrustQuestion,
    UserRules,
    grants_file,
)
from glossator.sandbox import (
    HardLinkedFiles,
    LimitedShell,
    Quarantine,
    ShellContext,
    WorkspaceShell,
)
from glossator.sessions import Run, Session, mode_notice
from glossator.settings import Settings
from glossator.undo import CHECKPOINTS, Checkpoints, CheckpointStore, DiskFiles, Undone
from glossator.workspace import WorkspaceHost, WorkspaceSnapshot, folder_identity

_GONE = (
    "The folder {} was deleted or replaced during the run, so the run was ended, and nothing more"
    " is written there. Ask again if the folder that is there now is the right one."
)

_CHECKPOINTS = "checkpoints.db"
_GRANTS = "grants"  # the name of what is kept with a session


@dataclass(frozen=True, slots=True)
class WorkspaceNow:
    """The workspace as one step of a question finds it, looked at once for all that the step tells.

    What acts (a call, a hook, git, a server's program) asks again whether it may. `hidden` are the
    files that rules hide, `off` what the user turned off, by kind.
    """

    snapshot: WorkspaceSnapshot
    trusted: bool
    hidden: HiddenFiles | None
    off: Mapping[str, frozenset[str]]

    def is_off(self, kind: str) -> frozenset[str]:
        """The ids of all of a kind that the user turned off."""
        return self.off.get(kind, frozenset())


class Acting:
    """One for each application; what it holds for a session is dropped with the session."""

    def __init__(
        self,
        host: WorkspaceHost,
        port: EditorPort,
        settings: Settings,
        environment: Mapping[str, str],
        trusted: bool | None = None,
        shared: Acting | None = None,
    ) -> None:
        """Of a worktree, modes, shell, grants and trust are those of its workspace: `shared`."""
        self._is_shared = shared is not None
        self.modes: Modes
        self.shell: WorkspaceShell
        self.always: PrivateFile
        self.trust: TrustQuestion
        if shared is not None:
            self.modes, self.shell = shared.modes, shared.shell
            self.always, self.trust = shared.always, shared.trust
        else:
            self.modes = Modes(Mode(settings.permissions.mode))
            self.shell = WorkspaceShell(settings.shell, environment)
            self.shell.jobs.changed = lambda: port.show(JobsChanged(self.shell.jobs.all))
            self.always = PrivateFile(grants_file())
            trust = Trust(port.tell)
            if trusted:
                trust.trust_for_session(host.snapshot().roots)
            self.trust = TrustQuestion(
                trust,
                lambda: host.snapshot().roots,
                port.ask_user,
                port.tell,
                trusted,
                port.context_changed,
            )
        self.host = host
        self.port = port
        self.disk = DiskFiles(lambda: host.roots, host.encoding_of)
        self.edits = settings.edits
        self.reviews = settings.edits.review == "propose"
        self._sessions: dict[str, SessionActing] = {}
        self._places: tuple[tuple[str, ...], Places] | None = None
        self._hidden: tuple[tuple[str, ...], HiddenFiles | None] | None = None
        self._store: CheckpointStore | None = None
        rules = settings.permissions
        self._rules = UserRules.parse(rules.deny, rules.ask, rules.allow)

    def of(self, session: Session) -> SessionActing:
        """What lets a session act; the same for all its runs."""
        if session.id not in self._sessions:
            self._sessions[session.id] = SessionActing(self, session)
        return self._sessions[session.id]

    def forget(self, session_id: str) -> None:
        """The session was deleted."""
        self._drop(session_id)
        self.modes.forget(session_id)

    def let_go(self, session_id: str) -> bool:
        """Forget the cached parts of a session; False while it still has work to finish."""
        acting = self._sessions.get(session_id)
        if acting is not None and acting.is_settling:
            return False
        self._drop(session_id)
        return True

    def _drop(self, session_id: str) -> None:
        if (acting := self._sessions.pop(session_id, None)) is not None:
            acting.close()

    def hidden(self) -> HiddenFiles | None:
        """The files that rules hide; None if no rule does."""
        return self.hidden_in(self.host.roots)

    def hides(self, path: str) -> bool:
        """Whether rules hide a file, by its absolute path."""
        hidden = self.hidden()
        return hidden is not None and hidden(path)

    def policy(self, roots: tuple[str, ...] | None = None, session_id: str | None = None) -> Policy:
        """The current policy of a session, or of new ones; in the workspace or in these folders."""
        roots = self.host.snapshot().roots if roots is None else roots
        if (known := self._places) is None or known[0] != roots:
            self._places = known = roots, Places.of(roots)
        return Policy(self.modes.of(session_id), known[1], user=self._rules)

    def limited(self, snapshot: WorkspaceSnapshot) -> LimitedShell:
        """The shell of a workspace, with what rules hide from it."""
        return self.shell.limited(snapshot, self.hidden_in(snapshot.roots))

    def hard_linked(self, snapshot: WorkspaceSnapshot) -> HardLinkedFiles:
        """The files of a workspace that have other names elsewhere, too; blocking."""
        return self.shell.hard_linked(snapshot, self.hidden_in(snapshot.roots))

    def store(self) -> CheckpointStore:
        """Where checkpoints keep the bytes of files."""
        if self._store is None:
            path = Path(platformdirs.user_state_dir("glossator")) / _CHECKPOINTS
            self._store = CheckpointStore(path, tell=self.port.tell)
        return self._store

    async def close(self) -> None:
        """End all jobs."""
        for acting in self._sessions.values():
            acting.close()
        if not self._is_shared:
            await self.shell.close()
        if self._store is not None:
            await self._store.close()

    def hidden_in(self, roots: tuple[str, ...]) -> HiddenFiles | None:
        """The files that rules hide in these folders; None if no rule does."""
        if (known := self._hidden) is None or known[0] != roots:
            self._hidden = known = roots, HiddenFiles.of(self.policy(roots))
        return known[1]


class SessionActing:
    """What lets the runs of one session act, and what the user allowed in it."""

    def __init__(self, acting: Acting, session: Session) -> None:
        self._acting = acting
        self._session = session
        self._grants: tuple[tuple[str, ...], Grants] | None = None
        self.checker = PermissionChecker(
            policy=self._policy,
            grants=lambda: self.grants,
            ask_permission=acting.port.ask_permission,
            limited=acting.limited,
            refusal=acting.trust.refusal,
            reviews=acting.reviews,
            hard_linked=acting.hard_linked,
        )

    def permission(self, *, only_reads: bool, reviews: bool = False) -> Permission:
        """Decides about the calls of a run: one that `only_reads`, or whose edits are reviewed."""
        checker = replace(self.checker, reviews=self.checker.reviews or reviews)
        if only_reads:
            policy = self._policy
            checker = replace(checker, policy=lambda: replace(policy(), only_reads=True))
        return checker.permission

    def reminders(self) -> tuple[str, ...]:
        """A reminder of the mode, if the conversation last named another one."""
        mode: str = self.mode
        if self._acting.trust.said is False and mode != Mode.PLAN:
            mode = "restricted"
        told = mode_notice(mode, self._session.conversation.user_texts)
        return (told,) if told else ()

    @property
    def mode(self) -> Mode:
        """What is done without asking."""
        return self._acting.modes.of(self._session.id)

    @property
    def granted(self) -> tuple[str, ...]:
        """What the user allowed, as rules."""
        return tuple(map(str, self.grants.rules.allow))

    @property
    def grants(self) -> Grants:
        """What was answered about the folders that are open now: it holds for no other folder."""
        roots, session = self._acting.host.snapshot().roots, self._session
        if self._grants is None or self._grants[0] != roots:
            keep = partial(session.keep, _GRANTS)
            kept = session.kept(_GRANTS)
            tell, always = self._acting.port.tell, self._acting.always
            self._grants = roots, Grants(roots, tell, always, kept, keep)
        return self._grants[1]

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """What the turns found in the files they changed."""
        acting = self._acting
        files = EditorFiles(acting.host, acting.port, acting.disk)
        session, port = self._session, acting.port

        def show(turns: tuple[UndoneTurn, ...]) -> None:
            port.show(TurnsUndone(session.id, turns))

        return Checkpoints(acting.store(), session, files, acting.disk, port.tell, show_undone=show)

    @property
    def changes(self) -> int:
        """How often an edit or a command of its runs has changed files."""
        return self.checkpoints.changes if "checkpoints" in vars(self) else 0

    async def take_up(self) -> None:
        """Finish what an earlier server was cut off in; the user is told of an undo."""
        if self._session.kept(CHECKPOINTS):
            host, tell = self._acting.host, self._acting.port.tell
            async for undone, left in self.checkpoints.take_up(Listing(host).paths):
                tell(_finished(self._session.title, undone, left))

    @asynccontextmanager
    async def at_work(self, run: Run, ready: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """A run acts in the block; it ends when a folder of the workspace is not there any more.

        What an earlier server left unfinished is taken up once the workspace is `ready`.
        """
        if self._session.kept(CHECKPOINTS) and self.checkpoints.were_cut_off:
            await ready()
        await self.take_up()
        with while_folders_stand(self._acting.host, run):
            yield

    @property
    def is_settling(self) -> bool:
        """Whether work outlives its run, such as a cancelled undo."""
        return "checkpoints" in vars(self) and self.checkpoints.is_settling

    @property
    def saving(self) -> Saving:
        """Saves what the turns left unsaved."""
        acting = self._acting
        when = acting.edits.save
        return Saving(acting.host, acting.port, acting.disk, self, when)

    @cached_property
    def unsaved(self) -> UnsavedEdits:
        """The edits that only the editor has."""
        acting = self._acting
        return UnsavedEdits(self._session, acting.host, acting.disk, acting.port)

    async def unsaved_now(self) -> tuple[UnsavedFile, ...]:
        """The files whose edits are not on disk, looked at again."""
        if "unsaved" not in vars(self) and not self._session.kept(UNSAVED):
            return ()
        await self.unsaved.look()
        return self.unsaved.files

    def close(self) -> None:
        """Follow nothing more."""
        if "unsaved" in vars(self):
            self.unsaved.close()

    def edits(self, run: Run) -> PlanEditing:
        """Applies the plans of a run."""
        acting = self._acting
        kept = TurnFiles(self, run, acting.shell.quarantine)
        reviews = acting.reviews or run.reviews
        return PlanEditing(acting.host, acting.port, run.emit, kept, reviews)

    def shell_of(self, run: Run, hidden: HiddenFiles | None) -> ShellContext:
        """Runs the commands of a run, which see no `hidden` files."""
        acting = self._acting
        return TurnShell(
            host=acting.host,
            shells=acting.shell,
            hidden=hidden,
            acting=self,
            turn=run,
            ask=self.checker.put,
        )

    def saving_first(self, run: Run, hidden: HiddenFiles | None) -> SavingFirst:
        """Saves documents before each command of a run; `hidden` ones are not named."""
        return SavingFirst(self.saving, hidden, run, self.mode is Mode.PLAN)

    def _policy(self) -> Policy:
        return self._acting.policy(session_id=self._session.id)


def _finished(title: str, undone: Undone, left: int) -> str:
    count = len(undone.restored) + len(undone.removed)
    stay = f" {left:,} files stay, as they have changed since." if left else ""
    return (
        f"An undo in “{title}” was cut off when Glossator was ended, and is finished now: {count:,}"
        f" files are as they were before.{stay} Redo makes the changes again."
    )


@dataclass(frozen=True, slots=True)
class TurnFiles:
    """Keeps the files that one run changes as they were, and has them saved."""

    acting: SessionActing
    run: Run
    quarantine: Quarantine

    async def before(self, paths: Iterable[str]) -> None:
        """Keep files that are about to be changed."""
        self.run.check()
        paths = tuple(paths)
        self.quarantine.allow(paths)  # a job that runs meanwhile does not make them
        for problem in await self.acting.checkpoints.before(self.run.id, paths):
            self.run.emit(
                Notice(f"{shown(problem.path)} {problem.reason}, so undo will not restore it.")
            )

    async def after(self, changed: Mapping[str, str | None], untouched: Iterable[str]) -> None:
        """Note what became of them; see `Checkpointing`."""
        await self.acting.checkpoints.after(self.run.id, changed, untouched)
        if changed:
            unsaved = await self.acting.saving.save(self.run.id, changed)
            await self.acting.unsaved.left(self.run.id, unsaved)


@contextmanager
def while_folders_stand(host: WorkspaceHost, run: Run) -> Iterator[None]:
    """Look at the folders whenever something changes, and whenever the run is about to act."""
    found = {root: folder_identity(root) for root in host.roots}
    known = {root: each for root, each in found.items() if each is not None}

    def check() -> None:
        for root in host.roots:
            if root in known and folder_identity(root) != known[root]:
                raise UsageError(_GONE.format(shown(root)))

    def look(_changed: AbstractSet[str]) -> None:
        try:
            check()
        except UsageError as gone:
            run.fail(gone)

    def check_before_acting() -> None:
        look(frozenset())
        check()

    run.check = check_before_acting
    unsubscribe = host.subscribe(look)
    try:
        yield
    finally:
        unsubscribe()
