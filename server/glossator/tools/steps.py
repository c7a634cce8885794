"""The list of steps of one conversation."""

from __future__ import annotations

from collections.abc import Callable

from glossator.core.events import Todo


class TodoList:
    """What the model last made of it; `changed` is told each new list."""

    def __init__(self) -> None:
        self.steps: tuple[Todo, ...] = ()
        self.changed: Callable[[tuple[Todo, ...]], None] = lambda _: None

    def replace(self, steps: tuple[Todo, ...]) -> None:
        """Make `steps` the list."""
        if steps != self.steps:
            self.steps = steps
            self.changed(steps)
