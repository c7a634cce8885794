"""Opens the ledger as the settings have it."""

from __future__ import annotations

from collections.abc import Mapping

from glossator.anchors import AnchorIndex
from glossator.application.acting import Acting
from glossator.core.ports import EditorPort
from glossator.ledger import MAX_BYTES, Ledger, LedgerFiles, SystemProfile, TeamLedger
from glossator.settings import Settings
from glossator.store import RedisStore, Retention
from glossator.workspace import WorkspaceHost


def open_ledger(
    settings: Settings,
    environment: Mapping[str, str],
    host: WorkspaceHost,
    anchors: AnchorIndex,
    acting: Acting,
    port: EditorPort,
) -> Ledger:
    """Nothing is read yet. With facts turned off, nothing is kept or found."""
    files = LedgerFiles(Retention(**settings.sessions.model_dump()), port.tell)
    team = None
    if (url := settings.store.url) and settings.facts.enabled and settings.facts.shared:
        redis = RedisStore(url, environment, MAX_BYTES)
        team = TeamLedger(redis, files, port.tell, lambda: acting.trust.is_trusted)
    most = settings.facts.most if settings.facts.enabled else 0
    profile = SystemProfile(**settings.profile.model_dump())
    ledger = Ledger(host, anchors, files, most, acting.hides, team, profile)
    ledger.subscribe(lambda _: port.context_changed())
    return ledger
