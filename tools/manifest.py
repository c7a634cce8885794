"""What the client's manifest says of the server: `python -m tools.manifest` writes it.

Settings are read off the server's own; how its commands look in VS Code is in the client's
`src/commands/offered.json`. Settings are of the machine: a workspace must not set where the code is
sent. Entries for commands of the client alone, which are no declared ones, stay as they are.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from glossator.commands.declared import DECLARED
from glossator.settings.model import Settings

_CLIENT = Path(__file__).parents[1] / "vscode-client"
FILE = _CLIENT / "package.json"
# How VS Code offers commands of the server, in the palette (where `when` holds; always without
# one), in menus, which order entries by their groups, and by keys, on macOS with cmd for ctrl.
OFFERED: dict[str, Any] = json.loads(
    (_CLIENT / "src" / "commands" / "offered.json").read_text(encoding="utf-8")
)

# The settings that people change first, in this order; all others are "advanced", which VS Code
# shows once somebody searches for `@tag:advanced`, or for the whole name of one.
FIRST = (
    "models.baseUrl",
    "models.profile",
    "models.main",
    "models.fast",
    "models.offline",
    "permissions.mode",
    "edits.review",
    "context.language",
    "limits.dollars",
)

_KEPT = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PYTHON = {
    "type": "string",
    "default": "",
    "description": (
        "Run the server with this Python (3.11 or newer), instead of the Python extension's active"
        " environment or the first on the PATH."
    ),
    "scope": "machine",
}

_OPEN_DIFF = {
    "type": "boolean",
    "default": True,
    "description": (
        "Open the diff of an edit that waits for your answer, without taking the keyboard from you."
    ),
    "scope": "machine",
}
_SHOW_CHANGES = {
    "type": "boolean",
    "default": True,
    "description": (
        "Mark what was edited without your review in the editor, until you keep or undo it."
    ),
    "scope": "machine",
}
_OF_CLIENT = {  # by group
    "edits": {
        "glossator.edits.openDiff": _OPEN_DIFF,
        "glossator.edits.showChanges": _SHOW_CHANGES,
    }
}

Schema = dict[str, Any]


def configuration() -> list[Schema]:
    """The groups of settings, as a manifest contributes them, with a first one of `FIRST`."""
    schema = Settings.model_json_schema()
    definitions: Schema = schema["$defs"]
    first: dict[str, Schema] = {}
    groups: list[Schema] = []
    for name, reference in schema["properties"].items():
        fields = _resolved(reference, definitions)["properties"]
        properties = {
            f"glossator.{name}.{field}": _setting(each, definitions)
            for field, each in fields.items()
        } | _OF_CLIENT.get(name, {})
        for short in FIRST:
            if (ours := f"glossator.{short}") in properties:
                first[ours] = properties.pop(ours)
        rest = {each: properties[each] | {"tags": ["advanced"]} for each in properties}
        if rest:
            groups.append({"title": _words_of(name), "properties": _in_order(rest)})
    begin = {f"glossator.{short}": first[f"glossator.{short}"] for short in FIRST}
    properties = _in_order(begin | {"glossator.python": _PYTHON})
    groups.insert(0, {"title": "Commonly Used", "properties": properties})
    return [group | {"order": order} for order, group in enumerate(groups)]


def _in_order(properties: dict[str, Schema]) -> dict[str, Schema]:
    return {name: each | {"order": order} for order, (name, each) in enumerate(properties.items())}


def generated(manifest: Schema) -> Schema:
    """The manifest with the commands and settings as they are now."""
    was: Schema = manifest["contributes"]
    entries = {menu: list(filter(_of_client, was["menus"][menu])) for menu in was["menus"]}
    commands = list(filter(_of_client, was["commands"]))
    keys = list(filter(_of_client, was["keybindings"]))
    for name, offer in OFFERED.items():
        ours = {"command": name}
        commands.append(
            ours | {"title": offer["title"], "category": "Glossator", "icon": f"$({offer['icon']})"}
        )
        if "when" in offer:
            entries["commandPalette"].append(ours | {"when": offer["when"]})
        for entry in offer.get("menus", ()):
            when = {"when": entry["when"]} if "when" in entry else {}
            entries[entry["menu"]].append(ours | when | {"group": entry["group"]})
        if "key" in offer:
            mac = offer["key"].replace("ctrl", "cmd")
            keys.append(ours | {"key": offer["key"], "mac": mac, "when": offer["keyWhen"]})
    contributes = was | {
        "commands": commands,
        "menus": entries,
        "keybindings": keys,
        "configuration": configuration(),
    }
    return manifest | {"contributes": contributes}


def _of_client(entry: Schema) -> bool:
    return entry.get("command") not in DECLARED


def _words_of(group: str) -> str:
    """A group's name as a heading: `languageServers` is "Language servers"."""
    return re.sub(r"(?=[A-Z])", " ", group).capitalize()


def _setting(field: Schema, definitions: Schema) -> Schema:
    setting = _value(field, definitions) | {"scope": "machine"}
    default = field.get("default")
    if setting["type"] == ["string", "null"]:  # which the settings page has no box for
        setting["type"], default = "string", default or ""
    if isinstance(default, dict):  # what is not set in it has no default of its own
        default = {name: value for name, value in default.items() if value is not None}
    return setting | {"default": default}


def _value(field: Schema, definitions: Schema) -> Schema:
    """A schema without references, titles and alternatives."""
    resolved = _resolved(field, definitions)
    choices = [_value(each, definitions) for each in resolved.get("anyOf", ())]
    value: Schema = {}
    for choice in choices:
        types = [*_types(value), *_types(choice)]
        value = value | choice | {"type": types}
        if "enum" in value and "null" in types:
            value["enum"] = [*value["enum"], None]
    value |= {name: resolved[name] for name in ("type", "enum", *_KEPT) if name in resolved}
    if "items" in resolved:
        value["items"] = _value(resolved["items"], definitions)
    if "properties" in resolved:
        fields = resolved["properties"]
        value["properties"] = {
            name: _typed(_value(each, definitions)) for name, each in fields.items()
        }
        value["additionalProperties"] = False
    elif "additionalProperties" in resolved:
        value["additionalProperties"] = _value(resolved["additionalProperties"], definitions)
    if description := field.get("description"):
        value["description"] = description
    return value


def _typed(value: Schema) -> Schema:
    """Without null, which is what is left out: the settings page edits no object that has it."""
    types = [each for each in _types(value) if each != "null"]
    enum = {"enum": [each for each in value["enum"] if each is not None]} if "enum" in value else {}
    return value | {"type": types[0] if len(types) == 1 else types} | enum


def _types(value: Schema) -> list[str]:
    kind = value.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def _resolved(field: Schema, definitions: Schema) -> Schema:
    """What a field refers to, with what it says itself."""
    reference = field.get("$ref", "")
    if not reference:
        return field
    return {**definitions[reference.rpartition("/")[2]], **field}


if __name__ == "__main__":
    manifest = generated(json.loads(FILE.read_text(encoding="utf-8")))
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    FILE.write_text(text + "\n", encoding="utf-8")
