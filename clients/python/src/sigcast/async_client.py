"""The client for asyncio, by hand. `client.py`, the one that blocks, is made from this file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, cast
from uuid import uuid4

import httpx

from .answer import Answer, Page, Reply, read_answer, refusal_of
from .call import (
    OMITTED,
    Call,
    Instant,
    Omitted,
    OneOrMore,
    Options,
    Query,
    backoff,
    get,
    header_value,
    pause_before_retry,
    query_string,
    segment,
)
from .errors import BacktestFailedError, SigcastConnectionError, SigcastError, SigcastTimeoutError
from .platform import AsyncPlatform
from .strategy import BacktestCosts, BacktestFilters, CompletedBacktest
from .stream import Following, StreamConnection
from .types import (
    Backtest,
    BacktestListItem,
    CreatedWebhook,
    DeletedBacktest,
    DeletedWebhook,
    Delivery,
    DeliveryDetail,
    DeliveryFilterStatus,
    EventListMeta,
    FeedEvent,
    Interval,
    ListMeta,
    Period,
    Recovery,
    Resolution,
    SentEventType,
    Signal,
    SeriesInclude,
    SignalInclude,
    SignalHistory,
    SignalListItem,
    SignalStatus,
    SignalType,
    Statistics,
    StatisticsInclude,
    StatisticsSeries,
    SubscribableEvent,
    Webhook,
    WebhookEventType,
    WebhookHealth,
    WebhookStatus,
)

FIRST_FETCH = 0.5
"""Seconds before a backtest is fetched again; later pauses double up to the longest: some 15 requests in a minute."""
LONGEST_FETCH = 5.0


class AsyncSigcast:
    """The Sigcast API. One instance serves a whole program; close it, or use it in a `with` statement.

    Durations are seconds. `timeout` is for a whole call, its retries and the pauses before them included: a pause that
    would last longer is not begun. `attempt_timeout` is for one attempt, `max_retries` how often a call is tried again.
    `http` replaces the HTTP client that is made otherwise, for proxies and certificates; it stays yours to close.
    Raises ValueError when an option can't be used.
    """

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
        self.signals = AsyncSignals(self._transport)
        self.stats = AsyncStats(self._transport)
        self.backtests = AsyncBacktests(self._transport)
        self.webhooks = AsyncWebhooks(self._transport)
        self.events = AsyncEvents(self._transport)

    async def stream(
        self,
        *,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        last_event_id: str | None = None,
        idle_timeout: float = 45,
        on_connection: Callable[[StreamConnection], object] = lambda connection: None,
    ) -> AsyncGenerator[FeedEvent, None]:
        """Events as they happen, for programs that can't receive webhooks.

        A connection that ends is made again, going on after the last event, until you leave the loop. Without
        `last_event_id` the stream begins with what happens from now on. A connection that is silent for `idle_timeout`
        seconds is given up; the API sends something every 15 s. `on_connection` is told when a connection is open, and
        when one ended or was not made.

        Raises SigcastError when the API refuses for good: a revoked key, a wrong filter or, at the first connection, an
        account that has as many streams open as it may (`CONFLICT`). Raises SigcastConnectionError when the stream
        can't be opened in the first place. Raises ValueError when `last_event_id` can't be one: events would be missed.
        """
        if last_event_id == "":
            raise ValueError("last_event_id must be an event's id, or None for what happens from now on")
        path = "/v1/stream" + query_string({"events": events, "types": types})
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
        """Closes connections that are kept open."""
        if self._is_own_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncSigcast:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class AsyncTransport:
    """Sends requests, and sends them again where that is safe and worthwhile."""

    def __init__(self, options: Options, http: httpx.AsyncClient, platform: AsyncPlatform) -> None:
        self.options = options
        self.platform = platform
        self._http = http

    async def send(self, call: Call) -> Answer[Any]:
        """Raises as `page` does."""
        page = await self.page(call)
        return Answer(page.data, page.request_id, page.rate_limit)

    async def page(self, call: Call) -> Page[Any, Any]:
        """Raises SigcastError when the API refuses, SigcastConnectionError when no whole answer came."""
        platform = self.platform
        ends_at = platform.now() + self.options.timeout
        attempt = 1
        while True:
            try:
                return await self._attempt(call, ends_at - platform.now())
            except (SigcastError, SigcastConnectionError) as error:
                pause = pause_before_retry(error, attempt, call, platform.random)
                # A pause that outlasts the call is not begun: better to hear of the refusal now.
                if pause is None or attempt > self.options.max_retries or platform.now() + pause >= ends_at:
                    raise
            await platform.pause(pause)
            attempt += 1

    @asynccontextmanager
    async def open(self, path: str, last_event_id: str, idle_timeout: float) -> AsyncIterator[AsyncIterator[bytes]]:
        """Opens a stream of events, not tried again. Raises as `page` does, and so does reading on."""
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
            # The headers are here: only what follows them may take as long as a stream may be silent.
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
        # The API never redirects; the key follows nobody elsewhere.
        return await self._http.send(request, stream=True, auth=None, follow_redirects=False)

    async def _whole(self, response: httpx.Response, ends_at: float) -> bytes:
        body = b""
        async for chunk in response.aiter_bytes():
            body += chunk
            if self.platform.now() > ends_at:
                raise TimeoutError
        return body


@contextmanager
def _connection_errors(request: httpx.Request) -> Iterator[None]:
    """What goes wrong with the connection is raised as our errors."""
    what = f"{request.method} {request.url.path}"
    try:
        yield
    except (httpx.TimeoutException, TimeoutError) as error:
        raise SigcastTimeoutError(f"{what} was not answered in time") from error
    except httpx.HTTPError as error:
        raise SigcastConnectionError(f"{what} got no answer: {error or type(error).__name__}") from error


class AsyncSignals:
    """`sigcast.signals`"""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        type: OneOrMore[SignalType] | None = None,
        status: OneOrMore[SignalStatus] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        symbol: str | None = None,
        contract: str | None = None,
        include: OneOrMore[SignalInclude] | None = None,
        as_of: Instant | None = None,
        limit: int | None = None,
        page: int | None = None,
        cursor: str | None = None,
    ) -> Page[SignalListItem, ListMeta]:
        """One page of signals, newest first: those created after `since` up to `until`. 20 without `limit`.

        `symbol` and `contract` are of the token. `cursor` is `meta["next_cursor"]` of the page before, in place of
        `page`. `include` adds `outcome`, how each status was decided, and `realizable`, what a small order would have
        earned by the published exit rule: `include=["outcome", "realizable"]`. `as_of` asks what was known at an
        instant at least a minute ago, in place of now; it does not go with `include`.
        """
        filters: Query = {"type": type, "status": status, "since": since, "until": until}
        token: Query = {"symbol": symbol, "contract": contract, "include": include, "as_of": as_of}
        place: Query = {"limit": limit, "page": page, "cursor": cursor}
        return await self._transport.page(get("/v1/signals", {**filters, **token, **place}))

    async def iterate(
        self,
        *,
        type: OneOrMore[SignalType] | None = None,
        status: OneOrMore[SignalStatus] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        symbol: str | None = None,
        contract: str | None = None,
        include: OneOrMore[SignalInclude] | None = None,
        as_of: Instant | None = None,
        limit: int = 100,
    ) -> AsyncGenerator[SignalListItem, None]:
        """Every signal that was there when the reading began, newest first, each once, whatever arrives meanwhile.

        A request per `limit` signals.
        """
        cursor: str | None = None
        while True:
            page = await self.list(
                type=type,
                status=status,
                since=since,
                until=until,
                symbol=symbol,
                contract=contract,
                include=include,
                as_of=as_of,
                limit=limit,
                cursor=cursor,
            )
            for signal in page.data:
                yield signal
            cursor = page.meta.get("next_cursor")
            if cursor is None:
                return

    async def get(
        self,
        id: str,
        *,
        include: OneOrMore[SignalInclude] | None = None,
        as_of: Instant | None = None,
    ) -> Answer[Signal]:
        """Raises SigcastError (`NOT_FOUND`) when there is none of that id, or was none known as of the instant.

        `include` adds `outcome`, how the status was decided, and `realizable`, what a small order would have earned by
        the published exit rule. `as_of` asks what was known at an instant at least a minute ago; it does not go with
        `include`.
        """
        return await self._transport.send(get(f"/v1/signals/{segment(id)}", {"include": include, "as_of": as_of}))

    async def history(
        self,
        id: str,
        *,
        from_: Instant | None = None,
        until: Instant | None = None,
        resolution: Resolution | None = None,
    ) -> Answer[SignalHistory]:
        """The market cap and the liquidity of a signal over time, for charts.

        From its creation without `from_`, up to now without `until`, in the finest buckets of which there are at most
        500 without `resolution`. Raises SigcastError (`NOT_FOUND`) when no history of that id was recorded; for a
        moment also of a new signal.
        """
        query: Query = {"from": from_, "until": until, "resolution": resolution}
        return await self._transport.send(get(f"/v1/signals/{segment(id)}/history", query))


class AsyncStats:
    """`sigcast.stats`"""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        type: SignalType | None = None,
        period: Period | None = None,
        include: OneOrMore[StatisticsInclude] | None = None,
        as_of: Instant | None = None,
    ) -> Answer[Statistics]:
        """Statistics over the signals created in a period: all, without one.

        `include` adds `distribution`, percentiles, counts by status and the time to the all-time high, and `realizable`,
        what a small order by the exit rule earned: `include=["distribution", "realizable"]`. `as_of` asks what was known
        at an instant at least a minute ago, of at most 5,000 signals; `realizable` does not go with it.
        """
        query: Query = {"type": type, "period": period, "include": include, "as_of": as_of}
        return await self._transport.send(get("/v1/stats", query))

    async def series(
        self,
        *,
        type: SignalType | None = None,
        period: Period | None = None,
        interval: Interval | None = None,
        include: OneOrMore[SeriesInclude] | None = None,
    ) -> Answer[StatisticsSeries]:
        """The figures by hour or by day, for charts: by hour for `24h`, else by day, without `interval`.

        `include="realizable"` adds what a small order by the exit rule earned on average.
        """
        query: Query = {"type": type, "period": period, "interval": interval, "include": include}
        return await self._transport.send(get("/v1/stats/series", query))


class AsyncBacktests:
    """`sigcast.backtests`: strategies, tried on signals of the past."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, limit: int | None = None, page: int | None = None) -> Page[BacktestListItem, ListMeta]:
        """A page of your backtests, newest first. Their results are without the equity curve."""
        return await self._transport.page(get("/v1/backtests", {"limit": limit, "page": page}))

    async def create(
        self,
        *,
        filters: BacktestFilters,
        delay_minutes: int | Omitted = OMITTED,
        size_usd: float | Omitted = OMITTED,
        target: float | None | Omitted = OMITTED,
        stop: float | None | Omitted = OMITTED,
        hold_hours: int | Omitted = OMITTED,
        costs: BacktestCosts | Omitted = OMITTED,
        as_of: Instant | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> Answer[Backtest]:
        """Begins a backtest, which goes on by itself.

        A signal is bought `delay_minutes` (1) after it was made, for `size_usd` (100). It is sold at `target` (2) or
        `stop` (0.5) times the market cap of the purchase, with None at neither, or after `hold_hours` (168). Nothing
        that was known after `as_of` (a minute ago) has a part in the result. What is left out is as in the exit rule
        `v1`. Two calls with one `idempotency_key` make one backtest, also after a restart of yours; without one, only
        the repetitions of this call do.

        Raises SigcastError (`CONFLICT`) when three of your backtests are not finished, or you have 100.
        """
        key = header_value("idempotency_key", str(uuid4()) if idempotency_key is None else idempotency_key)
        body: dict[str, object] = {"filters": filters, "delay_minutes": delay_minutes, "size_usd": size_usd}
        exits: dict[str, object] = {"target": target, "stop": stop, "hold_hours": hold_hours}
        end: dict[str, object] = {"costs": costs, "as_of": as_of}
        return await self._transport.send(Call("POST", "/v1/backtests", {**body, **exits, **end}, key))

    async def get(self, id: str) -> Answer[Backtest]:
        """A backtest with its progress, and with its result once it is completed."""
        return await self._transport.send(get(f"/v1/backtests/{segment(id)}"))

    async def delete(self, id: str) -> Answer[DeletedBacktest]:
        """Deletes a backtest, also while it is running. Where an answer was lost, the retry may find it gone:
        `NOT_FOUND`.
        """
        return await self._transport.send(Call("DELETE", f"/v1/backtests/{segment(id)}"))

    async def run(
        self,
        *,
        filters: BacktestFilters,
        delay_minutes: int | Omitted = OMITTED,
        size_usd: float | Omitted = OMITTED,
        target: float | None | Omitted = OMITTED,
        stop: float | None | Omitted = OMITTED,
        hold_hours: int | Omitted = OMITTED,
        costs: BacktestCosts | Omitted = OMITTED,
        as_of: Instant | Omitted = OMITTED,
        idempotency_key: str | None = None,
        on_progress: Callable[[Backtest], object] = lambda backtest: None,
    ) -> Answer[CompletedBacktest]:
        """Begins a backtest as `create` does, and waits until it is completed, however long that takes.

        `on_progress` is called with the backtest when it was created, and whenever it was fetched again. When the call
        ends before that, only the waiting ends; with the same `idempotency_key`, a later call waits for the same
        backtest. Raises BacktestFailedError when it failed, and otherwise as `create` and `get` do.
        """
        platform = self._transport.platform
        answer = await self.create(
            filters=filters,
            delay_minutes=delay_minutes,
            size_usd=size_usd,
            target=target,
            stop=stop,
            hold_hours=hold_hours,
            costs=costs,
            as_of=as_of,
            idempotency_key=idempotency_key,
        )
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


class AsyncEvents:
    """`sigcast.events`: what was sent to subscribers, in order and without a gap."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        after: str | None = None,
        type: OneOrMore[WebhookEventType] | None = None,
        signal_type: OneOrMore[SignalType] | None = None,
        signal_id: str | None = None,
        limit: int | None = None,
    ) -> Page[FeedEvent, EventListMeta]:
        """The events after a place, oldest first; from the oldest event kept (30 days) on, without `after`.

        `after` is `meta["next_cursor"]` of an earlier answer, the id of an event, or `latest` for what happens from now
        on.
        """
        filters: Query = {"type": type, "signal_type": signal_type, "signal_id": signal_id}
        return await self._transport.page(get("/v1/events", {"after": after, **filters, "limit": limit}))

    async def iterate(
        self,
        *,
        after: str | None = None,
        type: OneOrMore[WebhookEventType] | None = None,
        signal_type: OneOrMore[SignalType] | None = None,
        signal_id: str | None = None,
        limit: int = 100,
    ) -> AsyncGenerator[FeedEvent, None]:
        """Every event after a place, oldest first, up to the newest there is. A request per `limit` events."""
        while True:
            page = await self.list(after=after, type=type, signal_type=signal_type, signal_id=signal_id, limit=limit)
            for event in page.data:
                yield event
            after = page.meta["next_cursor"]
            # With a filter a page may be empty, though others follow.
            if not page.meta["has_more"]:
                return


class AsyncWebhooks:
    """`sigcast.webhooks`: subscriptions, and the log of what was delivered."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, limit: int | None = None, page: int | None = None) -> Page[Webhook, ListMeta]:
        """A page of your subscriptions, newest first."""
        return await self._transport.page(get("/v1/webhooks", {"limit": limit, "page": page}))

    async def create(
        self,
        *,
        url: str,
        events: Sequence[SubscribableEvent],
        types: Sequence[SignalType] | Omitted = OMITTED,
        ordered: bool | Omitted = OMITTED,
        description: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> Answer[CreatedWebhook]:
        """Subscribes an address. Keep the secret: no other answer holds it.

        Two calls with one `idempotency_key` make one subscription, also after a restart of yours; without it, only the
        retries of this call share one.
        """
        body = {"url": url, "events": events, "types": types, "ordered": ordered, "description": description}
        key = header_value("idempotency_key", idempotency_key or str(uuid4()))
        return await self._transport.send(Call("POST", "/v1/webhooks", body, key))

    async def get(self, id: str) -> Answer[Webhook]:
        return await self._transport.send(get(_path(id)))

    async def update(
        self,
        id: str,
        *,
        url: str | Omitted = OMITTED,
        events: Sequence[SubscribableEvent] | Omitted = OMITTED,
        types: Sequence[SignalType] | Omitted = OMITTED,
        ordered: bool | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        status: WebhookStatus | Omitted = OMITTED,
    ) -> Answer[Webhook]:
        """Changes a subscription, pauses it (`disabled`) or resumes it (`enabled`). What is left out stays as it is."""
        changes: dict[str, object] = {"url": url, "events": events, "types": types, "ordered": ordered}
        body = changes | {"description": description, "status": status}
        return await self._transport.send(Call("PATCH", _path(id), body))

    async def delete(self, id: str) -> Answer[DeletedWebhook]:
        """Deletes a subscription with its log. Where an answer was lost, the retry may find it gone: `NOT_FOUND`."""
        return await self._transport.send(Call("DELETE", _path(id)))

    async def rotate_secret(self, id: str) -> Answer[CreatedWebhook]:
        """Replaces the signing secret. The old one signs too for 24 hours; verify with both meanwhile."""
        return await self._transport.send(Call("POST", f"{_path(id)}/rotate-secret"))

    async def test(self, id: str) -> Answer[DeliveryDetail]:
        """Sends a `webhook.test` event to this subscription alone; fetch the delivery to see how it went."""
        return await self._transport.send(Call("POST", f"{_path(id)}/test"))

    async def recover(self, id: str, *, since: Instant) -> Answer[Recovery]:
        """Delivers what was missed since an instant. A long recovery goes on by itself: see `recovery` of `get`."""
        return await self._transport.send(Call("POST", f"{_path(id)}/recover", {"since": since}))

    async def health(self, id: str) -> Answer[WebhookHealth]:
        """How a subscription is doing: shares of success, the last error, and what waits."""
        return await self._transport.send(get(f"{_path(id)}/health"))

    async def deliveries(
        self,
        id: str,
        *,
        status: DeliveryFilterStatus | None = None,
        event: SentEventType | None = None,
        http_status: int | str | None = None,
        signal_id: str | None = None,
        since: Instant | None = None,
        limit: int | None = None,
        page: int | None = None,
        cursor: str | None = None,
    ) -> Page[Delivery, ListMeta]:
        """A page of the deliveries to a subscription, newest first.

        `retrying` are those of `pending` that were attempted before. `http_status` is what your endpoint last answered,
        `none` where it did not.
        """
        filters: Query = {"status": status, "event": event, "http_status": http_status, "signal_id": signal_id}
        place: Query = {"since": since, "limit": limit, "page": page, "cursor": cursor}
        return await self._transport.page(get(f"{_path(id)}/deliveries", {**filters, **place}))

    async def delivery(self, id: str, delivery_id: str) -> Answer[DeliveryDetail]:
        """One delivery with every attempt."""
        return await self._transport.send(get(f"{_path(id)}/deliveries/{segment(delivery_id)}"))

    async def retry_delivery(self, id: str, delivery_id: str) -> Answer[DeliveryDetail]:
        """Attempts a delivery once more: the same bytes under the same `webhook-id`."""
        return await self._transport.send(Call("POST", f"{_path(id)}/deliveries/{segment(delivery_id)}/retry"))


def _path(id: str) -> str:
    return f"/v1/webhooks/{segment(id)}"
