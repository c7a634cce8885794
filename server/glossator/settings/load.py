"""Settings from their four sources: defaults, the user's file, the environment, the client.

A later source wins, field by field. Nothing inside a workspace is ever read: opening a folder
must not change where requests go.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import ValidationError

from glossator.core.atomic import replace_private
from glossator.core.errors import InvalidSettings
from glossator.settings.model import Settings

# environment variable -> path of the setting
_ENVIRONMENT = {
    "ANTHROPIC_BASE_URL": ("models", "baseUrl"),
    "GLOSSATOR_BACKEND": ("models", "backend"),
    "GLOSSATOR_PROFILE": ("models", "profile"),
    "GLOSSATOR_OFFLINE": ("models", "offline"),
    "GLOSSATOR_MODEL": ("models", "main", "model"),
    "GLOSSATOR_FAST_MODEL": ("models", "fast", "model"),
}


def user_file() -> Path:
    """Where the user's settings file is looked for."""
    return Path(platformdirs.user_config_dir("glossator")) / "config.toml"


def load_settings(
    client: Mapping[str, Any] | None, environment: Mapping[str, str], file: Path | None = None
) -> Settings:
    """All sources merged. Raises `InvalidSettings` naming the source and the setting."""
    path = file or user_file()
    sources = (
        (str(path), _read_file(path)),
        ("the environment", _from_environment(environment)),
        ("the editor's settings", dict(client or {})),
    )
    merged: dict[str, Any] = Settings().model_dump(by_alias=True)
    for source, values in sources:
        if values:
            merged = _merge(merged, values)
            _validate(merged, source)
    if merged["models"]["profile"] != "anthropic":
        # Such a server has other models: the defaults count as what they are, and not as named.
        for role in ("main", "fast"):
            if not any(_names(values, role) for _, values in sources):
                del merged["models"][role]
    return _validate(merged, "the defaults")


def valid_settings(client: object, environment: Mapping[str, str]) -> tuple[Settings, list[str]]:
    """Settings from every source that is valid, and what is wrong with the others."""
    sources: dict[str, Any] = {"client": {}, "environment": {}, "file": Path(os.devnull)}
    settings = load_settings(**sources)
    problems: list[str] = []
    if not isinstance(client, Mapping | None):
        problems.append("Settings from the editor's settings must be an object. Correct them.")
        client = None
    for source, values in (
        ("file", user_file()),
        ("environment", environment),
        ("client", client or {}),
    ):
        try:
            settings = load_settings(**sources | {source: values})
        except InvalidSettings as error:
            problems.append(f"{error} Until then Glossator ignores them.")
        else:
            sources[source] = values
    return settings, problems


def use_server(url: str, profile: str, model: str) -> Path:
    """Write into the user's file that this server and model answer; gives the file.

    Only a file that says nothing of models yet is written to. Raises `InvalidSettings` for another
    one, or one that cannot be read or written.
    """
    path = user_file().resolve()  # a link to it stays
    found = _read_file(path).get("models")
    wanted = "\n".join(
        f"{name} = {value}"
        for name, value in (
            ("baseUrl", _quoted(url)),
            ("profile", _quoted(profile)),
            ("main", f"{{ model = {_quoted(model)} }}"),
        )
    )
    if found is not None:
        raise InvalidSettings(
            f"{path} has settings of models already, which stay. Change them there to:\n{wanted}"
        )
    try:
        before = path.read_bytes() if path.exists() else b""
        path.parent.mkdir(parents=True, exist_ok=True)
        end = b"\n" if before and not before.endswith(b"\n") else b""
        replace_private(path, before + end + f"[models]\n{wanted}\n".encode())
    except OSError as error:
        raise InvalidSettings(
            f"{path} cannot be written ({error.strerror}). Write there:\n[models]\n{wanted}"
        ) from error
    return path


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # TOML's basic strings escape as JSON does


def _names(values: Mapping[str, Any], role: str) -> bool:
    models = values.get("models")
    return isinstance(models, Mapping) and role in models


def _validate(values: Mapping[str, Any], source: str) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()
        )
        raise InvalidSettings(
            f"Settings from {source} cannot be used ({problems}). Correct or remove them."
        ) from error


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidSettings(
            f"{path} cannot be read ({error.strerror}). Check the permissions of the file and its"
            " folder."
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"{path} cannot be read as TOML ({error}). Correct it.") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, keys in _ENVIRONMENT.items():
        if text := environment.get(name):
            group = values
            for key in keys[:-1]:
                group = group.setdefault(key, {})
            group[keys[-1]] = text
    return values


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = _merge(below, value)  # noqa: PLW2901 - the merged group takes its place
        merged[key] = value
    return merged
