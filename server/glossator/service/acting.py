"""What lets the tools of a run act: permission, edits, the shell, checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import platformdirs

from glossator.agent.permissions.gate import Gate
from glossator.agent.permissions.grants import Grants
from glossator.agent.permissions.hidden import HiddenFiles
from glossator.agent.permissions.policy import Mode, Places, Policy, Rules
from glossator.core.events import Notice
from glossator.core.ports import EditorPort
from glossator.service.checkpoint_store import CheckpointStore
from glossator.service.checkpoints import Checkpoints
from glossator.service.editing import PlanEditing
from glossator.service.editor_files import EditorFiles
from glossator.service.file_states import DiskFiles
from glossator.service.runs import Run
from glossator.service.session import Session
from glossator.service.trust import Trust
from glossator.service.trust_question import TrustQuestion
from glossator.service.turn_shell import TurnShell
from glossator.service.unsaved import Saving, SavingFirst
from glossator.service.workspace_shell import WorkspaceShell
from glossator.settings.model import Settings
from glossator.tools.shell.context import ShellContext
from glossator.tools.shell.shell import LimitedShell
from glossator.workspace.host import WorkspaceHost
from glossator.workspace.snapshot import WorkspaceSnapshot

_CHECKPOINTS = "checkpoints.db"


class Acting:
    """One for each application; what it makes for a session lasts as long as the server."""

    def __init__(
        self,
        host: WorkspaceHost,
        port: EditorPort,
        settings: Settings,
        environment: Mapping[str, str],
        trusted: bool | None = None,
    ) -> None:
        self.mode = Mode(settings.permissions.mode)
        self.shell = WorkspaceShell(settings.shell, environment)
        trust = Trust(port.tell)
        if trusted:
            trust.trust_for_session(host.snapshot().roots)
        self._trust = TrustQuestion(trust, lambda: host.snapshot().roots, port.ask_user, trusted)
        self._host = host
        self._port = port
        self._disk = DiskFiles(lambda: host.roots)
        self._settings = settings
        self._gates: dict[str, Gate] = {}
        self._grants: dict[tuple[str, tuple[str, ...]], Grants] = {}
        self._hidden: tuple[tuple[str, ...], HiddenFiles | None] | None = None
        self._checkpoints: dict[str, Checkpoints] = {}
        self._store: CheckpointStore | None = None
        rules = settings.permissions
        self._rules = Rules.parse(rules.deny, rules.ask, rules.allow)

    def gate(self, session: Session) -> Gate:
        """Who decides about the calls of a session."""
        if session.id not in self._gates:
            self._gates[session.id] = Gate(
                self._policy,
                partial(self._grants_of, session),
                self._port.ask_permission,
                self._limited,
                self._trust.refusal,
                self._reviews,
            )
        return self._gates[session.id]

    def granted(self, session: Session) -> tuple[str, ...]:
        """What the user allowed in a session, as rules."""
        gate = self._gates.get(session.id)
        return tuple(map(str, gate.grants().rules.allow)) if gate else ()

    def hidden(self) -> HiddenFiles | None:
        """Which files rules keep from being shown; None where none do."""
        return self._hidden_in(self._host.snapshot().roots)

    def checkpoints(self, session: Session) -> Checkpoints:
        """What the turns of a session found in the files they changed."""
        if session.id not in self._checkpoints:
            if self._store is None:
                folder = Path(platformdirs.user_state_dir("glossator"))
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._store = CheckpointStore(str(folder / _CHECKPOINTS))
            files = EditorFiles(self._host, self._port, self._disk)
            self._checkpoints[session.id] = Checkpoints(self._store, session, files, self._disk)
        return self._checkpoints[session.id]

    def editing(self, session: Session, run: Run) -> PlanEditing:
        """Who applies the plans of a run."""
        kept = TurnFiles(self.checkpoints(session), run)
        waiting = run.clock.waiting
        return PlanEditing(self._host, self._port, run.emit, kept, self._reviews, waiting)

    def commands(self, session: Session, run: Run) -> ShellContext:
        """Who runs the commands of a run."""
        return TurnShell(self._host, self.shell, self.hidden(), self.checkpoints(session), run)

    def saving(self, session: Session) -> Saving:
        """Who saves what the turns of a session left unsaved."""
        return Saving(self._host, self._port, self._disk, self.checkpoints(session))

    def saving_first(self, session: Session, run: Run) -> SavingFirst:
        """What is done before each command of a run."""
        return SavingFirst(self.saving(session), self.hidden(), run)

    async def close(self) -> None:
        """End all jobs."""
        await self.shell.close()
        if self._store is not None:
            await self._store.close()

    @property
    def _reviews(self) -> bool:
        return self._settings.edits.review == "propose"

    def _grants_of(self, session: Session) -> Grants:
        """What was answered about the folders that are open now: it holds for no other folder."""
        roots = self._host.snapshot().roots
        if (session.id, roots) not in self._grants:
            self._grants[session.id, roots] = Grants(roots, self._port.tell)
        return self._grants[session.id, roots]

    def _hidden_in(self, roots: tuple[str, ...]) -> HiddenFiles | None:
        if (known := self._hidden) is None or known[0] != roots:
            policy = Policy(self.mode, Places.of(roots), user=self._rules)
            self._hidden = known = roots, HiddenFiles.of(policy)
        return known[1]

    def _limited(self, snapshot: WorkspaceSnapshot) -> LimitedShell:
        return self.shell.limited(snapshot, self._hidden_in(snapshot.roots))

    def _policy(self) -> Policy:
        return Policy(self.mode, Places.of(self._host.snapshot().roots), user=self._rules)


@dataclass(frozen=True, slots=True)
class TurnFiles:
    """Keeps the files that one run changes as they were."""

    checkpoints: Checkpoints
    run: Run

    async def before(self, paths: Iterable[str]) -> None:
        """They are about to be changed."""
        for problem in await self.checkpoints.before(self.run.id, paths):
            self.run.emit(Notice(f"{problem.path} {problem.reason}, so undo will not restore it."))

    async def after(self, paths: Iterable[str]) -> None:
        """They were."""
        await self.checkpoints.after(self.run.id, paths)
