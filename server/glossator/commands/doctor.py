"""Doctor: what is configured, what works, what is missing, and what to do about it."""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.server import Check, CheckState, DoctorAnswer
from glossator.commands.index import embedding_state
from glossator.commands.status import failed_files
from glossator.core.errors import ModelError
from glossator.core.shown import shown
from glossator.language_servers import missing_servers
from glossator.llm import (
    describe_models,
    effort_problems,
    find_local_servers,
    why_unreachable,
)
from glossator.permissions import how_to_trust
from glossator.sandbox import Unavailable, find_sandbox
from glossator.settings import user_file
from glossator.workspace import NoRipgrep, find_ripgrep

_SHOWN_FILES = 5  # that fail; status names all


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """Takes nothing."""


async def doctor(app: Application, _request: DoctorRequest) -> DoctorAnswer:
    """Look at everything that asking depends on; no question and no key is sent anywhere."""
    await app.ready()
    checks = (
        _python(),
        _workspace(app),
        await asyncio.to_thread(_trust, app),
        _watcher(app),
        _index(app),
        *await _failed_files(app),
        await _ripgrep(app),
        await _sandbox(),
        *_language_servers(app),
        await _model(app),
        await _embedding(app),
        *await _sharing(app),
        *_settings(app),
    )
    return DoctorAnswer(checks)


def _python() -> Check:
    version = platform.python_version()
    return Check("Python", CheckState.OK, f"{version} at {sys.executable}")


def _workspace(app: Application) -> Check:
    status = app.host.status()
    if not status.roots:
        next_step = "Open a folder, or name one with --workspace."
        return Check("Workspace", CheckState.WARNING, "No folder is open.", next_step)
    detail = f"{status.files:,} file{'s' * (status.files != 1)} in {', '.join(status.roots)}"
    if not status.files:
        next_step = "Every file is left out; look at the ignore rules in `glossator status`."
        return Check("Workspace", CheckState.WARNING, detail, next_step)
    return Check("Workspace", CheckState.OK, detail)


def _trust(app: Application) -> Check:
    """Whether commands may run here: who said so, or what to do."""
    if app.acting.trust.said is False:
        detail = "The editor says that this workspace is not trusted, so files are only read."
        return Check("Trust", CheckState.WARNING, detail, "Trust it in the editor to allow more.")
    found: list[str] = []
    missing: list[str] = []
    for root in app.host.snapshot().roots:
        if (why := app.acting.trust.trust.why_trusted(root)) is None:
            missing.append(root)
        elif why.remembered:
            found.append(f"{shown(root)} is trusted, as {shown(why.by)} is remembered")
        else:
            found.append(f"{shown(root)} is trusted for this session")
    if missing:
        detail = f"{', '.join(map(shown, missing))} is not marked as trusted."
        asked = "You are asked before the first command; through a pipe none is run."
        next_step = " ".join((asked, *map(how_to_trust, missing)))
        return Check("Trust", CheckState.WARNING, detail, next_step)
    return Check("Trust", CheckState.OK, "; ".join(found) or "no folder is open")


def _watcher(app: Application) -> Check:
    status = app.host.status()
    partly = status.watcher.startswith("off") or "(not all" in status.watcher
    if not (status.roots and partly):
        return Check("File events", CheckState.OK, status.watcher)
    next_step = (
        "Some changes made outside the editor are noticed only by sweeps, every 30 s or so. Mend"
        " what is named here, or ignore this; on Linux sysctl raises the system's limits."
    )
    return Check("File events", CheckState.WARNING, status.watcher, next_step)


def _index(app: Application) -> Check:
    status = app.host.status().index
    text = status.text
    detail = (
        f"{text.documents + text.in_memory:,} files in it, {text.pending:,} read by every search"
    )
    if not app.settings.workspace.index:
        return Check("Index", CheckState.OK, "off: turned off by the setting workspace.index")
    if elsewhere := [state for _, state in status.disk if state != "on"]:
        next_step = (
            "Searches miss nothing, but take longer; change what keeps the index off the disk, or"
            " leave it so."
        )
        return Check("Index", CheckState.WARNING, "; ".join(dict.fromkeys(elsewhere)), next_step)
    if status.problems:
        return Check("Index", CheckState.WARNING, detail, " ".join(status.problems))
    return Check("Index", CheckState.OK, detail)


async def _failed_files(app: Application) -> tuple[Check, ...]:
    """The files at which an index or a parser fails."""
    failed = await failed_files(app)
    if not failed:
        return ()
    next_step = (
        "All other files are indexed, and Grep and Read take these, too. Each is tried again when"
        " it changes, or the index is rebuilt; please report what fails."
    )
    more = len(failed) - _SHOWN_FILES
    named = "; ".join((*failed[:_SHOWN_FILES], *([f"and {more:,} more"] if more > 0 else [])))
    return (Check("Files", CheckState.WARNING, f"{named}.", next_step),)


async def _ripgrep(app: Application) -> Check:
    setting, folders = app.settings.workspace.ripgrep, app.host.snapshot().folders
    found = await asyncio.to_thread(find_ripgrep, setting, folders)
    if not isinstance(found, NoRipgrep):
        return Check("ripgrep", CheckState.OK, found)
    state = CheckState.WARNING if found.next_step else CheckState.OK
    return Check("ripgrep", state, found.reason, found.next_step)


async def _sandbox() -> Check:
    found = await asyncio.to_thread(find_sandbox)
    if isinstance(found, Unavailable):
        return Check("Sandbox", CheckState.WARNING, "none for commands", found.reason)
    return Check("Sandbox", CheckState.OK, f"{found.name} works")


def _language_servers(app: Application) -> Iterator[Check]:
    """Each that was found on this machine, or why none is asked."""
    name = "Language servers"
    if app.port.tells_code:
        yield Check(name, CheckState.OK, "the editor's are asked")
        return
    if app.settings.language_servers.enabled == "off":
        yield Check(name, CheckState.OK, "off: turned off by the setting languageServers.enabled")
        return
    states = app.language_servers.states()
    if not states:
        yield Check(name, CheckState.OK, "none is on the PATH, so Symbols goes by outlines")
    for each in states:
        figures = [each.state]
        if each.memory is not None:
            figures.append(f"{each.memory / 1e6:,.0f} MB")
        if each.start_seconds is not None:
            figures.append(f"started in {each.start_seconds:.1f} s")
        languages = ", ".join(each.languages)
        detail = f"{each.name} for {languages}: {shown(each.program)}, {', '.join(figures)}"
        yield Check(name, CheckState.OK, detail)
    missing = missing_servers(app.settings.language_servers, app.environment)
    for program, its in missing.items():
        detail = f"{shown(program)} for {', '.join(its)} is not there"
        next_step = "Install it, or correct the setting languageServers.commands."
        yield Check(name, CheckState.WARNING, detail, next_step)


async def _model(app: Application) -> Check:
    models = app.models.settings
    detail = describe_models(models, app.environment)
    if models.offline:
        return Check("Model", CheckState.OK, detail)
    if app.model.offline:
        next_step = (
            "Set ANTHROPIC_API_KEY for answers by a model (console.anthropic.com/settings/keys has"
            f" one), or ANTHROPIC_BASE_URL for your own server.{await _local_servers()}"
        )
        return Check("Model", CheckState.WARNING, detail, next_step)
    if problems := effort_problems(models):
        return Check("Model", CheckState.FAILED, detail, " ".join(problems))
    try:
        await app.model.prepare()
    except ModelError as error:
        return Check("Model", CheckState.FAILED, detail, str(error))
    if problem := await why_unreachable(models):
        return Check("Model", CheckState.FAILED, detail, problem)
    return Check("Model", CheckState.OK, detail)


async def _local_servers() -> str:
    """What on this machine could answer, as a sentence after others; "" if nothing was found."""
    usable = [each for each in await find_local_servers() if not each.problem]
    if not usable:
        return ""
    running = " and ".join(f"{each.name} ({each.url}, {each.models[0]})" for each in usable)
    return (
        f" On this machine runs {running}: `glossator setup` has it answer, in VS Code *Use a"
        " Server on This Machine*."
    )


async def _embedding(app: Application) -> Check:
    """What embeds for Search, where vectors are kept, and what is wrong with either."""
    embedding = app.retriever.embedding
    if embedding is not None:
        problem = embedding.problem
        detail = embedding_state(app).removesuffix(f"; {problem}")
    elif (chosen := await asyncio.to_thread(app.choose_embedding)) is not None:
        problem, (choice, place) = "", chosen
        detail = f"{choice.model_id}; vectors {place.in_words}; neither was used yet"
    else:
        problem = app.embedding_problem
        detail = "Search goes by words alone." if problem else "off: no embedder is chosen"
    state = CheckState.WARNING if problem else CheckState.OK
    return Check("Embeddings", state, detail, problem)


async def _sharing(app: Application) -> tuple[Check, ...]:
    """Whether the team's store answers, if there is one."""
    if app.sharing is None:
        return ()
    problem = await app.sharing.problem()
    state = CheckState.WARNING if problem else CheckState.OK
    return (Check("Sharing", state, f"contexts: {await app.describe_sharing()}", problem),)


def _settings(app: Application) -> Iterator[Check]:
    for problem in app.problems:
        yield Check("Settings", CheckState.FAILED, "Some could not be used.", problem)
    path = user_file()
    found = "there" if path.exists() else "not there, defaults apply"
    yield Check("Settings file", CheckState.OK, f"{path} ({found})")
