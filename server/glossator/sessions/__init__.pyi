from .agents import AgentBegun, AgentSaid, PersistedAgent, Reported, Transcript, agents_in
from .catalog import ListedSession, Sessions
from .export import event_of, message_parts, questions, replay_events, to_json, to_markdown
from .records import UNTITLED, Spent
from .runs import Run, Runs
from .session import Session, title_of
from .state import Account, AskedRun, add_up, standing

__all__ = [
    "UNTITLED",
    "Account",
    "AgentBegun",
    "AgentSaid",
    "AskedRun",
    "ListedSession",
    "PersistedAgent",
    "Reported",
    "Run",
    "Runs",
    "Session",
    "Sessions",
    "Spent",
    "Transcript",
    "add_up",
    "agents_in",
    "event_of",
    "message_parts",
    "questions",
    "replay_events",
    "standing",
    "title_of",
    "to_json",
    "to_markdown",
]
