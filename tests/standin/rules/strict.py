"""Strict tools and output formats: what their schemas may say, and how many there may be."""

import re
from collections.abc import Iterator
from typing import Any

from tests.standin.errors import Refusal
from tests.standin.rules.call import Call

Json = dict[str, Any]

MOST_TOOLS, MOST_OPTIONAL, MOST_UNIONS = 20, 24, 16
BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
)
DEFINITIONS = ("$defs", "definitions")
KEYWORDS: dict[str, type] = {
    "properties": dict,
    "$defs": dict,
    "definitions": dict,
    "anyOf": list,
    "allOf": list,
    "oneOf": list,
    "required": list,
    "pattern": str,
    "$ref": str,
    "minItems": int,
}
ESCAPE_OR_GROUP = re.compile(r"\\.|\(\?<?[=!]")


def strict_schemas(call: Call) -> None:
    """The limits on each schema that is compiled, and on all of a request's together."""
    schemas = {
        f"tools.{index}.input_schema": tool["input_schema"]
        for index, tool in enumerate(call.body.get("tools", []))
        if tool.get("strict") and "input_schema" in tool
    }
    if len(schemas) > MOST_TOOLS:
        raise Refusal(f"tools: at most {MOST_TOOLS} strict tools; found {len(schemas)}")
    output = call.body.get("output_config", {}).get("format")
    if output:
        schemas["output_config.format.schema"] = output["schema"]
    nodes = [node for path, schema in schemas.items() for node in _nodes(path, schema)]
    for path, schema in schemas.items():
        if _recursive(schema, "#", ()):
            raise Refusal(f"{path}: recursive schemas are not supported")
    for path, node in nodes:
        _no_bounds(path, node)
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            raise Refusal(f"{path}: for 'object' type, 'additionalProperties' must be false")
    optional = sum(len(set(n.get("properties", {})) - set(n.get("required", []))) for _, n in nodes)
    if optional > MOST_OPTIONAL:
        raise Refusal(f"tools: at most {MOST_OPTIONAL} optional parameters; found {optional}")
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for _, node in nodes)
    if unions > MOST_UNIONS:
        raise Refusal(f"tools: at most {MOST_UNIONS} parameters of union type; found {unions}")


def _no_bounds(path: str, node: Json) -> None:
    for name in BOUNDS:
        if name in node:
            raise Refusal(f"{path}: property '{name}' is not supported")
    if node.get("minItems", 0) > 1:
        raise Refusal(f"{path}: property 'minItems' is supported for 0 and 1 only")
    for found in ESCAPE_OR_GROUP.findall(node.get("pattern", "")):
        if found in {r"\b", r"\B"} or found.startswith("(?"):
            raise Refusal(f"{path}.pattern: '{found}' is not supported")


def _nodes(path: str, schema: Any) -> Iterator[tuple[str, Json]]:
    """Every schema inside a schema, itself first."""
    if isinstance(schema, bool):
        return
    _well_formed(path, schema)
    yield path, schema
    for key in ("properties", *DEFINITIONS):
        for name, inner in schema.get(key, {}).items():
            yield from _nodes(f"{path}.{key}.{name}", inner)
    for key in ("anyOf", "allOf", "oneOf"):
        for index, inner in enumerate(schema.get(key, [])):
            yield from _nodes(f"{path}.{key}.{index}", inner)
    if "items" in schema:
        yield from _nodes(f"{path}.items", schema["items"])


def _well_formed(path: str, schema: Any) -> None:
    if not isinstance(schema, dict):
        raise Refusal(f"{path}: JSON schema is invalid: it must be an object")
    for key, kind in KEYWORDS.items():
        if not isinstance(schema.get(key, kind()), kind):
            raise Refusal(f"{path}.{key}: JSON schema is invalid: it must be a {kind.__name__}")
    if not all(isinstance(name, str) for name in schema.get("required", [])):
        raise Refusal(f"{path}.required: JSON schema is invalid: it must name properties")


def _recursive(root: Json, ref: str, above: tuple[str, ...]) -> bool:
    """Whether following this reference, from those above it, leads back to one of them."""
    if ref in above:
        return True
    target: Any = root
    for step in filter(None, ref.removeprefix("#").split("/")):
        target = target.get(step) if isinstance(target, dict) else None
    if not isinstance(target, dict):
        raise Refusal(f"tools: the schema reference '{ref}' leads nowhere")
    if ref == "#":
        target = {key: part for key, part in target.items() if key not in DEFINITIONS}
    refs = (node["$ref"] for _, node in _nodes(ref, target) if "$ref" in node)
    return any(_recursive(root, inner, (*above, ref)) for inner in refs)
