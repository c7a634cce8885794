from .agents import AgentConversation, PersistedAgent
from .catalog import ListedSession, Sessions
from .export import (
    agent_to_markdown,
    agents_of,
    output_in,
    output_of,
    questions_asked,
    replay_events,
    to_json,
    to_markdown,
)
from .figures import RunFigures, run_figures
from .records import ModelCall, Record
from .run_clock import RunClock
from .runs import Run, Runs
from .session import Session
from .state import EDITOR_STATE, FACTS, INSTRUCTIONS, MEMORIES, Account, AskedRun, session_state
from .steering import SteeredWords

__all__ = [
    "EDITOR_STATE",
    "FACTS",
    "INSTRUCTIONS",
    "MEMORIES",
    "Account",
    "AgentConversation",
    "AskedRun",
    "ListedSession",
    "ModelCall",
    "PersistedAgent",
    "Record",
    "Run",
    "RunClock",
    "RunFigures",
    "Runs",
    "Session",
    "Sessions",
    "SteeredWords",
    "agent_to_markdown",
    "agents_of",
    "output_in",
    "output_of",
    "questions_asked",
    "replay_events",
    "run_figures",
    "session_state",
    "to_json",
    "to_markdown",
]
