"""Which calls of a name are certainly calls of the one definition that has it.

A name alone proves little: `x.close()` may close anything. A call is certain where only one symbol
has the name and the call names it as its own file, package or class may, or an import says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from glossator.symbols.candidates import module_ends, module_of
from glossator.symbols.find import Definition, SymbolHits, Use
from glossator.symbols.imports import Import

_RECEIVER = re.compile(r"(?:(?P<name>[\w$]+)|\S)?\s*(?:\?\.|\.|->|::)\s*$")
_OWN = frozenset({"self", "cls", "this", "Self", "static"})
_PACKAGES = frozenset({"go"})  # where the files of a folder share their names


def only_definition(found: SymbolHits[Definition]) -> Definition | None:
    """The one definition of a name; None if there are several, or not all texts were read."""
    coverage = found.coverage
    if coverage.unread or coverage.unparsed or coverage.worker_away or len(found.hits) != 1:
        return None
    return found.hits[0]


def may_need_imports(use: Use, definition: Definition) -> bool:
    """Whether only the imports of its file can say what is called."""
    receiver = _RECEIVER.search(use.line.text[: use.reference.start])
    return receiver is None and not definition.symbol.container and not _share(use, definition)


def is_call_of(use: Use, definition: Definition, imports: Iterable[Import] = ()) -> bool:
    """Whether a call is certainly one of this definition, the only one that has its name."""
    container = definition.symbol.container
    receiver = _RECEIVER.search(use.line.text[: use.reference.start])
    if container:
        is_inside = use.line.path == definition.line.path and set(container) <= set(
            use.reference.within
        )
        is_own = receiver is not None and receiver["name"] in (*_OWN, container[-1])
        return is_inside and is_own
    if receiver is not None:
        return False
    if _share(use, definition):
        return True
    name = definition.symbol.name
    naming = [each for each in imports if name in each.names]
    ends = tuple(module_ends(naming, name)) if naming else ()
    return bool(ends) and f"/{module_of(definition.line.path)}".endswith(ends)


def _share(use: Use, definition: Definition) -> bool:
    """Whether the call can name the definition without an import."""
    if use.line.path == definition.line.path:
        return True
    one, other = (os.path.dirname(each.line.path) for each in (use, definition))
    return definition.language in _PACKAGES and one == other
