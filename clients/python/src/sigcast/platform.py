"""Clock and randomness, for calls that block and calls that are awaited. Tests pass their own."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

LATER = 1.0
"""Seconds after httpx's own limit. That limit must act first: httpcore before 1.0 loses a connection when the connecting
is cancelled."""
CANCELLED_AGAIN_AFTER = 1.0
"""Seconds to wait for a cancelled task, which needs far less to clean up, before it is cancelled again."""


class Platform:
    """For calls that block."""

    def now(self) -> float:
        """Seconds of a clock that only goes forward."""
        return time.monotonic()

    def random(self) -> float:
        """From 0 up to 1."""
        return random.random()

    def pause(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

    def within(self, seconds: float | None, done: T) -> T:
        """Returns `done`: a call that blocks has ended before. httpx's own timeouts end each wait for the network."""
        return done

    def finish(self, work: Callable[[], None]) -> None:
        """Does the work."""
        work()


class AsyncPlatform:
    """For calls that are awaited."""

    def now(self) -> float:
        """Seconds of a clock that only goes forward."""
        return time.monotonic()

    def random(self) -> float:
        """From 0 up to 1."""
        return random.random()

    async def pause(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)

    async def within(self, seconds: float | None, work: Awaitable[T]) -> T:
        """The result of the work. Raises TimeoutError after `seconds` and `LATER`; None for no limit.

        The work is a task of its own, so that it can clean up after it is cancelled. A cancel scope of anyio would
        cancel it again at every `await`: httpcore before 1.0 could not return its connection then, and the pool would
        lose it.
        """
        task = asyncio.ensure_future(work)
        # Reads the error, so that asyncio does not report it when nobody waits for the task any more.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait([task], timeout=None if seconds is None else seconds + LATER)
        finally:
            # A cancellation can get lost while anyio connects, so it is repeated.
            while not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=CANCELLED_AGAIN_AFTER)
        if task.cancelled():
            raise TimeoutError
        return task.result()

    async def finish(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does the work to its end, even if the caller is cancelled meanwhile."""
        await asyncio.shield(work())
