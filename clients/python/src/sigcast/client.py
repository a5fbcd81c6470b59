"""The client that blocks. Generated from async_client.py by `npx pnpm@12 client:python`: do not edit."""

from __future__ import annotations

from collections.abc import Generator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
from .platform import Platform
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


class Sigcast:
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
        http: httpx.Client | None = None,
        _platform: Platform | None = None,
    ) -> None:
        options = Options(api_key, base_url, timeout, attempt_timeout, max_retries)
        self._is_own_http = http is None
        self._http = httpx.Client() if http is None else http
        self._transport = Transport(options, self._http, _platform or Platform())
        self.signals = Signals(self._transport)
        self.stats = Stats(self._transport)
        self.backtests = Backtests(self._transport)
        self.webhooks = Webhooks(self._transport)
        self.events = Events(self._transport)

    def stream(
        self,
        *,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        last_event_id: str | None = None,
        idle_timeout: float = 45,
        on_connection: Callable[[StreamConnection], object] = lambda connection: None,
    ) -> Generator[FeedEvent, None, None]:
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
            with ExitStack() as connection:
                # Only the connection's own errors are caught: what the caller's callback raises is the caller's.
                try:
                    opening = self._transport.open(path, following.last_event_id, idle_timeout)
                    chunks = connection.enter_context(opening)
                except (SigcastError, SigcastConnectionError) as error:
                    cause = error
                else:
                    following.opened()
                    on_connection(StreamConnection("open"))
                    try:
                        for chunk in chunks:
                            for event in following.read(chunk):
                                yield event
                    except (SigcastError, SigcastConnectionError) as error:
                        cause = error
            pause = following.lost(cause, held=platform.now() - started_at)
            on_connection(StreamConnection("lost", cause))
            platform.pause(pause)

    def close(self) -> None:
        """Closes the connections."""
        if self._is_own_http:
            self._http.close()

    def __enter__(self) -> Sigcast:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Transport:
    """Sends requests, and retries them where that is safe and can help."""

    def __init__(self, options: Options, http: httpx.Client, platform: Platform) -> None:
        self.options = options
        self.platform = platform
        self._http = http

    def send(self, call: Call) -> Answer[Any]:
        """Sends a request, for an answer without `meta`. Raises as `page` does."""
        page = self.page(call)
        return Answer(page.data, page.request_id, page.rate_limit)

    def page(self, call: Call) -> Page[Any, Any]:
        """Sends a request.

        Raises SigcastError when the API refuses, SigcastConnectionError when no complete answer came.
        """
        platform = self.platform
        ends_at = platform.now() + self.options.timeout
        attempt = 1
        while True:
            try:
                return self._attempt(call, ends_at - platform.now())
            except (SigcastError, SigcastConnectionError) as error:
                pause = pause_before_retry(error, attempt, call, platform.random)
                # If the pause would outlast the call, the error is raised now.
                if pause is None or attempt > self.options.max_retries or platform.now() + pause >= ends_at:
                    raise
            platform.pause(pause)
            attempt += 1

    @contextmanager
    def open(self, path: str, last_event_id: str, idle_timeout: float) -> Iterator[Iterator[bytes]]:
        """Opens a stream of events, without retries. Opening and reading raise as `page` does."""
        limit = self.options.attempt_timeout
        headers = self.options.headers(
            "text/event-stream, application/json",
            {"last-event-id": last_event_id or None, "accept-encoding": "identity"},
        )
        request = self._http.build_request("GET", self.options.url(path), headers=headers, timeout=limit)
        with _connection_errors(request):
            response = self.platform.within(limit, self._send(request))
        try:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not response.is_success or kind != "text/event-stream":
                body = b""
                if not response.is_success:
                    with _connection_errors(request):
                        ends_at = self.platform.now() + limit
                        body = self.platform.within(limit, self._whole(response, ends_at))
                raise refusal_of(Reply(response.status_code, response.headers, body))
            # The headers have arrived. From now on a read may take as long as a stream may be silent.
            request.extensions["timeout"]["read"] = idle_timeout
            yield self._chunks(request, response)
        finally:
            self.platform.finish(response.close)

    def _chunks(self, request: httpx.Request, response: httpx.Response) -> Iterator[bytes]:
        chunks = response.iter_bytes()
        while True:
            with _connection_errors(request):
                chunk = self.platform.within(None, next(chunks, None))
            if chunk is None:
                return
            yield chunk

    def _attempt(self, call: Call, left: float) -> Page[Any, Any]:
        limit = max(0.001, min(self.options.attempt_timeout, left))
        request = self._http.build_request(
            call.method,
            self.options.url(call.path),
            headers=self.options.headers("application/json", call.headers),
            content=call.content,
            timeout=limit,
        )
        with _connection_errors(request):
            reply = self.platform.within(limit, self._reply(request, self.platform.now() + limit))
        return read_answer(reply)

    def _reply(self, request: httpx.Request, ends_at: float) -> Reply:
        response = self._send(request)
        try:
            body = self._whole(response, ends_at)
            return Reply(response.status_code, response.headers, body)
        finally:
            response.close()

    def _send(self, request: httpx.Request) -> httpx.Response:
        """A response whose body is yet to be read."""
        # The API never redirects, and the key must not be sent elsewhere.
        return self._http.send(request, stream=True, auth=None, follow_redirects=False)

    def _whole(self, response: httpx.Response, ends_at: float) -> bytes:
        """The complete body. Raises TimeoutError when it takes until after `ends_at`."""
        body = b""
        for chunk in response.iter_bytes():
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


class Signals:
    """`sigcast.signals`: signals and their history."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
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
        return self._transport.page(get("/v1/signals", {**filters, **token, **paging}))

    def iterate(
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
    ) -> Generator[SignalListItem, None, None]:
        """Every signal that existed when reading began, newest first, each exactly once, even while new signals arrive.

        One request for each `limit` signals.
        """
        cursor: str | None = None
        while True:
            page = self.list(
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

    def get(
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
        return self._transport.send(get(f"/v1/signals/{segment(id)}", {"include": include, "as_of": as_of}))

    def history(
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
        return self._transport.send(get(f"/v1/signals/{segment(id)}/history", query))


class Stats:
    """`sigcast.stats`: statistics over signals."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
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
        return self._transport.send(get("/v1/stats", query))

    def series(
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
        return self._transport.send(get("/v1/stats/series", query))


class Backtests:
    """`sigcast.backtests`: strategies tried on signals of the past."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, limit: int | None = None, page: int | None = None) -> Page[BacktestListItem, ListMeta]:
        """A page of your backtests, newest first. Their results have no equity curve."""
        return self._transport.page(get("/v1/backtests", {"limit": limit, "page": page}))

    def create(
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
        return self._transport.send(Call("POST", "/v1/backtests", {**body, **exits, **end}, key))

    def get(self, id: str) -> Answer[Backtest]:
        """A backtest with its progress, and with its result once it is completed."""
        return self._transport.send(get(f"/v1/backtests/{segment(id)}"))

    def delete(self, id: str) -> Answer[DeletedBacktest]:
        """Deletes a backtest, also while it is running. If an answer is lost, the retry may get `NOT_FOUND`."""
        return self._transport.send(Call("DELETE", f"/v1/backtests/{segment(id)}"))

    def run(
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
        answer = self.create(
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
            platform.pause(
                backoff(fetched, first=FIRST_FETCH, longest=LONGEST_FETCH, random=platform.random)
            )
            answer = self.get(answer.data["id"])
            on_progress(answer.data)
            fetched += 1
        if answer.data["status"] == "failed":
            raise BacktestFailedError(answer.data)
        return Answer(cast(CompletedBacktest, answer.data), answer.request_id, answer.rate_limit)


class Events:
    """`sigcast.events`: all events in order, without a gap."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
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
        return self._transport.page(get("/v1/events", {"after": after, **filters, "limit": limit}))

    def iterate(
        self,
        *,
        after: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        signal_id: str | None = None,
        limit: int = 100,
    ) -> Generator[FeedEvent, None, None]:
        """Every event after a cursor, to the end of the list. One request for each `limit` events."""
        while True:
            page = self.list(
                after=after, order=order, events=events, types=types, signal_id=signal_id, limit=limit
            )
            for event in page.data:
                yield event
            after = page.meta["next_cursor"]
            # With a filter, a page may be empty although more pages follow.
            if not page.meta["has_more"]:
                return


class Webhooks:
    """`sigcast.webhooks`: subscriptions, and the log of what was delivered."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, limit: int | None = None, page: int | None = None) -> Page[Webhook, ListMeta]:
        """A page of your subscriptions, newest first."""
        return self._transport.page(get("/v1/webhooks", {"limit": limit, "page": page}))

    def create(
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
        return self._transport.send(Call("POST", "/v1/webhooks", body, key))

    def get(self, id: str) -> Answer[Webhook]:
        """One subscription."""
        return self._transport.send(get(_path(id)))

    def update(
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
        return self._transport.send(Call("PATCH", _path(id), body))

    def delete(self, id: str) -> Answer[DeletedWebhook]:
        """Deletes a subscription with its log. If an answer is lost, the retry may get `NOT_FOUND`."""
        return self._transport.send(Call("DELETE", _path(id)))

    def rotate_secret(self, id: str) -> Answer[CreatedWebhook]:
        """Replaces the signing secret. Both secrets sign for 24 hours; verify with both meanwhile."""
        return self._transport.send(Call("POST", f"{_path(id)}/rotate-secret"))

    def test(self, id: str) -> Answer[DeliveryDetail]:
        """Sends a `webhook.test` event to this subscription alone; fetch the delivery to see how it went."""
        return self._transport.send(Call("POST", f"{_path(id)}/test"))

    def recover(self, id: str, *, since: Instant) -> Answer[Recovery]:
        """Delivers all events missed since an instant. A long recovery goes on by itself: see `recovery` of `get`."""
        return self._transport.send(Call("POST", f"{_path(id)}/recover", {"since": since}))

    def health(self, id: str) -> Answer[WebhookHealth]:
        """The health of a subscription: success rates, the last error, and waiting deliveries."""
        return self._transport.send(get(f"{_path(id)}/health"))

    def deliveries(
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
        return self._transport.page(get(f"{_path(id)}/deliveries", {**filters, **paging}))

    def delivery(self, id: str, delivery_id: str) -> Answer[DeliveryDetail]:
        """One delivery with every attempt."""
        return self._transport.send(get(f"{_path(id)}/deliveries/{segment(delivery_id)}"))

    def retry_delivery(self, id: str, delivery_id: str) -> Answer[DeliveryDetail]:
        """Attempts a delivery once more: the same bytes under the same `webhook-id`."""
        return self._transport.send(Call("POST", f"{_path(id)}/deliveries/{segment(delivery_id)}/retry"))


def _path(id: str) -> str:
    return f"/v1/webhooks/{segment(id)}"
