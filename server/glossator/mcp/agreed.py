"""Tools as they were when they were last allowed.

One that its server describes otherwise since is asked about again, whatever rule allows it. What
was agreed to is kept by workspace folder with what else the user adopted (`Approvals`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.mcp.offered import OfferedTool
from glossator.permissions import Approvals

_KIND = "mcpTool"  # of adoptions


class AgreedTools:
    """Blocking; `roots` are the workspace's folders, the first of which keeps it."""

    def __init__(
        self,
        approvals: Approvals,
        roots: Callable[[], tuple[str, ...]],
        tell: Callable[[str], object],
    ) -> None:
        self._approvals, self._roots, self._tell = approvals, roots, tell
        self._now: dict[str, str] = {}  # by name, what was agreed to since the start

    def doubt(self, tool: OfferedTool) -> str:
        """Why the user is asked although a rule allows the tool; "" if nothing changed."""
        sha256 = _hash(tool)
        if tool.name in self._now:
            changed = self._now[tool.name] != sha256
        else:
            changed = any(
                self._approvals.was_adopted(_KIND, tool.name, root)
                and not self._approvals.is_adopted(_KIND, tool.name, root, sha256)
                for root in self._roots()[:1]
            )
        if not changed:
            return ""
        return (
            f"The MCP server {tool.server} describes this tool otherwise than when it was last"
            f" allowed: {tool.description}"
        )

    def agree(self, tool: OfferedTool) -> None:
        """The tool is allowed as it is now."""
        sha256 = _hash(tool)
        if self._now.get(tool.name) == sha256:
            return
        self._now[tool.name] = sha256
        for root in self._roots()[:1]:
            if not self._approvals.is_adopted(_KIND, tool.name, root, sha256):
                try:
                    self._approvals.adopt(_KIND, tool.name, root, sha256)
                except (StoreUnavailable, UsageError) as error:
                    self._tell(f"How {tool.name} is described is not remembered. {error}")


def _hash(tool: OfferedTool) -> str:
    said = json.dumps([tool.own, tool.description, tool.schema], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()
