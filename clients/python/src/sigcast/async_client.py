"""The client for asyncio. The client that blocks is generated from this file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Unpack, cast

import httpx

from .answer import Answer
from .async_transport import AsyncTransport
from .call import OneOrMore, Options, backoff, header_value, query_string
from .errors import BacktestFailedError, SigcastConnectionError, SigcastError
from .generated.async_calls import AsyncBacktests as BacktestCalls
from .generated.async_calls import AsyncGroups
from .platform import AsyncPlatform
from .stream import Following, StreamConnection
from .types import Backtest, CompletedBacktest, CreateBacktest, FeedEvent, SignalType, WebhookEventType

FIRST_FETCH = 0.5
"""Seconds before a backtest is fetched again. Later pauses double up to the longest: about 15 requests in a minute."""
LONGEST_FETCH = 5.0


class AsyncBacktests(BacktestCalls):
    async def run(
        self,
        *,
        idempotency_key: str | None = None,
        on_progress: Callable[[Backtest], object] = lambda backtest: None,
        **strategy: Unpack[CreateBacktest],
    ) -> Answer[CompletedBacktest]:
        """Creates a backtest as `create` does, and waits until it is completed, however long that takes.

        `on_progress` is called with the backtest after it is created, and each time it is fetched. When this call is
        cancelled or fails, only the waiting ends: a later call with the same `idempotency_key` waits for the same
        backtest. Raises BacktestFailedError when the backtest failed, and otherwise as `create` and `get` do.
        """
        platform = self._transport.platform
        answer = await self.create(**strategy, idempotency_key=idempotency_key)
        on_progress(answer.data)
        fetched = 1
        while answer.data["status"] in ("queued", "running"):
            await platform.pause(
                backoff(fetched, first=FIRST_FETCH, longest=LONGEST_FETCH, random=platform.random)
            )
            answer = await self.get(answer.data["id"])
            on_progress(answer.data)
            fetched += 1
        if answer.data["status"] == "failed":
            raise BacktestFailedError(answer.data)
        return Answer(cast(CompletedBacktest, answer.data), answer.request_id, answer.rate_limit)


class AsyncSigcast(AsyncGroups):
    """The Sigcast API. One instance serves a whole program. Close it, or use it in a `with` statement.

    Durations are seconds. `timeout` is for a whole call, including retries and pauses: if a pause would take longer than
    the time left, the call fails at once. `attempt_timeout` is for one attempt. `max_retries` is how often a call is
    retried. `http` is an HTTP client to use, for example with proxies or certificates; you close it.

    Raises ValueError when an option is invalid.
    """

    backtests: AsyncBacktests

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 90,
        attempt_timeout: float = 20,
        max_retries: int = 2,
        http: httpx.AsyncClient | None = None,
        _platform: AsyncPlatform | None = None,
    ) -> None:
        options = Options(api_key, base_url, timeout, attempt_timeout, max_retries)
        self._is_own_http = http is None
        self._http = httpx.AsyncClient() if http is None else http
        self._transport = AsyncTransport(options, self._http, _platform or AsyncPlatform())
        super().__init__(self._transport)
        self.backtests = AsyncBacktests(self._transport)

    async def stream(
        self,
        *,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        filter: str | None = None,
        last_event_id: str | None = None,
        idle_timeout: float = 45,
        on_connection: Callable[[StreamConnection], object] = lambda connection: None,
    ) -> AsyncGenerator[FeedEvent, None]:
        """Events as they happen, for programs that can't receive webhooks.

        The stream reconnects after a lost connection and continues after the last event, until you leave the loop. It
        begins after `last_event_id`, or with events from now on. A connection that is silent for `idle_timeout` seconds
        is closed; the API sends something every 15 s. `on_connection` is called when a connection opens, ends or fails
        to open.

        Raises SigcastError when the API refuses for good: a revoked key, a wrong filter or, at the first connection, an
        account that has too many streams open (`CONFLICT`). Raises SigcastConnectionError when the stream can't be
        opened in the first place. Raises ValueError when `last_event_id` is empty: events would be missed.
        """
        if last_event_id == "":
            raise ValueError("last_event_id must be an event's id, or None for events from now on")
        path = "/v1/stream" + query_string({"events": events, "types": types, "filter": filter})
        platform = self._transport.platform
        begin = header_value("last_event_id", last_event_id or "")
        following = Following(begin, self._transport.options.max_retries, platform.random)
        while True:
            started_at = platform.now()
            cause: SigcastError | SigcastConnectionError | None = None
            async with AsyncExitStack() as connection:
                # Only the connection's own errors are caught: what the caller's callback raises is the caller's.
                try:
                    opening = self._transport.open(path, following.last_event_id, idle_timeout)
                    chunks = await connection.enter_async_context(opening)
                except (SigcastError, SigcastConnectionError) as error:
                    cause = error
                else:
                    following.opened()
                    on_connection(StreamConnection("open"))
                    try:
                        async for chunk in chunks:
                            for event in following.read(chunk):
                                yield event
                    except (SigcastError, SigcastConnectionError) as error:
                        cause = error
            pause = following.lost(cause, held=platform.now() - started_at)
            on_connection(StreamConnection("lost", cause))
            await platform.pause(pause)

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._is_own_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncSigcast:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
