from .backends import why_unreachable
from .catalog import ModelFacts, effort_problems, facts_of, profile_of
from .conversation import Conversation, repair_messages, tool_answers, user_message, whole_reply
from .meter import Meter, Purpose, Spending, SpendingLimit, price_in_words
from .model import (
    ContentBlock,
    Message,
    Model,
    ModelEvent,
    ModelRequest,
    Reply,
    ReplyUsage,
    RetryWait,
    StopReason,
    TextPiece,
    ThinkingPiece,
    ToolCall,
    ToolReady,
    ToolSpec,
)
from .models import OFFLINE, Models, describe_models
from .request import CacheLifetime, ModelOptions

__all__ = [
    "OFFLINE",
    "CacheLifetime",
    "ContentBlock",
    "Conversation",
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
    "ReplyUsage",
    "RetryWait",
    "Spending",
    "SpendingLimit",
    "StopReason",
    "TextPiece",
    "ThinkingPiece",
    "ToolCall",
    "ToolReady",
    "ToolSpec",
    "describe_models",
    "effort_problems",
    "facts_of",
    "price_in_words",
    "profile_of",
    "repair_messages",
    "tool_answers",
    "user_message",
    "whole_reply",
    "why_unreachable",
]
