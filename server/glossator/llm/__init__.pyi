from .catalog import ModelFacts, facts_of
from .choice import OFFLINE, Models
from .conversation import Conversation, tool_answers, user_message, whole_reply
from .cost import Spending, in_words
from .effort import effort_problems
from .factory import describe
from .history import repaired
from .meter import Budget, Meter, Purpose
from .model import (
    Block,
    EncodedRequest,
    Message,
    Model,
    ModelEvent,
    ModelRequest,
    Reply,
    RetryWait,
    StopReason,
    Taken,
    TextPiece,
    ThinkingPiece,
    ToolCall,
    ToolReady,
    ToolSpec,
)
from .options import CacheLifetime, ModelOptions
from .profiles import profile_of
from .reach import why_unreachable

__all__ = [
    "OFFLINE",
    "Block",
    "Budget",
    "CacheLifetime",
    "Conversation",
    "EncodedRequest",
    "Message",
    "Meter",
    "Model",
    "ModelEvent",
    "ModelFacts",
    "ModelOptions",
    "ModelRequest",
    "Models",
    "Purpose",
    "Reply",
    "RetryWait",
    "Spending",
    "StopReason",
    "Taken",
    "TextPiece",
    "ThinkingPiece",
    "ToolCall",
    "ToolReady",
    "ToolSpec",
    "describe",
    "effort_problems",
    "facts_of",
    "in_words",
    "profile_of",
    "repaired",
    "tool_answers",
    "user_message",
    "whole_reply",
    "why_unreachable",
]
