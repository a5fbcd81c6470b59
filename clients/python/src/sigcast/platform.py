"""Time and chance, for calls that block and calls that are awaited. Tests bring their own."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


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

    def within(self, seconds: float | None, done: T) -> T:
        """The work is done before this is called: httpx's own timeouts end each wait for the network."""
        return done

    def finish(self, work: Callable[[], None]) -> None:
        work()


class AsyncPlatform:
    """For calls that are awaited."""

    def now(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def within(self, seconds: float | None, work: Awaitable[T]) -> T:
        """Raises TimeoutError once the time is over; None for no limit.

        The work is a task of its own, which is cancelled once. A cancel scope of anyio cancels its own task again at
        every `await`: httpcore before 1.0 could not give its connection back there, and the pool would lose it.
        """
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait([task], timeout=seconds)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if task.cancelled():
            raise TimeoutError
        return task.result()

    async def finish(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does the work to its end, also where the caller is cancelled meanwhile."""
        await asyncio.shield(work())
