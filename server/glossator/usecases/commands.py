"""The one table of commands; editors, the palette and the terminal are all served from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from glossator.application.application import Application
from glossator.usecases.actions import ACTIONS, EXPLORE_USAGE
from glossator.usecases.agents import ListAgentsRequest, ShowAgentRequest, list_agents, show_agent
from glossator.usecases.ask import AskRequest, ask
from glossator.usecases.cancel import CancelRequest, cancel
from glossator.usecases.compact import CompactRequest, compact_session
from glossator.usecases.complete import CompleteRequest, complete
from glossator.usecases.doctor import DoctorRequest, doctor
from glossator.usecases.explore import ExploreRequest
from glossator.usecases.explore_place import explore_place
from glossator.usecases.explore_usage import explore_usage
from glossator.usecases.gloss import GlossRequest, gloss
from glossator.usecases.index import IndexRequest, rebuild_index
from glossator.usecases.mode import SetModeRequest, set_mode
from glossator.usecases.models import ListModelsRequest, SetModelRequest, list_models, set_model
from glossator.usecases.on_lines import LinesRequest, act_on_lines
from glossator.usecases.overview import OverviewRequest, explore_workspace
from glossator.usecases.plan import StartPlanRequest, start_plan
from glossator.usecases.reports import ShowGlossRequest, show_gloss
from glossator.usecases.retry import RetryRequest, retry
from glossator.usecases.rewind import RewindRequest, rewind
from glossator.usecases.rules import ListRulesRequest, RemoveRuleRequest, list_rules, remove_rule
from glossator.usecases.search import SearchRequest, search
from glossator.usecases.sessions import (
    DeleteSessionRequest,
    ExportSessionRequest,
    ListSessionsRequest,
    NewSessionRequest,
    RenameSessionRequest,
    ResumeSessionRequest,
    delete_session,
    export_session,
    list_sessions,
    new_session,
    rename_session,
    resume_session,
)
from glossator.usecases.show_context import ShowContextRequest, show_context
from glossator.usecases.status import StatusRequest, status
from glossator.usecases.tool import ToolRequest, tool
from glossator.usecases.undo import (
    ListTurnsRequest,
    RedoRequest,
    UndoRequest,
    list_turns,
    redo_turn,
    undo_turn,
)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `run` takes an instance of `request` and gives a frozen dataclass.

    `shows_progress` is true for commands worth a progress bar in the editor.
    """

    title: str
    request: type[Any]
    run: Callable[[Application, Any], Awaitable[Any]]
    shows_progress: bool = False


COMMANDS: Mapping[str, Command] = {
    "glossator.ask": Command("Ask", AskRequest, ask, shows_progress=True),
    **{
        action.command: Command(
            action.title, LinesRequest, partial(act_on_lines, action), shows_progress=True
        )
        for action in ACTIONS
    },
    EXPLORE_USAGE.command: Command(
        EXPLORE_USAGE.title, LinesRequest, explore_usage, shows_progress=True
    ),
    "glossator.gloss": Command("Gloss", GlossRequest, gloss, shows_progress=True),
    "glossator.showGloss": Command("Show gloss", ShowGlossRequest, show_gloss),
    "glossator.exploreWorkspace": Command(
        "Explore workspace", OverviewRequest, explore_workspace, shows_progress=True
    ),
    "glossator.explore": Command("Explore", ExploreRequest, explore_place, shows_progress=True),
    "glossator.listAgents": Command("List sub-agents", ListAgentsRequest, list_agents),
    "glossator.showAgent": Command("Show sub-agent", ShowAgentRequest, show_agent),
    "glossator.complete": Command("Complete", CompleteRequest, complete),
    "glossator.search": Command("Search", SearchRequest, search, shows_progress=True),
    "glossator.tool": Command("Run a tool", ToolRequest, tool),
    "glossator.cancel": Command("Cancel", CancelRequest, cancel),
    "glossator.newSession": Command("New session", NewSessionRequest, new_session),
    "glossator.listSessions": Command("List sessions", ListSessionsRequest, list_sessions),
    "glossator.resumeSession": Command("Resume session", ResumeSessionRequest, resume_session),
    "glossator.renameSession": Command("Rename session", RenameSessionRequest, rename_session),
    "glossator.deleteSession": Command("Delete session", DeleteSessionRequest, delete_session),
    "glossator.exportSession": Command("Export session", ExportSessionRequest, export_session),
    "glossator.compact": Command("Compact", CompactRequest, compact_session),
    "glossator.showContext": Command("Show context", ShowContextRequest, show_context),
    "glossator.rewind": Command("Go back", RewindRequest, rewind),
    "glossator.retry": Command("Ask again", RetryRequest, retry, shows_progress=True),
    "glossator.undoTurn": Command("Undo turn", UndoRequest, undo_turn),
    "glossator.redoTurn": Command("Redo turn", RedoRequest, redo_turn),
    "glossator.listTurns": Command("List turns", ListTurnsRequest, list_turns),
    "glossator.startPlan": Command(
        "Start the plan", StartPlanRequest, start_plan, shows_progress=True
    ),
    "glossator.setMode": Command("Set mode", SetModeRequest, set_mode),
    "glossator.listRules": Command("List permission rules", ListRulesRequest, list_rules),
    "glossator.removeRule": Command("Remove permission rule", RemoveRuleRequest, remove_rule),
    "glossator.listModels": Command("List models", ListModelsRequest, list_models),
    "glossator.setModel": Command("Set model", SetModelRequest, set_model),
    "glossator.rebuildIndex": Command("Rebuild index", IndexRequest, rebuild_index),
    "glossator.status": Command("Status", StatusRequest, status),
    "glossator.doctor": Command("Doctor", DoctorRequest, doctor),
}
