"""The client for asyncio. The client that blocks, `client.py`, is generated from this file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Literal, cast
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
"""Seconds before a backtest is fetched again. Later pauses double up to the longest: about 15 requests in a minute."""
LONGEST_FETCH = 5.0


class AsyncSigcast:
    """The Sigcast API. One instance serves a whole program. Close it, or use it in a `with` statement.

    Durations are seconds. `timeout` is for a whole call, including retries and pauses: if a pause would take longer than
    the time left, the call fails at once. `attempt_timeout` is for one attempt. `max_retries` is how often a call is
    retried. `http` is an HTTP client to use, for example with proxies or certificates; you close it.

    Raises ValueError when an option is invalid.
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
        """Closes the connections."""
        if self._is_own_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncSigcast:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


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


class AsyncSignals:
    """`sigcast.signals`: signals and their history."""

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
        """One page of signals, newest first: those created after `since`, up to and including `until`.

        `symbol` and `contract` are of the token. `limit` is the number of signals on a page (20). `cursor` is
        `meta["next_cursor"]` of the page before, in place of `page`. `include` adds members: `outcome`, how the status
        was decided; `realizable`, what a small order would have earned by the published exit rule. `as_of` asks for
        what was known at an instant at least a minute ago; it does not go with `include`.
        """
        filters: Query = {"type": type, "status": status, "since": since, "until": until}
        token: Query = {"symbol": symbol, "contract": contract, "include": include, "as_of": as_of}
        paging: Query = {"limit": limit, "page": page, "cursor": cursor}
        return await self._transport.page(get("/v1/signals", {**filters, **token, **paging}))

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
        """Every signal that existed when reading began, newest first, each exactly once, even while new signals arrive.

        One request for each `limit` signals.
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
        """One signal with all its fields.

        `include` adds members: `outcome`, how the status was decided; `realizable`, what a small order would have
        earned by the published exit rule. `as_of` asks for what was known at an instant at least a minute ago; it does
        not go with `include`.

        Raises SigcastError (`NOT_FOUND`) when no signal has that id, or none was known at `as_of`.
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

        Defaults: `from_` the creation of the signal, `until` now, `resolution` the finest with at most 500 buckets.
        Raises SigcastError (`NOT_FOUND`) when no history of that id is recorded, which is also so for the first moment
        of a signal.
        """
        query: Query = {"from": from_, "until": until, "resolution": resolution}
        return await self._transport.send(get(f"/v1/signals/{segment(id)}/history", query))


class AsyncStats:
    """`sigcast.stats`: statistics over signals."""

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
        """Statistics over the signals created in a period. Default: `all`.

        `include` adds figures: `distribution`, percentiles, counts by status and the time to the all-time high;
        `realizable`, what a small order by the exit rule earned. `as_of` asks for what was known at an instant at least
        a minute ago, for at most 5,000 signals; `realizable` does not go with it.
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
        """The figures by hour, day or week, for charts. Default: `hour` for the period `24h`, `day` for others.

        `include="realizable"` adds what a small order by the exit rule earned on average.
        """
        query: Query = {"type": type, "period": period, "interval": interval, "include": include}
        return await self._transport.send(get("/v1/stats/series", query))


class AsyncBacktests:
    """`sigcast.backtests`: strategies tried on signals of the past."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, limit: int | None = None, page: int | None = None) -> Page[BacktestListItem, ListMeta]:
        """A page of your backtests, newest first. Their results have no equity curve."""
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
        """Starts a backtest, which the API then computes by itself.

        A signal is bought `delay_minutes` (1) after its creation, for `size_usd` (100). It is sold when its market cap
        is `target` (2) times that of the purchase or more, or `stop` (0.5) times or less, twice in a row; None stands
        for no target or no stop. Otherwise it is sold after `hold_hours` (168). The result uses nothing that became
        known after `as_of` (a minute ago). Defaults are those of the exit rule `v1`.

        Calls with the same `idempotency_key` create one backtest, also across a restart of your program. Default: a new
        key for each call.

        Raises SigcastError (`CONFLICT`) when you have three unfinished backtests, or 100 in all.
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
        """Deletes a backtest, also while it is running. If an answer is lost, the retry may get `NOT_FOUND`."""
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
        """Starts a backtest as `create` does, and waits until it is completed, however long that takes.

        `on_progress` is called with the backtest after it is created, and each time it is fetched. When this call is
        cancelled or fails, only the waiting ends: a later call with the same `idempotency_key` waits for the same
        backtest. Raises BacktestFailedError when the backtest failed, and otherwise as `create` and `get` do.
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
    """`sigcast.events`: all events in order, without a gap."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        after: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        signal_id: str | None = None,
        limit: int | None = None,
    ) -> Page[FeedEvent, EventListMeta]:
        """The events after a cursor, oldest first; with `order="desc"` newest first.

        `after` is `meta["next_cursor"]` of an earlier answer, the id of an event, or `latest` for what happens from now
        on. Default: from the oldest event that is kept (30 days), or with `desc` from the newest.
        """
        filters: Query = {"order": order, "events": events, "types": types, "signal_id": signal_id}
        return await self._transport.page(get("/v1/events", {"after": after, **filters, "limit": limit}))

    async def iterate(
        self,
        *,
        after: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        signal_id: str | None = None,
        limit: int = 100,
    ) -> AsyncGenerator[FeedEvent, None]:
        """Every event after a cursor, to the end of the list. One request for each `limit` events."""
        while True:
            page = await self.list(
                after=after, order=order, events=events, types=types, signal_id=signal_id, limit=limit
            )
            for event in page.data:
                yield event
            after = page.meta["next_cursor"]
            # With a filter, a page may be empty although more pages follow.
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
        """Creates a subscription. Keep the secret: no other answer contains it.

        Calls with the same `idempotency_key` create one subscription, also across a restart of your program. Default: a
        new key for each call.
        """
        body = {"url": url, "events": events, "types": types, "ordered": ordered, "description": description}
        key = header_value("idempotency_key", str(uuid4()) if idempotency_key is None else idempotency_key)
        return await self._transport.send(Call("POST", "/v1/webhooks", body, key))

    async def get(self, id: str) -> Answer[Webhook]:
        """One subscription."""
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
        """Changes, pauses (`disabled`) or resumes (`enabled`) a subscription. Omitted arguments stay unchanged."""
        changes: dict[str, object] = {"url": url, "events": events, "types": types, "ordered": ordered}
        body = changes | {"description": description, "status": status}
        return await self._transport.send(Call("PATCH", _path(id), body))

    async def delete(self, id: str) -> Answer[DeletedWebhook]:
        """Deletes a subscription with its log. If an answer is lost, the retry may get `NOT_FOUND`."""
        return await self._transport.send(Call("DELETE", _path(id)))

    async def rotate_secret(self, id: str) -> Answer[CreatedWebhook]:
        """Replaces the signing secret. Both secrets sign for 24 hours; verify with both meanwhile."""
        return await self._transport.send(Call("POST", f"{_path(id)}/rotate-secret"))

    async def test(self, id: str) -> Answer[DeliveryDetail]:
        """Sends a `webhook.test` event to this subscription alone; fetch the delivery to see how it went."""
        return await self._transport.send(Call("POST", f"{_path(id)}/test"))

    async def recover(self, id: str, *, since: Instant) -> Answer[Recovery]:
        """Delivers all events missed since an instant. A long recovery goes on by itself: see `recovery` of `get`."""
        return await self._transport.send(Call("POST", f"{_path(id)}/recover", {"since": since}))

    async def health(self, id: str) -> Answer[WebhookHealth]:
        """The health of a subscription: success rates, the last error, and waiting deliveries."""
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

        The status `retrying` selects those of `pending` that were attempted before. `http_status` is the status of your
        endpoint's last answer; `none` selects deliveries that it did not answer. `since` selects deliveries made after
        that instant.
        """
        filters: Query = {"status": status, "event": event, "http_status": http_status, "signal_id": signal_id}
        paging: Query = {"since": since, "limit": limit, "page": page, "cursor": cursor}
        return await self._transport.page(get(f"{_path(id)}/deliveries", {**filters, **paging}))

    async def delivery(self, id: str, delivery_id: str) -> Answer[DeliveryDetail]:
        """One delivery with every attempt."""
        return await self._transport.send(get(f"{_path(id)}/deliveries/{segment(delivery_id)}"))

    async def retry_delivery(self, id: str, delivery_id: str) -> Answer[DeliveryDetail]:
        """Attempts a delivery once more: the same bytes under the same `webhook-id`."""
        return await self._transport.send(Call("POST", f"{_path(id)}/deliveries/{segment(delivery_id)}/retry"))


def _path(id: str) -> str:
    return f"/v1/webhooks/{segment(id)}"
