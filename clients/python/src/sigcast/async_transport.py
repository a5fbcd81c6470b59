"""Sends requests, for asyncio. What blocks is generated from this file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx

from .answer import Answer, Page, Reply, read_answer, refusal_of
from .call import Call, Options, Query, pause_before_retry, query_string
from .errors import SigcastConnectionError, SigcastError, SigcastTimeoutError
from .platform import AsyncPlatform


class AsyncTransport:
    """Sends requests, and retries them where that is safe and can help."""

    def __init__(self, options: Options, http: httpx.AsyncClient, platform: AsyncPlatform) -> None:
        self.options = options
        self.platform = platform
        self._http = http

    async def send(self, call: Call) -> Answer[Any]:
        """Sends a request, for an answer without `meta`. Raises as `page` does."""
        page = await self.page(call)
        return Answer(page.data, page.request_id, page.rate_limit)

    async def page(self, call: Call) -> Page[Any, Any]:
        """Sends a request.

        Raises SigcastError when the API refuses, SigcastConnectionError when no complete answer came.
        """
        platform = self.platform
        ends_at = platform.now() + self.options.timeout
        attempt = 1
        while True:
            try:
                return await self._attempt(call, ends_at - platform.now())
            except (SigcastError, SigcastConnectionError) as error:
                pause = pause_before_retry(error, attempt, call, platform.random)
                # If the pause would outlast the call, the error is raised now.
                if pause is None or attempt > self.options.max_retries or platform.now() + pause >= ends_at:
                    raise
            await platform.pause(pause)
            attempt += 1

    async def entries(self, path: str, query: Query, cursor: str) -> AsyncGenerator[Any, None]:
        """Every entry of a list, page after page. `cursor` is the parameter that reads on. Raises as `page` does."""
        while True:
            page = await self.page(Call("GET", path + query_string(query)))
            for entry in page.data:
                yield entry
            place = page.meta["next_cursor"]
            # With a filter, a page of events may be empty although more pages follow.
            if not page.meta.get("has_more", place is not None):
                return
            query = {**query, cursor: place}

    @asynccontextmanager
    async def open(self, path: str, last_event_id: str, idle_timeout: float) -> AsyncIterator[AsyncIterator[bytes]]:
        """Opens a stream of events, without retries. Opening and reading raise as `page` does."""
        limit = self.options.attempt_timeout
        headers = self.options.headers(
            "text/event-stream, application/json",
            {"last-event-id": last_event_id or None, "accept-encoding": "identity"},
        )
        request = self._http.build_request("GET", self.options.url(path), headers=headers, timeout=limit)
        with _connection_errors(request):
            response = await self.platform.within(limit, self._send(request))
        try:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not response.is_success or kind != "text/event-stream":
                body = b""
                if not response.is_success:
                    with _connection_errors(request):
                        ends_at = self.platform.now() + limit
                        body = await self.platform.within(limit, self._whole(response, ends_at))
                raise refusal_of(Reply(response.status_code, response.headers, body))
            # The headers have arrived. From now on a read may take as long as a stream may be silent.
            request.extensions["timeout"]["read"] = idle_timeout
            yield self._chunks(request, response)
        finally:
            await self.platform.finish(response.aclose)

    async def _chunks(self, request: httpx.Request, response: httpx.Response) -> AsyncIterator[bytes]:
        chunks = response.aiter_bytes()
        while True:
            with _connection_errors(request):
                chunk = await self.platform.within(None, anext(chunks, None))
            if chunk is None:
                return
            yield chunk

    async def _attempt(self, call: Call, left: float) -> Page[Any, Any]:
        limit = max(0.001, min(self.options.attempt_timeout, left))
        request = self._http.build_request(
            call.method,
            self.options.url(call.path),
            headers=self.options.headers("application/json", call.headers),
            content=call.content,
            timeout=limit,
        )
        with _connection_errors(request):
            reply = await self.platform.within(limit, self._reply(request, self.platform.now() + limit))
        return read_answer(reply)

    async def _reply(self, request: httpx.Request, ends_at: float) -> Reply:
        response = await self._send(request)
        try:
            body = await self._whole(response, ends_at)
            return Reply(response.status_code, response.headers, body)
        finally:
            await response.aclose()

    async def _send(self, request: httpx.Request) -> httpx.Response:
        """A response whose body is yet to be read."""
        # The API never redirects, and the key must not be sent elsewhere.
        return await self._http.send(request, stream=True, auth=None, follow_redirects=False)

    async def _whole(self, response: httpx.Response, ends_at: float) -> bytes:
        """The complete body. Raises TimeoutError when it takes until after `ends_at`."""
        body = b""
        async for chunk in response.aiter_bytes():
            body += chunk
            if self.platform.now() > ends_at:
                raise TimeoutError
        return body


@contextmanager
def _connection_errors(request: httpx.Request) -> Iterator[None]:
    """Raises errors of httpx as SigcastConnectionError or SigcastTimeoutError."""
    what = f"{request.method} {request.url.path}"
    try:
        yield
    except (httpx.TimeoutException, TimeoutError) as error:
        raise SigcastTimeoutError(f"{what} was not answered in time") from error
    except httpx.HTTPError as error:
        raise SigcastConnectionError(f"{what} got no answer: {error or type(error).__name__}") from error
