"""Time and chance, for calls that block and calls that are awaited. Tests bring their own."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

LATER = 1.0
"""Seconds. httpx's own limits come first: httpcore before 1.0 loses a connection whose making is cancelled."""
CANCELLED_AGAIN_AFTER = 1.0
"""Seconds; cleaning up takes far less."""


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
        """Raises TimeoutError where the work goes on for `LATER` seconds after its time; None for no limit.

        The work is a task of its own, which is cancelled and left to clean up. A cancel scope of anyio cancels its own task again at
        every `await`: httpcore before 1.0 could not give its connection back there, and the pool would lose it.
        """
        task = asyncio.ensure_future(work)
        # Its error needs no report where nobody waits for it any more.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait([task], timeout=None if seconds is None else seconds + LATER)
        finally:
            # A cancellation at the moment that anyio connects can get lost.
            while not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=CANCELLED_AGAIN_AFTER)
        if task.cancelled():
            raise TimeoutError
        return task.result()

    async def finish(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does the work to its end, also where the caller is cancelled meanwhile."""
        await asyncio.shield(work())
