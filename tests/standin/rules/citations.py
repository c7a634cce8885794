"""Search results and native citations."""

from tests.standin.content import located_blocks, nested
from tests.standin.errors import Refusal
from tests.standin.rules.call import Call, Located
from tests.standin.rules.headers import VERSION


def no_citations_from_the_user(call: Call) -> None:
    """As of this version a user's text carries no citations, inside a search result either."""
    for path, role, outer in located_blocks(call.body):
        for where, block in nested(path, outer) if role == "user" else ():
            if block.get("type") == "text" and block.get("citations"):
                raise Refusal(f"{where}.citations: not supported in user messages as of {VERSION}")


def search_results(call: Call) -> None:
    """With text in each, alone in their tool result, all cited or none, and not with a format."""
    found = _search_results(call)
    for path, block in found:
        if not block["content"]:
            raise Refusal(f"{path}.content: at least one text block is required")
        for index, part in enumerate(block["content"]):
            if not part["text"]:
                raise Refusal(f"{path}.content.{index}.text: must be non-empty")
    _unmixed_results(call)
    enabled = {block.get("citations", {}).get("enabled", False) for _, block in found}
    if len(enabled) > 1:
        raise Refusal("citations.enabled: must be the same for all `search_result` blocks")
    if True in enabled and call.body.get("output_config", {}).get("format"):
        raise Refusal("output_config.format: not supported together with citations")


def _search_results(call: Call) -> list[Located]:
    located = (part for path, _, block in located_blocks(call.body) for part in nested(path, block))
    return [(path, block) for path, block in located if block.get("type") == "search_result"]


def _unmixed_results(call: Call) -> None:
    for path, _, block in located_blocks(call.body):
        content = block.get("content") if block["type"] == "tool_result" else None
        kinds = {part["type"] for part in content} if isinstance(content, list) else set()
        if "search_result" in kinds and len(kinds) > 1:
            raise Refusal(
                f"{path}.content: `search_result` blocks cannot be mixed with other types"
            )
