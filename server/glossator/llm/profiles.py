"""What the server behind the base URL understands: one frozen profile per kind of server.

Servers that only imitate the Messages API refuse, or quietly misread, fields they do not know, so
those fields are not sent to them. Missing usage and signatures are tolerated from every server.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

from glossator.llm.model import Block, Message
from glossator.prompts import load_prompt
from glossator.settings import ModelSettings, Profile


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """Which features a request may use, and whether the server tells its models' limits.

    `tool_search`: deferred tools. `cache_diagnostics`: it says why its prompt cache was missed.
    `images`: whatever model it serves, as far as is known, sees them.
    """

    name: Profile
    cache_control: bool = False
    thinking: bool = False
    effort: bool = False
    citations: bool = False
    search_results: bool = False
    model_limits: bool = False
    tool_search: bool = False
    cache_diagnostics: bool = False
    images: bool = False


PROFILES: dict[Profile, ProviderProfile] = {
    profile.name: profile
    for profile in (
        ProviderProfile(
            "anthropic",
            cache_control=True,
            thinking=True,
            effort=True,
            citations=True,
            search_results=True,
            model_limits=True,
            tool_search=True,
            cache_diagnostics=True,
            images=True,
        ),
        ProviderProfile("llama.cpp"),
        ProviderProfile("ollama"),
        ProviderProfile("lmstudio"),
        ProviderProfile("vllm", images=True),
        ProviderProfile("litellm", search_results=True, images=True),
    )
}


def profile_of(settings: ModelSettings) -> ProviderProfile:
    """The profile that the settings name, less what only the provider's own service offers."""
    profile = PROFILES[settings.profile]
    if settings.images is not None:
        profile = replace(profile, images=settings.images)
    if settings.backend == "anthropic":
        return profile
    return replace(profile, model_limits=False, tool_search=False, cache_diagnostics=False)


def adapt(messages: Sequence[Message], profile: ProviderProfile) -> list[Message]:
    """The messages in the blocks that the server knows; a message without others is the same."""
    if profile.citations and profile.search_results and profile.images:
        return list(messages)
    return [_adapt_message(message, profile) for message in messages]


def _adapt_message(message: Message, profile: ProviderProfile) -> Message:
    content = _adapt_blocks(message["content"], profile)
    if content is message["content"]:
        return message
    return {"role": message["role"], "content": content}


def _adapt_blocks(blocks: list[Block], profile: ProviderProfile) -> list[Block]:
    adapted = [_adapt_block(block, profile) for block in blocks]
    return blocks if all(map(operator.is_, adapted, blocks)) else adapted


def _adapt_block(block: Block, profile: ProviderProfile) -> Block:
    inner = block.get("content")
    if block.get("type") == "tool_result" and isinstance(inner, list):
        content = _adapt_blocks(inner, profile)
        return block if content is inner else {**block, "content": content}
    if block.get("type") == "image" and not profile.images:
        return {"type": "text", "text": load_prompt("user/unseen").render()}
    if block.get("type") != "search_result":
        return block
    if profile.search_results:
        return {key: value for key, value in block.items() if key != "citations"}
    passages = (passage["text"] for passage in block["content"])
    return {"type": "text", "text": "\n".join((f"{block['title']} ({block['source']})", *passages))}
