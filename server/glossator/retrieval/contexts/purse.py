"""A spend limit that holds: the most that a request can cost is set aside before it is sent."""

from __future__ import annotations

import asyncio


class Purse:
    """Dollars that may be spent. Nothing is set aside beyond `limit`; None: any amount."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._spent = 0.0
        self._held = 0.0
        self._changed = asyncio.Condition()

    @property
    def left(self) -> float | None:
        """What can be set aside now; None: any amount."""
        return None if self._limit is None else self._limit - self._spent - self._held

    async def take(self, most: float) -> bool:
        """Set aside what a request may cost, once there is enough; false if there never will be."""
        async with self._changed:
            while not self._fits(most):
                if not self._held:
                    return False
                await self._changed.wait()
            self._held += most
            return True

    def hold(self, most: float) -> None:
        """Set aside what is owed already, whether or not it fits."""
        self._held += most

    async def settle(self, most: float, paid: float) -> None:
        """Put back what was set aside, less what was paid."""
        async with self._changed:
            self._held = max(0.0, self._held - most)
            if self._held < 1e-12:  # what is left of adding and taking away
                self._held = 0.0
            self._spent += paid
            self._changed.notify_all()

    def _fits(self, most: float) -> bool:
        left = self.left
        return left is None or most <= left
