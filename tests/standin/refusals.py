"""How providers, gateways and servers of one's own word what they refuse.

Each row is a status and a body as users report it. `{at}` is the place of the part that is refused,
`{tokens}` and `{limit}` are figures of what is too long.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wording:
    """A refusal in a server's own words; `body` is JSON, or the message in Anthropic's form."""

    status: int
    body: str

    def say(self, **values: object) -> Json:
        """The body of the response, with the values filled in."""
        text = self.body
        for name, value in values.items():
            text = text.replace("{" + name + "}", str(value))
        if not text.startswith("{"):
            return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
        found: Json = json.loads(text)
        return found


TOO_LONG: Mapping[str, Wording] = {
    "anthropic": Wording(400, "prompt is too long: {tokens} tokens > {limit} maximum"),
    "anthropic, with the reply": Wording(
        400,
        "input length and `max_tokens` exceed context limit: {tokens} + 32000 > {limit}, decrease"
        " input length or `max_tokens` and try again",
    ),
    "anthropic, bytes": Wording(
        413,
        '{"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the'
        ' maximum size"}}',
    ),
    "bedrock": Wording(400, '{"message": "Input is too long for requested model."}'),
    "bedrock, quoting": Wording(
        400,
        '{"message": "The model returned the following errors: prompt is too long: {tokens} tokens'
        ' > {limit} maximum"}',
    ),
    "vertex": Wording(
        400,
        '{"error": {"code": 400, "message": "The input token count ({tokens}) exceeds the maximum'
        ' number of tokens allowed ({limit}).", "status": "INVALID_ARGUMENT"}}',
    ),
    "vertex, quoting": Wording(
        400,
        r'{"error": {"code": 400, "message": "{\"type\":\"error\",\"error\":{\"type\":'
        r"\"invalid_request_error\",\"message\":\"Prompt is too long\"}}"
        '", "status": "INVALID_ARGUMENT"}}',
    ),
    "vllm": Wording(
        400,
        '{"error": {"message": "This model\'s maximum context length is {limit} tokens. However,'
        " you requested {tokens} tokens ({tokens} in the messages, 8000 in the completion). Please"
        ' reduce the length of the messages or completion.", "type": "BadRequestError"}}',
    ),
    "vllm, prompt": Wording(
        400,
        '{"error": {"message": "The decoder prompt (length {tokens}) is longer than the maximum'
        ' model length of {limit}. Make sure that max_model_len is no smaller.", "code": 400}}',
    ),
    "llama.cpp": Wording(
        400,
        '{"error": {"code": 400, "message": "request ({tokens} tokens) exceeds the available'
        ' context size ({limit} tokens), try increasing it", "type": "exceed_context_size_error",'
        ' "n_prompt_tokens": {tokens}, "n_ctx": {limit}}}',
    ),
    "llama.cpp, older": Wording(
        500,
        '{"error": {"code": 500, "message": "the request exceeds the available context size. try'
        ' increasing the context size or enable context shift", "type":'
        ' "exceed_context_size_error", "n_ctx": {limit}}}',
    ),
    "llama.cpp, while it decodes": Wording(
        500,
        '{"error": {"code": 500, "message": "Context size has been exceeded.", "type":'
        ' "server_error"}}',
    ),
    "ollama": Wording(
        400, '{"error": "prompt too long; exceeded max context length by 4096 tokens"}'
    ),
    "ollama, input": Wording(400, '{"error": "the input length exceeds the context length"}'),
    "lmstudio": Wording(
        400,
        '{"error": "The number of tokens to keep from the initial prompt is greater than the'
        " context length (n_keep: {tokens}>= n_ctx: {limit}). Try to load the model with a larger"
        ' context length, or provide a shorter input."}',
    ),
    "lmstudio, keeping": Wording(
        400,
        '{"error": "Trying to keep the first {tokens} tokens when context the overflows. However,'
        " the model is loaded with context length of only {limit} tokens, which is not enough. Try"
        ' to load the model with a larger context length, or provide a shorter input."}',
    ),
    "litellm": Wording(
        400,
        r'{"error": {"message": "litellm.ContextWindowExceededError: litellm.BadRequestError:'
        r" AnthropicException - {\"type\":\"error\",\"error\":{\"message\":\"prompt is too long:"
        r' {tokens} tokens > {limit} maximum\"}}", "type": null, "param": null, "code": "400"}}',
    ),
    "openrouter": Wording(
        400,
        '{"error": {"message": "This endpoint\'s maximum context length is {limit} tokens. However,'
        " you requested about {tokens} tokens ({tokens} of text input). Please reduce the length of"
        ' either one, or use the middle-out transform.", "code": 400}}',
    ),
    "openrouter, quoting": Wording(
        400,
        r'{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw":'
        r' "{\"message\":\"Input is too long for requested model.\"}", "provider_name": "Amazon'
        r' Bedrock"}}}',
    ),
    "no words": Wording(400, '{"error": "bad request"}'),
    "a proxy": Wording(413, '{"message": "Request Entity Too Large"}'),
}
SIGNATURES: Mapping[str, Wording] = {
    "anthropic": Wording(400, "{at}: Invalid `signature` in `thinking` block"),
    "bedrock": Wording(400, '{"message": "{at}: Invalid signature in thinking block"}'),
    "bedrock, missing": Wording(
        400,
        '{"type": "error", "error": {"type": "ValidationException", "message": "The model returned'
        ' the following errors: {at}.thinking.signature: Field required"}}',
    ),
    "vertex": Wording(
        400,
        r'{"error": {"code": 400, "message": "{\"type\":\"error\",\"error\":{\"message\":\"{at}:'
        r' Invalid `signature` in `thinking` block\"}}", "status": "INVALID_ARGUMENT"}}',
    ),
    "openrouter": Wording(
        400,
        r'{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw":'
        r' "{\"message\":\"{at}: Invalid signature in thinking block\"}"}}}',
    ),
    "altered": Wording(
        400,
        "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be"
        " modified. These blocks must remain as they were in the original response.",
    ),
}
IMAGES: Mapping[str, Wording] = {
    "nowhere": Wording(400, "Could not process image"),
    "cut off": Wording(400, "{at}.image.source.base64: Could not process image"),
    "wrong kind": Wording(
        400,
        "{at}.image.source.base64.data: The image was specified using the image/png media type, but"
        " the image appears to be a image/jpeg image",
    ),
    "no base64": Wording(400, "{at}.image.source.base64: invalid base64 data"),
    "bytes": Wording(
        400, "{at}.image.source.base64: image exceeds 5 MB maximum: 6912345 bytes > 5242880 bytes"
    ),
    "pixels": Wording(
        400,
        "{at}.image.source.base64.data: At least one of the image dimensions exceed max allowed"
        " size: 8000 pixels",
    ),
}
DOCUMENTS: Mapping[str, Wording] = {
    "nowhere": Wording(400, "Could not process PDF"),
    "cut off": Wording(400, "{at}.document.source.base64.data: The PDF specified was not valid."),
    "locked": Wording(400, "{at}.pdf.source.base64.data: The PDF is password protected."),
    "pages": Wording(
        400, "{at}.pdf.source.base64.data: A maximum of 100 PDF pages may be provided."
    ),
}
TOO_MANY: Mapping[str, Wording] = {
    "images": Wording(400, "too many images and documents: 104 + 1 > 100"),
    "media": Wording(400, "Too much media: 0 document pages + 103 images > 100"),
    "large ones": Wording(
        400,
        "{at}.image.source.base64.data: At least one of the image dimensions exceed max allowed"
        " size for many-image requests: 2000 pixels",
    ),
    "vllm": Wording(400, '{"error": {"message": "At most 4 image(s) may be provided in one"}}'),
}
BLIND: Mapping[str, Wording] = {
    "llama.cpp": Wording(
        500,
        '{"error": {"code": 500, "message": "image input is not supported - hint: if this is'
        ' unexpected, you may need to provide the mmproj", "type": "server_error"}}',
    ),
    "vllm": Wording(400, '{"error": {"message": "some-model is not a multimodal model"}}'),
    "openrouter": Wording(
        404, '{"error": {"message": "No endpoints found that support image input", "code": 404}}'
    ),
}
PARTS: Mapping[str, Wording] = {
    "field": Wording(400, "{at}.citations: Extra inputs are not permitted"),
    "empty": Wording(400, "{at}: text content blocks must be non-empty"),
    "citations": Wording(400, "{at}.citations: not supported in user messages as of 2026-10-21"),
    "search results": Wording(400, "{at}.content: at least one text block is required"),
    "mixed": Wording(400, "{at}.content: `search_result` blocks cannot be mixed with other types"),
    "unanswered": Wording(
        400,
        "{at}: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
    ),
    "stray": Wording(400, "{at}: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9"),
    "order": Wording(400, "{at}: `tool_result` blocks must come before all other content"),
    "twice": Wording(400, "{at}.id: `tool_use` ids must be unique"),
    "system role": Wording(
        400, "{at}: a `system` message must follow a user turn and be last or be followed"
    ),
    "role": Wording(400, "{at}: `search_result` blocks are not allowed in assistant messages"),
    "fastapi": Wording(
        422, '{"detail": [{"loc": "body, {at}", "msg": "Input should be a valid dictionary"}]}'
    ),
}
ANYWHERE: Mapping[str, Wording] = {
    "no reason": Wording(400, '{"error": "bad request"}'),
    "prefill": Wording(
        400,
        "This model does not support assistant message prefill. The conversation must end with a"
        " user message.",
    ),
    "several results": Wording(400, "each `tool_use` must have a single result; toolu_1 has 2"),
    "a template": Wording(400, '{"error": {"message": "Jinja Exception: Conversation roles"}}'),
}
OPTIONS: Mapping[str, Wording] = {
    "diagnostics": Wording(400, "diagnostics: Extra inputs are not permitted"),
    "thinking": Wording(400, "thinking.type: `adaptive` is not supported"),
    "thinking, openai": Wording(
        400, '{"error": {"message": "Unrecognized request argument supplied: thinking"}}'
    ),
    "cache_control": Wording(
        400, "A maximum of 4 blocks with cache_control may be provided. Found 5."
    ),
    "cache_control, order": Wording(
        400, "{at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'"
    ),
    "tools": Wording(400, "tools.{tool}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
    "tools, schema": Wording(
        400, "tools.{tool}.custom.input_schema: property 'minimum' is not supported"
    ),
    "max_tokens": Wording(
        400,
        "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for this"
        " model",
    ),
}
