"""The settings of models: which are asked, where, and what they cost."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glossator.settings.groups import Group, OptionalText

Backend = Literal["anthropic", "bedrock", "vertex", "foundry"]
Profile = Literal["anthropic", "llama.cpp", "ollama", "lmstudio", "vllm", "litellm"]
Effort = Literal["low", "medium", "high", "xhigh", "max"]


class RoleSettings(Group):
    """Which model plays a role, and how hard it thinks."""

    model: str = Field(description="Name the model as the provider does.")
    effort: Effort | None = Field(
        None,
        description=(
            "Set how hard it thinks, where the server takes that and the model's own"
            " default does not suit you."
        ),
    )
    window: int | None = Field(
        None,
        ge=1_000,
        description="Set the context window in tokens, where the server does not say it.",
    )


class PriceSettings(Group):
    """US dollars for a million tokens."""

    input: float = Field(ge=0, description="Of input that is in no cache.")
    output: float = Field(ge=0, description="Of output.")


class ModelSettings(Group):
    """Which models are asked, and where."""

    offline: bool = Field(
        False, description="Never ask a model, and answer with extracts of your files only."
    )
    backend: Backend = Field(
        "anthropic",
        description=(
            "Choose the service that hosts the models: Anthropic, or your own account"
            " at Amazon Bedrock, Google Vertex AI or Microsoft Foundry."
        ),
    )
    base_url: OptionalText = Field(
        None,
        description=(
            "Send requests to this address instead of the provider's, such as"
            " http://127.0.0.1:11434 for Ollama on this machine."
        ),
    )
    profile: Profile = Field(
        "anthropic",
        description=(
            "Say which program answers at the base URL, so that it is sent only what it"
            " understands."
        ),
    )
    region: OptionalText = Field(
        None, description="Name the cloud region of your models at Bedrock or Vertex."
    )
    project: OptionalText = Field(
        None, description="Name your Google Cloud project for Vertex, or your resource for Foundry."
    )
    main: RoleSettings = Field(
        RoleSettings(model="claude-sonnet-5-5"),
        description="Choose the model that answers, edits and compacts, and how hard it thinks.",
    )
    fast: RoleSettings = Field(
        RoleSettings(model="claude-haiku-5-5"),
        description="Choose the quicker model that explores, recalls and judges.",
    )
    cache: Literal["5m", "1h-system", "1h"] = Field(
        "5m",
        description=(
            "Choose how long the provider keeps the prompt, which makes it cheaper to"
            " read again: all of it, or only its start (1h-system)."
        ),
    )
    thinking: Literal["summarized", "omitted"] = Field(
        "summarized", description="Choose whether you are shown summaries of the model's thinking."
    )
    prices: dict[str, PriceSettings] = Field(
        {},
        description=(
            "Give prices in dollars for a million tokens, by model, where they are not"
            " the list prices."
        ),
    )
    images: bool | None = Field(
        None,
        description=(
            "Say whether the models see images, where what is known of the server is wrong."
        ),
    )
    max_retries: int = Field(
        4,
        ge=0,
        le=20,
        description="Try a request again at most so many times after a passing failure.",
    )
    max_retry_wait: float = Field(
        60, gt=0, description="Wait at most so many seconds before one retry."
    )
