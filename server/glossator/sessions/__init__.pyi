from .compaction.compaction import CarriedState, Compacted, Compactor, NoGain
from .compaction.kept import KeptTools, calls_in
from .compaction.mending import Mending
from .compaction.own_texts import MODES, TEXTS, mode_notice, prompt_of, words_of_user
from .compaction.summary import Changed, PromptPrefix, Section, Summary, extracted, summarise
from .export import (
    agent_to_markdown,
    agents_of,
    output_in,
    output_of,
    questions_asked,
    replay_events,
    run_ids,
    to_json,
    to_markdown,
)
from .records import UNTITLED, AgentConversation, ModelCall, PersistedAgent, Record
from .runs import Run, RunClock, Runs, SteeredWords
from .session import Reminders, Session
from .sessions import ANOTHER, ListedSession, Sessions
from .state import (
    EDITOR_STATE,
    FACTS,
    INSTRUCTIONS,
    MEMORIES,
    Account,
    AskedRun,
    RunFigures,
    run_figures,
    session_state,
)

__all__ = [
    "ANOTHER",
    "EDITOR_STATE",
    "FACTS",
    "INSTRUCTIONS",
    "MEMORIES",
    "MODES",
    "TEXTS",
    "UNTITLED",
    "Account",
    "AgentConversation",
    "AskedRun",
    "CarriedState",
    "Changed",
    "Compacted",
    "Compactor",
    "KeptTools",
    "ListedSession",
    "Mending",
    "ModelCall",
    "NoGain",
    "PersistedAgent",
    "PromptPrefix",
    "Record",
    "Reminders",
    "Run",
    "RunClock",
    "RunFigures",
    "Runs",
    "Section",
    "Session",
    "Sessions",
    "SteeredWords",
    "Summary",
    "agent_to_markdown",
    "agents_of",
    "calls_in",
    "extracted",
    "mode_notice",
    "output_in",
    "output_of",
    "prompt_of",
    "questions_asked",
    "replay_events",
    "run_figures",
    "run_ids",
    "session_state",
    "summarise",
    "to_json",
    "to_markdown",
    "words_of_user",
]
