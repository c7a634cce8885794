"""Makes a plan on the disk, where no editor does."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from glossator.core.atomic import move, opened
from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileDeletion, FileEdit, FileRename
from glossator.core.encoding import decode, encode, encode_edited

_CHANGED = "the file was changed meanwhile"


def write_plan(plan: EditPlan, roots: Sequence[str]) -> str | None:
    """Write, delete and move what a plan is about, below the roots only; None when done, else why.

    For a thread, as `write_files`. Texts come first, all or none of them.
    """
    if problem := write_files(plan, roots):
        return problem
    try:
        for change in plan.files:
            match change:
                case FileRename():
                    move(change.path, change.new_path, roots)
                case FileDeletion():
                    with opened(change.path, roots) as place:
                        place.look()
                        if not _holds(place.read(), change.base):
                            return _CHANGED
                        place.remove()
    except OSError as error:
        return f"the file could not be changed ({error.strerror})"
    return None


def write_files(plan: EditPlan, roots: Sequence[str]) -> str | None:
    """Write the texts that a plan makes, below the roots only; None when done, else why not.

    For a thread: each file is on the disk when this returns. One that is no longer as the plan
    found it is left alone.
    """
    edits = [change for change in plan.files if isinstance(change, FileEdit)]
    try:
        with contextlib.ExitStack() as held:
            places = [held.enter_context(opened(change.path, roots)) for change in edits]
            for place, change in zip(places, edits, strict=True):
                like, data = place.look(), place.read()
                if change.base is None and data is not None:
                    return "the file exists by now"
                if change.base is not None and not _holds(data, change.base):
                    return _CHANGED
                place.stage(_encoded(change), like)
            for place in places:
                place.commit()
    except OSError as error:
        return f"the file could not be written ({error.strerror})"
    return None


def _holds(data: bytes | None, base: Document) -> bool:
    decoded = None if data is None else decode(data, base.encoding)
    return decoded is not None and decoded[0] == base.text


def _encoded(edit: FileEdit) -> bytes:
    if edit.base is None:
        return encode(edit.result, edit.new_in)
    return encode_edited(edit.path, edit.base.text, edit.result, edit.base.encoding)
