"""New files for a client that cannot create any: nothing is open there, so the disk will do."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from glossator.core.atomic import opened
from glossator.core.edit import EditPlan, FileEdit
from glossator.core.encoding import encode


def write_new_files(plan: EditPlan, roots: Sequence[str]) -> str | None:
    """Write the plan's new files, below the roots only; None when done, else why not.

    For a thread: each file is on the disk when this returns.
    """
    new = [change for change in plan.files if isinstance(change, FileEdit)]
    try:
        with contextlib.ExitStack() as held:
            places = [held.enter_context(opened(change.path, roots)) for change in new]
            for place, change in zip(places, new, strict=True):
                if place.look() is not None:
                    return "the file exists by now"
                place.stage(encode(change.result, "utf-8"), None)
            for place in places:
                place.commit()
    except OSError as error:
        return f"the file could not be written ({error.strerror})"
    return None
