"""Runs each test with the client that blocks and with the one for asyncio."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any
from unittest import TestCase

import httpx
from server import ScriptedServer
from sigcast import AsyncSigcast, Sigcast
from sigcast.platform import AsyncPlatform, Platform


class FakeTime:
    """Pauses end at once, and alone make the time go on. Chance says the same always."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def now(self) -> float:
        return sum(self.pauses)

    def random(self) -> float:
        return 0


class FakePlatform(FakeTime, Platform):
    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


class FakeAsyncPlatform(FakeTime, AsyncPlatform):
    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


class BlockingTest(TestCase):
    """A server and clients of it."""

    def setUp(self) -> None:
        self.server = ScriptedServer()
        self.addCleanup(self.server.close)
        self.addCleanup(lambda: self.assertEqual(self.server.unexpected, []))
        self.platform: Any = FakePlatform()

    def client(self, **options: Any) -> Any:
        given = {"api_key": "sk_test", "base_url": self.server.url, "_platform": self.platform, **options}
        sigcast = Sigcast(**given)
        self.addCleanup(sigcast.close)
        return sigcast

    def http(self, **options: Any) -> Any:
        """An HTTP client for several clients to share."""
        http = httpx.Client(**options)
        self.addCleanup(http.close)
        return http


class AsyncioTest(BlockingTest):
    def setUp(self) -> None:
        super().setUp()
        self.platform = FakeAsyncPlatform()
        runner = asyncio.Runner()
        self.addCleanup(runner.close)
        self.loop = runner.get_loop()

    def client(self, **options: Any) -> Any:
        given = {"api_key": "sk_test", "base_url": self.server.url, "_platform": self.platform, **options}
        sigcast = AsyncSigcast(**given)
        self.addCleanup(lambda: self.loop.run_until_complete(sigcast.aclose()))
        return Awaited(sigcast, self.loop)

    def http(self, **options: Any) -> Any:
        http = httpx.AsyncClient(**options)
        self.addCleanup(lambda: self.loop.run_until_complete(http.aclose()))
        return http


class Awaited:
    """Awaits what an object's methods give, so that a test reads the same for both clients."""

    def __init__(self, target: object, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if not inspect.ismethod(value):
            return Awaited(value, self._loop)

        def call(*args: Any, **options: Any) -> Any:
            given = value(*args, **options)
            return self._drain(given) if inspect.isasyncgen(given) else self._loop.run_until_complete(given)

        return call

    def _drain(self, generator: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(anext(generator))
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(generator.aclose())


def take(events: Iterator[Any], wanted: int) -> list[str]:
    """The signals of the first events; the stream is left then."""
    taken = []
    for event in events:
        taken.append(event["data"]["id"])
        if len(taken) == wanted:
            break
    events.close()  # type: ignore[attr-defined]
    return taken
