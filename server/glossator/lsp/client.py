"""The client, as its `initialize` request describes it: capabilities, options and folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from lsprotocol import types
from pygls.capabilities import get_capability

from glossator.core.text import PositionEncoding
from glossator.core.uri import to_path
from glossator.lsp.edits import EditSupport

_ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class Client:
    """Facts of `initialize`; the defaults are those of a client that declares nothing.

    `name`: what it calls itself. `events`: wants `glossator/event`. `questions`, `diagnostics`,
    `permissions`, `reviews`: knows `glossator/question`, `…/diagnostics`, `…/permission`,
    `…/review`. `saves`: knows `glossator/saveDocuments`. `code`: knows `glossator/code`.
    `terminal`: knows `glossator/terminal`. `leaves`: ends the server after one command.
    `links`: follows `command:` links. `commands`: registers the commands itself.
    `watches_files`: can be asked to report file changes.
    `trusted`: whether its user trusts these folders; None if it does not know.
    `code_actions`: understands CodeAction, not only Command, `disabled_actions`: disabled ones,
    too. `settings` and `encodings` (those that it reads files in) are not yet checked.
    `symbol_trees`: knows document symbols inside others. `registers`: the methods for symbols
    that it can be offered after `initialize`. `contents`: asks for the text of documents of ours.
    `refreshes_lenses`: can be asked to refresh code lenses.
    """

    name: str = ""
    version: str = ""
    roots: tuple[str, ...] = ()
    encoding: PositionEncoding = "utf-16"
    process_id: int | None = None
    settings: object = None
    encodings: object = None
    trusted: bool | None = None
    events: bool = False
    questions: bool = False
    diagnostics: bool = False
    permissions: bool = False
    reviews: bool = False
    saves: bool = False
    code: bool = False
    terminal: bool = False
    leaves: bool = False
    links: bool = False
    commands: bool = False
    edits: EditSupport = field(default_factory=EditSupport)
    progress: bool = False
    show_document: bool = False
    watches_files: bool = False
    code_actions: bool = False
    disabled_actions: bool = False
    markdown_hover: bool = True
    symbol_trees: bool = False
    registers: frozenset[str] = frozenset()
    contents: bool = False
    refreshes_lenses: bool = False


def describe(params: types.InitializeParams) -> Client:
    """The client that sent these parameters."""
    capabilities = params.capabilities
    name = params.client_info.name if params.client_info else ""
    version = (params.client_info.version if params.client_info else None) or ""
    formats = get_capability(capabilities, "text_document.hover.content_format") or ()
    literals = bool(
        get_capability(capabilities, "text_document.code_action.code_action_literal_support")
    )
    return Client(
        roots=_roots(params),
        encoding=_encoding(capabilities),
        process_id=params.process_id,
        settings=_option(params.initialization_options, "settings"),
        encodings=_option(params.initialization_options, "encodings"),
        trusted=_trusted(params.initialization_options),
        events=_declares(capabilities.experimental, "events"),
        questions=_declares(capabilities.experimental, "questions"),
        diagnostics=_declares(capabilities.experimental, "diagnostics"),
        permissions=_declares(capabilities.experimental, "permissions"),
        reviews=_declares(capabilities.experimental, "reviews"),
        saves=_declares(capabilities.experimental, "saves"),
        code=_declares(capabilities.experimental, "code"),
        terminal=_declares(capabilities.experimental, "terminal"),
        leaves=_declares(capabilities.experimental, "leaves"),
        links=_declares(capabilities.experimental, "links"),
        commands=_declares(capabilities.experimental, "commands"),
        name=name,
        version=version,
        edits=EditSupport.of(capabilities, name),
        progress=bool(get_capability(capabilities, "window.work_done_progress")),
        show_document=bool(get_capability(capabilities, "window.show_document.support")),
        watches_files=bool(
            get_capability(capabilities, "workspace.did_change_watched_files.dynamic_registration")
        ),
        code_actions=literals,
        disabled_actions=literals
        and bool(get_capability(capabilities, "text_document.code_action.disabled_support")),
        markdown_hover=not formats or formats[0] == types.MarkupKind.Markdown,
        symbol_trees=bool(
            get_capability(
                capabilities, "text_document.document_symbol.hierarchical_document_symbol_support"
            )
        ),
        registers=_registers(capabilities),
        contents=get_capability(capabilities, "workspace.text_document_content") is not None,
        refreshes_lenses=bool(get_capability(capabilities, "workspace.code_lens.refresh_support")),
    )


def folder_paths(folders: Iterable[types.WorkspaceFolder]) -> tuple[str, ...]:
    """The absolute paths of folders; those that are not on this machine's disk are left out."""
    paths = (to_path(folder.uri) for folder in folders)
    return tuple(dict.fromkeys(path for path in paths if path is not None))


def _roots(params: types.InitializeParams) -> tuple[str, ...]:
    """The workspace folders, else the older fields; without any there is no root at all."""
    if params.workspace_folders:
        return folder_paths(params.workspace_folders)
    if params.root_uri:
        path = to_path(params.root_uri)
        return (path,) if path else ()
    return (params.root_path,) if params.root_path else ()


def _encoding(capabilities: types.ClientCapabilities) -> PositionEncoding:
    for offered in get_capability(capabilities, "general.position_encodings") or ():
        if offered in _ENCODINGS:
            return cast(PositionEncoding, str(getattr(offered, "value", offered)))
    return "utf-16"


def _option(options: object, name: str) -> object:
    return options.get(name) if isinstance(options, dict) else None


def _trusted(options: object) -> bool | None:
    said = _option(options, "trusted")
    return said if isinstance(said, bool) else None


def _registers(capabilities: types.ClientCapabilities) -> frozenset[str]:
    of_documents = get_capability(
        capabilities, "text_document.document_symbol.dynamic_registration"
    )
    of_workspace = get_capability(capabilities, "workspace.symbol.dynamic_registration")
    of_lenses = get_capability(capabilities, "text_document.code_lens.dynamic_registration")
    registers = {
        types.TEXT_DOCUMENT_CODE_LENS: of_lenses,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: of_documents,
        types.WORKSPACE_SYMBOL: of_workspace,
    }
    return frozenset(method for method, registered in registers.items() if registered)


def _declares(experimental: object, name: str) -> bool:
    ours = experimental.get("glossator") if isinstance(experimental, dict) else None
    return isinstance(ours, dict) and ours.get(name) is True
