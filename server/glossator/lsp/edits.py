"""An edit plan as the `WorkspaceEdit` that this client understands.

Each plan is one labelled edit, so that one undo in the editor takes it back. Texts carry the
version they were read at, new files their text. What no editor has open the server writes itself
where the client could not create it, or would leave it unsaved in a buffer that nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from glossator.core.edit import EditPlan, FileChange, FileDeletion, FileEdit, FileRename
from glossator.core.encoding import codec_of, is_declared, is_unicode
from glossator.core.text import PositionEncoding

_ANNOTATION = "glossator"
_CREATE = "create"
# Neovim opens documents at version 0, which it never checks, and counts changes from 3 on: 1 is the
# text as it was opened, too, and it is checked.
_FIRST_VERSIONS = {"Neovim": 1}
_LATE_EDITORS = frozenset({"Neovim", "Eglot"})
_OPERATIONS = {FileDeletion: "delete", FileRename: "rename"}

_Change = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


@dataclass(frozen=True, slots=True)
class EditSupport:
    """The parts of `workspace/applyEdit` that a client supports.

    Only one that is `versioned` has annotations, and `operations` on files (by their LSP names).
    It checks versions from `first_version` on. `late`: it sends what is typed a while later.
    """

    applies: bool = False
    versioned: bool = False
    first_version: int = 0
    late: bool = False
    annotated: bool = False
    operations: frozenset[str] = frozenset()

    @staticmethod
    def of(capabilities: types.ClientCapabilities, name: str) -> EditSupport:
        """The support that a client declares, and the known behaviour of clients of its name."""

        def declared(name: str) -> Any:  # noqa: ANN401 - each capability has a type of its own
            return get_capability(capabilities, f"workspace.workspace_edit.{name}")

        operations = declared("resource_operations")
        whole = bool(declared("document_changes"))
        versioned = whole or bool(operations)  # there are no operations but among such changes
        return EditSupport(
            applies=bool(get_capability(capabilities, "workspace.apply_edit")),
            versioned=versioned,
            first_version=_FIRST_VERSIONS.get(name, 0),
            late=name in _LATE_EDITORS,
            annotated=versioned and declared("change_annotation_support") is not None,
            operations=frozenset(str(each.value) for each in operations or () if whole),
        )

    def missing(self, plan: EditPlan) -> str | None:
        """What the plan needs and the client lacks, in words; None when it can be carried out."""
        if not self.applies:
            return "the editor cannot be asked to apply edits"
        needed = {name for change in plan.files if (name := _operation(change)) is not None}
        lacking = sorted(needed - self.operations)
        return f"the editor cannot {' or '.join(lacking)} files" if lacking else None

    def confirms(self, plan: EditPlan) -> bool:
        """Whether the client asks the user itself, who may leave parts of the plan out there."""
        return self.annotated and not plan.as_one and self.missing(plan) is None

    def lacks_creation(self, plan: EditPlan) -> bool:
        """Whether the plan is about new files alone, and the client cannot create them."""
        is_new = all(_operation(change) == _CREATE for change in plan.files)
        return is_new and not (self.applies and _CREATE in self.operations)


def is_closed(plan: EditPlan) -> bool:
    """Whether the plan edits nothing but files that the editor has not open."""
    return all(
        isinstance(change, FileEdit) and (change.base is None or change.base.version is None)
        for change in plan.files
    )


def is_misread(plan: EditPlan, encoding_of: Callable[[str], str]) -> bool:
    """Whether an editor may misread a file that it has not open, and save it wrongly.

    `encoding_of` gives what is declared for a path, by which an editor may go whatever a file is.
    """
    edits = [change for change in plan.files if isinstance(change, FileEdit)]
    closed = [each for each in edits if each.base is None or each.base.version is None]
    return any(
        not (each.before.isascii() and each.result.isascii())
        and (is_declared(encoding_of(each.path)) or not is_unicode(each.encoding))
        for each in closed
    )


def bases_told(plan: EditPlan) -> dict[str, dict[str, str]]:
    """The texts that a plan is for, by URI: their hashes, and encodings that are declared."""
    bases = [change.base for change in plan.files if change.base is not None]
    named = {base.uri: codec_of(base.encoding) for base in bases if is_declared(base.encoding)}
    hashes = {"sha256": {base.uri: base.sha256 for base in bases}}
    return hashes | ({"encodings": named} if named else {})


def workspace_edit(
    plan: EditPlan, support: EditSupport, encoding: PositionEncoding, *, confirm: bool
) -> types.WorkspaceEdit:
    """The edit; `confirm`: the client is to let the user choose, if it can (`annotated`)."""
    if not support.versioned:
        edits = [change for change in plan.files if isinstance(change, FileEdit)]
        return types.WorkspaceEdit(
            changes={change.uri: _text_edits(change, encoding) for change in edits}
        )
    changes: list[_Change] = []
    for change in plan.files:
        changes += _changes(change, support, encoding)
    annotations = {_ANNOTATION: types.ChangeAnnotation(plan.label, needs_confirmation=confirm)}
    return types.WorkspaceEdit(
        document_changes=changes, change_annotations=annotations if support.annotated else None
    )


def _operation(change: FileChange) -> str | None:
    if isinstance(change, FileEdit):
        return _CREATE if change.base is None else None
    return _OPERATIONS[type(change)]


def _changes(change: FileChange, support: EditSupport, encoding: PositionEncoding) -> list[_Change]:
    annotation = _ANNOTATION if support.annotated else None
    match change:
        case FileEdit():
            version = change.base.version if change.base else None
            if version is not None:
                version = max(version, support.first_version)
            document = types.OptionalVersionedTextDocumentIdentifier(change.uri, version)
            edits: list[Any] = _text_edits(change, encoding)
            if annotation:
                edits = [
                    types.AnnotatedTextEdit(annotation, edit.range, edit.new_text) for edit in edits
                ]
            made: list[_Change] = []
            if change.base is None:
                made.append(types.CreateFile(change.uri, annotation_id=annotation))
            if edits:
                made.append(types.TextDocumentEdit(document, edits))
            return made
        case FileDeletion():
            return [types.DeleteFile(change.base.uri, annotation_id=annotation)]
        case FileRename():
            return [types.RenameFile(change.uri, change.new_uri, annotation_id=annotation)]


def _text_edits(change: FileEdit, encoding: PositionEncoding) -> list[types.TextEdit]:
    return [
        types.TextEdit(
            types.Range(types.Position(*each.start), types.Position(*each.end)), each.text
        )
        for each in change.positioned(encoding)
    ]
