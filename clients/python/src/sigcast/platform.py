"""Time and chance, for calls that block and calls that are awaited. Tests bring their own."""

from __future__ import annotations

import random
import time
from contextlib import AbstractContextManager, nullcontext

import anyio


class Platform:
    """For calls that block."""

    def now(self) -> float:
        """Seconds of a clock that only goes forward."""
        return time.monotonic()

    def random(self) -> float:
        """From 0 up to 1."""
        return random.random()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def within(self, seconds: float) -> AbstractContextManager[object]:
        """Nothing can interrupt a call that blocks: httpx's own timeouts end each wait for the network."""
        return nullcontext()


class AsyncPlatform:
    """For calls that are awaited."""

    def now(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    async def pause(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    def within(self, seconds: float) -> AbstractContextManager[object]:
        """Raises TimeoutError in the block once the time is over. As httpx does it: asyncio's own timeout does not get on
        with the cancellations of anyio.
        """
        return anyio.fail_after(seconds)
