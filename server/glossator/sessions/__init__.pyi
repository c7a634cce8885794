from .agents import AgentConversation, PersistedAgent
from .catalog import ListedSession, Sessions
from .export import (
    agent_to_markdown,
    agents_of,
    questions_asked,
    replay_events,
    to_json,
    to_markdown,
)
from .records import ModelCall
from .runs import Run, Runs
from .session import Session
from .state import EDITOR_STATE, INSTRUCTIONS, MEMORIES, Account, AskedRun, session_state

__all__ = [
    "EDITOR_STATE",
    "INSTRUCTIONS",
    "MEMORIES",
    "Account",
    "AgentConversation",
    "AskedRun",
    "ListedSession",
    "ModelCall",
    "PersistedAgent",
    "Run",
    "Runs",
    "Session",
    "Sessions",
    "agent_to_markdown",
    "agents_of",
    "questions_asked",
    "replay_events",
    "session_state",
    "to_json",
    "to_markdown",
]
