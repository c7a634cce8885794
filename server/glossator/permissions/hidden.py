"""Which files deny rules hide: tools that find files themselves show nothing of them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from glossator.core.permission import Access
from glossator.permissions.matching import concerning
from glossator.permissions.policy import PathRule, PatternBase, Policy, Rule, ToolRule
from glossator.permissions.subject import CallSubject, ResolvedPath

_MOST_KNOWN = 200_000  # paths


@dataclass(frozen=True, slots=True)
class HiddenFiles:
    """Whether a path (absolute) is hidden; from any thread.

    The name of a path is matched once; where it leads, each time.
    """

    policy: Policy
    _names_only: bool = False  # no rule says in which folder
    _known: dict[str, bool] = field(default_factory=dict)

    @staticmethod
    def of(policy: Policy) -> HiddenFiles | None:
        """None where no rule hides anything."""
        rules = tuple(filter(_hides, policy.deny))
        return HiddenFiles(policy, all(map(_is_of_names, rules))) if rules else None

    @property
    def patterns(self) -> tuple[str, ...]:
        """Patterns of .gitignore for what is hidden in any folder of a repository."""
        rules = filter(_hides, self.policy.deny)
        return tuple(
            rule.pattern.lstrip("/") if isinstance(rule, PathRule) else "*" for rule in rules
        )

    def __call__(self, path: str) -> bool:
        """Whether a rule hides what is at `path`."""
        if not os.path.isabs(path):  # a document that has no file
            return False
        try:
            leads_elsewhere = os.path.realpath(path) != path
        except (OSError, ValueError):
            leads_elsewhere = True
        if leads_elsewhere:
            return bool(hiding_rules(path, self.policy))
        return self.names(path)

    def rules(self, path: str) -> tuple[str, ...]:
        """The rules that hide what is at `path`, for the user."""
        return hiding_rules(path, self.policy) if os.path.isabs(path) else ()

    def entry(self, folder: str, name: str) -> bool:
        """As `names`, for an entry of a folder that is not hidden itself: faster for many."""
        roots = self.policy.places.roots
        return self.names(os.path.join(roots[0] if self._names_only else folder, name))

    def names(self, path: str) -> bool:
        """As a call, for a path that is known to be real: it reads nothing from the disk."""
        if (known := self._known.get(path)) is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            subject = CallSubject("Read", Access.READ, (ResolvedPath(path, (path,), (path,)),))
            known = bool(concerning(self.policy.deny, subject, self.policy.places))
            self._known[path] = known
        return known


def hiding_rules(path: str, policy: Policy) -> tuple[str, ...]:
    """The deny rules that hide the file at `path` (absolute)."""
    if not policy.deny:
        return ()
    subject = CallSubject.of_files("Read", Access.READ, (path,))
    return concerning(policy.deny, subject, policy.places)


def _is_of_names(rule: Rule) -> bool:
    if not isinstance(rule, PathRule) or rule.base is not PatternBase.WORKSPACE:
        return False
    return "/" not in rule.pattern.rstrip("/")


def _hides(rule: Rule) -> bool:
    if isinstance(rule, PathRule):
        return rule.family == "Read"
    return isinstance(rule, ToolRule) and rule.name in ("*", "Read")
