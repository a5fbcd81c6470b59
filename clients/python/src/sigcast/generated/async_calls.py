"""Calls of the API. Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal

from ..answer import Answer, Page
from ..async_transport import AsyncTransport
from ..call import OMITTED, Call, Instant, Omitted, OneOrMore, idempotency, query_string, segment
from ..generated.types import (
    Backtest,
    BacktestListItem,
    BacktestTrade,
    ChatTemplate,
    CreateBacktestCosts,
    CreateBacktestFilters,
    CreatedWebhook,
    DeletedBacktest,
    DeletedWebhook,
    Delivery,
    DeliveryDetail,
    EventListMeta,
    FeedEvent,
    ListMeta,
    Recovery,
    SentEventType,
    Signal,
    SignalHistory,
    SignalListItem,
    SignalProof,
    SignalStatus,
    SignalType,
    Statistics,
    StatisticsSeries,
    SubscribableEvent,
    TelegramDestination,
    TriedFilter,
    Webhook,
    WebhookBatch,
    WebhookEventType,
    WebhookHealth,
    WebhookKind,
)


class AsyncSignals:
    """`sigcast.signals`: Token signals, each with market data and performance."""

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
        chain: str | None = None,
        filter: str | None = None,
        sort: Literal["created_at", "roi", "ath_roi", "mcap_current", "liquidity"] | None = None,
        include: OneOrMore[Literal["outcome", "origin", "realizable"]] | None = None,
        limit: int | None = None,
        page: int | None = None,
        cursor: str | None = None,
        as_of: Instant | None = None,
    ) -> Page[SignalListItem, ListMeta]:
        """List signals.

        Signals with their token, metrics and performance, newest first, or highest first by the figure that
        `sort` names. Filter by type, status, time, token or any other field (`filter`), and follow
        `meta.next_cursor` to read everything: no signal is skipped or repeated while new ones arrive. With
        `as_of`, you get the list as it was known at that instant. In a list sorted by a figure, only signals
        whose figure changes meanwhile may be skipped or repeated. Equal ones are ordered by `id` descending. With
        `as_of`, filters apply to the figures and statuses of that instant, and `include`, `filter` and `sort`
        can’t be used. The total then counts at most 20,000 signals, as for `symbol`, `contract` and `chain`;
        `meta.total_capped` says where there are more. A `filter`, and a `sort` by a figure, examines at most
        20,000 signals, and the total of these is exact. If the other parameters and the conditions that an index
        serves leave more, the answer is 400 and names `filter` or `sort`. An index serves `created_at`, `eq` and
        `in` of `type` and `performance.status`, and `eq` of `token.chain`, `token.contract` and `token.symbol`,
        outside `any` and `not`. A key that has scopes needs `signals:read`.

        Args:
            type: One kind of signal, or several separated by commas.
            status: One status, or several separated by commas.
            since: Only signals created after this instant, itself excluded. A bare date means 00:00 UTC of that
                day.
            until: Only signals created up to this instant, itself included. A bare date means 00:00 UTC of that
                day.
            symbol: Only signals of tokens with exactly this symbol, in upper or lower case.
            contract: Only signals of the token with this contract address: `0x…` addresses in upper or lower
                case, others exactly, whatever the chain.
            chain: Only signals of tokens on this chain, by DexScreener’s name of it, such as `solana`.
            filter: Only signals that meet all conditions of this object, in JSON: fields by their path, with
                operators. Fields are those of a signal with all details, of `origin` and of `realizable`. Operators
                are `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in`, `nin` and `exists`, and for texts `starts_with` and
                `contains`, in any case. With `any`, a list of such objects, at least one is met; with `not`, such
                an object, it is not met. A value that is null or missing meets `exists: false`, `ne` and `nin`
                alone. `token.contract` and `token.symbol` are equal as for `contract` and `symbol`.
                Percent-encoded, it has at most 6,000 bytes.
            sort: What the list is sorted by, the highest first; among equal ones, the highest id. Without it:
                `created_at`.
            include: More members, separated by commas: `outcome` for who decided the status, by which rule, on
                which observations; `origin` for the rule and the figures that the signal rests on; `realizable` for
                what a small order would have earned by the published exit rule.
            limit: Results per page. Default: `20`.
            page: Page number, from 1; `page` × `limit` may reach 10,000.
            cursor: `meta.next_cursor` of the previous page; instead of `page`.
            as_of: What was known at this instant, instead of now: by the time at which each change was
                recorded, so nothing later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of
                that day.
        """
        return await self._transport.page(Call("GET", "/v1/signals" + query_string({
            "type": type,
            "status": status,
            "since": since,
            "until": until,
            "symbol": symbol,
            "contract": contract,
            "chain": chain,
            "filter": filter,
            "sort": sort,
            "include": include,
            "limit": limit,
            "page": page,
            "cursor": cursor,
            "as_of": as_of,
        })))

    def iterate(
        self,
        *,
        type: OneOrMore[SignalType] | None = None,
        status: OneOrMore[SignalStatus] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        symbol: str | None = None,
        contract: str | None = None,
        chain: str | None = None,
        filter: str | None = None,
        sort: Literal["created_at", "roi", "ath_roi", "mcap_current", "liquidity"] | None = None,
        include: OneOrMore[Literal["outcome", "origin", "realizable"]] | None = None,
        as_of: Instant | None = None,
        limit: int = 100,
    ) -> AsyncGenerator[SignalListItem, None]:
        """Everything that `list` finds, page after page, each entry once.

        One request for each `limit` entries.

        Args:
            type: One kind of signal, or several separated by commas.
            status: One status, or several separated by commas.
            since: Only signals created after this instant, itself excluded. A bare date means 00:00 UTC of that
                day.
            until: Only signals created up to this instant, itself included. A bare date means 00:00 UTC of that
                day.
            symbol: Only signals of tokens with exactly this symbol, in upper or lower case.
            contract: Only signals of the token with this contract address: `0x…` addresses in upper or lower
                case, others exactly, whatever the chain.
            chain: Only signals of tokens on this chain, by DexScreener’s name of it, such as `solana`.
            filter: Only signals that meet all conditions of this object, in JSON: fields by their path, with
                operators. Fields are those of a signal with all details, of `origin` and of `realizable`. Operators
                are `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in`, `nin` and `exists`, and for texts `starts_with` and
                `contains`, in any case. With `any`, a list of such objects, at least one is met; with `not`, such
                an object, it is not met. A value that is null or missing meets `exists: false`, `ne` and `nin`
                alone. `token.contract` and `token.symbol` are equal as for `contract` and `symbol`.
                Percent-encoded, it has at most 6,000 bytes.
            sort: What the list is sorted by, the highest first; among equal ones, the highest id. Without it:
                `created_at`.
            include: More members, separated by commas: `outcome` for who decided the status, by which rule, on
                which observations; `origin` for the rule and the figures that the signal rests on; `realizable` for
                what a small order would have earned by the published exit rule.
            as_of: What was known at this instant, instead of now: by the time at which each change was
                recorded, so nothing later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of
                that day.
        """
        return self._transport.entries("/v1/signals", {
            "type": type,
            "status": status,
            "since": since,
            "until": until,
            "symbol": symbol,
            "contract": contract,
            "chain": chain,
            "filter": filter,
            "sort": sort,
            "include": include,
            "as_of": as_of,
            "limit": limit,
        }, "cursor")

    async def get(
        self,
        signal_id: str,
        *,
        include: OneOrMore[Literal["outcome", "origin", "realizable"]] | None = None,
        as_of: Instant | None = None,
    ) -> Answer[Signal]:
        """Get a signal.

        The token, metrics and performance of a signal, and when the signal last changed. With `include=outcome`,
        the answer also says who decided the status, by which rule, and on which observations; with
        `include=origin`, by which rule the signal was made, and from which figures; with `include=realizable`,
        what an order of 100 US dollars would have earned by the published exit rule, after costs. With `as_of`,
        the answer is the signal as it was known at that instant, and 404 where it was not known; `include` can’t
        be used with it. A key that has scopes needs `signals:read`.

        Args:
            include: More members, separated by commas: `outcome` for who decided the status, by which rule, on
                which observations; `origin` for the rule and the figures that the signal rests on; `realizable` for
                what a small order would have earned by the published exit rule.
            as_of: What was known at this instant, instead of now: by the time at which each change was
                recorded, so nothing later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of
                that day.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/signals/{segment(signal_id)}" + query_string({"include": include, "as_of": as_of})))

    async def history(
        self,
        signal_id: str,
        *,
        from_: Instant | None = None,
        until: Instant | None = None,
        resolution: Literal["1m", "5m", "1h", "1d", "1w"] | None = None,
    ) -> Answer[SignalHistory]:
        """Get a signal’s history.

        Market cap and liquidity over time, for charts: the observations of a signal in buckets of a minute, five
        minutes, an hour, a day or a week (UTC), with its entry, its all-time high and every change of its status.
        The history follows a change of the signal within a second. It is 404 where no history was recorded: for a
        moment after a signal is created, and for an old signal that has not changed since the system keeps
        histories. An answer has at most 1,000 buckets; for more, it is 400 and names `resolution`. Of
        observations older than 30 days the last of each hour is kept, and those that change the status or are a
        new all-time high. A key that has scopes needs `signals:read`.

        Args:
            from_: Only observations from this instant on, itself included; without it, from the signal’s
                creation. A bare date means 00:00 UTC of that day.
            until: Only observations up to this instant, itself included; without it, up to now. A bare date
                means 00:00 UTC of that day.
            resolution: What one bucket covers, in UTC; weeks begin on Monday. Without it: the finest with at
                most 500 buckets of the signal’s life between `from` and `until`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/signals/{segment(signal_id)}/history" + query_string({"from": from_, "until": until, "resolution": resolution})))

    async def proof(
        self,
        signal_id: str,
    ) -> Answer[SignalProof]:
        """Get a signal’s proof.

        Proves that a signal and its outcome are in the public log. `entries` is what was published about the
        signal, word for word: the signal when it was created, each decision of its outcome, and corrections. Each
        entry has the proof that the signed checkpoint has it. It is 404 until the log has the signal, some two
        seconds after it is created. A key that has scopes needs `signals:read`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/signals/{segment(signal_id)}/proof"))


class AsyncStats:
    """`sigcast.stats`: Figures over many signals."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        type: SignalType | None = None,
        period: Literal["24h", "7d", "30d", "all"] | None = None,
        include: OneOrMore[Literal["distribution", "realizable"]] | None = None,
        as_of: Instant | None = None,
    ) -> Answer[Statistics]:
        """Get statistics.

        Counts, win rate and returns of the signals created in a period, in total and by type. Figures follow a
        change of a signal within a second. With `include=distribution`, the answer also has percentiles of `roi`
        and `ath_roi` (nearest rank, each within 0.5 % of its exact value), the number of signals of each status,
        and the mean time to the all-time high. With `include=realizable`, it has what an order of 100 US dollars
        would have earned after costs, bought and sold by a published rule: the mean, the part in profit,
        percentiles, and how the orders were sold. With `as_of`, the figures are those of that instant, over the
        signals created in the period before it. The period may then have at most 5,000 signals: with more, the
        answer is 400 and names `period`; and `include=realizable` can’t be used. A key that has scopes needs
        `stats:read`.

        Args:
            type: Only signals of this kind.
            period: Only signals created in this time up to now. Default: `all`.
            include: More figures: `distribution` for percentiles, counts by status and the time to the all-time
                high; `realizable` for what a small order by the exit rule earned. One, or both separated by a
                comma.
            as_of: What was known at this instant, instead of now: by the time at which each change was
                recorded, so nothing later is in the answer. At least 60 seconds ago. A bare date means 00:00 UTC of
                that day.
        """
        return await self._transport.send(Call("GET", "/v1/stats" + query_string({"type": type, "period": period, "include": include, "as_of": as_of})))

    async def series(
        self,
        *,
        type: SignalType | None = None,
        period: Literal["24h", "7d", "30d", "all"] | None = None,
        interval: Literal["hour", "day", "week", "month"] | None = None,
        include: OneOrMore[Literal["realizable"]] | None = None,
    ) -> Answer[StatisticsSeries]:
        """Get statistics over time.

        The figures of `GET /v1/stats` for each hour or day (UTC) of a period, for charts, by the time when
        signals were created. Totals of the points add up to those of the period. The first point is the interval
        in which the period begins; for `all`, the first interval that has a signal. The last point is the
        interval of `as_of`, or of a signal whose producer’s clock is ahead. An answer has at most 3,000 points;
        if `all` reaches back more than 3,000 days, the answer is 400 and names `period`. With
        `include=realizable`, each point also has what an order by the exit rule earned on average with the
        signals created in it. A key that has scopes needs `stats:read`.

        Args:
            type: Only signals of this kind.
            period: Only signals created in this time up to now. Default: `all`.
            interval: What one point covers, in UTC; weeks begin on Monday. Without it: `hour` for the period
                `24h`, `day` for the others, or `week` where there are more than 3,000 days. `hour` and `all` can’t
                be combined.
            include: More figures: `realizable` for what a small order by the exit rule earned on average.
        """
        return await self._transport.send(Call("GET", "/v1/stats/series" + query_string({"type": type, "period": period, "interval": interval, "include": include})))


class AsyncBacktests:
    """`sigcast.backtests`: Strategies tried on signals of the past."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str | None | Omitted = OMITTED,
        filters: CreateBacktestFilters,
        filter: dict[str, Any] | None | Omitted = OMITTED,
        delay_minutes: int | Omitted = OMITTED,
        size_usd: float | Omitted = OMITTED,
        target: float | None | Omitted = OMITTED,
        stop: float | None | Omitted = OMITTED,
        hold_hours: int | Omitted = OMITTED,
        costs: CreateBacktestCosts | Omitted = OMITTED,
        as_of: Instant | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> Answer[Backtest]:
        """Run a backtest.

        Tries a strategy on past signals: buys each one that passes the filters, sells it by target, stop or time,
        and takes off the costs. Every decision uses what was known at its instant, as `as_of` shows it, so a
        backtest can’t look ahead. The same request with the same `as_of` gives the same result. The work goes on
        by itself; fetch the backtest until its status is `completed`. It can go through 10,000 signals; for more
        the answer is 400 and names `filters.since`. An account can have 3 unfinished backtests, and 100 in all; a
        further one is a conflict. They are kept for 30 days. A key that has scopes needs `backtests:write`.

        Args:
            name: What you call it, up to 80 characters; without it, or with null, it has no name.
            filters: Which signals are bought. `null` for `is_premium` or a figure means the same as leaving it
                out.
            filter: Only signals that met all conditions when they were created, by what was known then: fields
                of an event’s `data` without `performance` and `metrics.mcap_ath`. Null for none.
            delay_minutes: Minutes from the signal’s creation to the earliest purchase. The signal is bought
                with the first figures with liquidity that become known in the hour after that. Default: `1`.
            size_usd: What each purchase costs, US dollars, its fee included. Default: `100`.
            target: Sells when the market cap is at least this multiple of the one at the purchase, twice in a
                row; null for no target. Default: `2`.
            stop: Sells when the market cap is at most this multiple of the one at the purchase, twice in a row;
                null for no stop. Default: `0.5`.
            hold_hours: Sells with the first figures after this many hours. Default: `168`.
            costs: What each trade costs.
            as_of: Nothing that was known later has a part in the result; without it, a minute ago. At least 60
                seconds ago. A bare date means 00:00 UTC of that day.
            idempotency_key: Calls with the same key have one effect, also across a restart of your program.
                Default: a new key for each call.

        Raises:
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("POST", "/v1/backtests", {
            "name": name,
            "filters": filters,
            "filter": filter,
            "delay_minutes": delay_minutes,
            "size_usd": size_usd,
            "target": target,
            "stop": stop,
            "hold_hours": hold_hours,
            "costs": costs,
            "as_of": as_of,
        }, idempotency_key=idempotency(idempotency_key)))

    async def list(
        self,
        *,
        limit: int | None = None,
        page: int | None = None,
    ) -> Page[BacktestListItem, ListMeta]:
        """List backtests.

        Results in the list are without the histogram and the equity curve. A key that has scopes needs
        `backtests:write`.

        Args:
            limit: Results per page. Default: `20`.
            page: Page number, from 1. Default: `1`.
        """
        return await self._transport.page(Call("GET", "/v1/backtests" + query_string({"limit": limit, "page": page})))

    async def get(
        self,
        backtest_id: str,
    ) -> Answer[Backtest]:
        """Get a backtest.

        Its progress, and its result once it is completed. A key that has scopes needs `backtests:write`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/backtests/{segment(backtest_id)}"))

    async def trades(
        self,
        backtest_id: str,
        *,
        limit: int | None = None,
        page: int | None = None,
        cursor: str | None = None,
    ) -> Page[BacktestTrade, ListMeta]:
        """List a backtest’s trades.

        All trades behind the result, up to 1,000 on a page. They do not change any more. While the backtest is
        not completed, the answer is a conflict. A key that has scopes needs `backtests:write`.

        Args:
            limit: Trades per page. Default: `20`.
            page: Page number, from 1; `page` × `limit` may reach 10,000.
            cursor: `meta.next_cursor` of the previous page; instead of `page`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.page(Call("GET", f"/v1/backtests/{segment(backtest_id)}/trades" + query_string({"limit": limit, "page": page, "cursor": cursor})))

    async def delete(
        self,
        backtest_id: str,
    ) -> Answer[DeletedBacktest]:
        """Delete a backtest.

        Also while it is running: its work ends within seconds. Its result is gone. A key that has scopes needs
        `backtests:write`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("DELETE", f"/v1/backtests/{segment(backtest_id)}"))


class AsyncWebhooks:
    """`sigcast.webhooks`: Addresses that get events, and the log of deliveries."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        kind: WebhookKind | Omitted = OMITTED,
        url: str | Omitted = OMITTED,
        telegram: TelegramDestination | Omitted = OMITTED,
        template: ChatTemplate | Omitted = OMITTED,
        events: Sequence[SubscribableEvent],
        types: Sequence[SignalType] | Omitted = OMITTED,
        filter: dict[str, Any] | Omitted = OMITTED,
        ordered: bool | Omitted = OMITTED,
        batch: WebhookBatch | None | Omitted = OMITTED,
        description: str | Omitted = OMITTED,
        idempotency_key: str | None = None,
    ) -> Answer[CreatedWebhook]:
        """Create a webhook.

        Sends events to an address. The answer contains the signing secret, which is shown only now. An account
        can have 20 webhooks, or as many as its plan allows. Until the address has answered 200 once, it gets one
        request at a time. While it fails, pauses grow to a minute, and events wait. A key that has scopes needs
        `webhooks:write`.

        Args:
            kind: `webhook` where it is left out; the others are chats, where people read messages.
            url: Where events are sent: an https address that is reachable from the internet, with port 443 or
                8443. The operator of a server may permit more: http with port 80 or 8080, and further ports. For
                `slack` and `discord`, the address of the incoming webhook that they gave you; for `telegram` it is
                left out.
            telegram: Only for `telegram`: the bot, which has to be a member of the chat, and the chat.
            template: How much a message in a chat says. `standard` where it is left out.
            events: `webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a
                day, or was disabled by Sigcast.
            types: Only events of signals of these types; without it, of all types. Events that are not about
                signals always come.
            filter: Only events whose signal meets all conditions: fields of the event’s `data` by their path,
                as in `filter` of `GET /v1/signals`. At most 20 conditions. Events that are not about signals always
                come.
            ordered: One event at a time, in the order of the feed: later ones wait until an earlier one is
                delivered, or has failed with all its retries. False where it is left out. Chats are always ordered.
            batch: For an ordered webhook: events that wait are sent together, as an array in one request with
                one signature. A request that fails is repeated with the same `webhook-id` and bytes. Each event in
                it has its `id`.
            description: For yourself.
            idempotency_key: Calls with the same key have one effect, also across a restart of your program.
                Default: a new key for each call.

        Raises:
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("POST", "/v1/webhooks", {
            "kind": kind,
            "url": url,
            "telegram": telegram,
            "template": template,
            "events": events,
            "types": types,
            "filter": filter,
            "ordered": ordered,
            "batch": batch,
            "description": description,
        }, idempotency_key=idempotency(idempotency_key)))

    async def list(
        self,
        *,
        limit: int | None = None,
        page: int | None = None,
    ) -> Page[Webhook, ListMeta]:
        """List webhooks.

        All webhooks of the account, without their secrets. An account has 20 at most, so one page of 20 holds
        all. A key that has scopes needs `webhooks:read`.

        Args:
            limit: Results per page. Default: `20`.
            page: Page number, from 1. Default: `1`.
        """
        return await self._transport.page(Call("GET", "/v1/webhooks" + query_string({"limit": limit, "page": page})))

    async def get(
        self,
        webhook_id: str,
    ) -> Answer[Webhook]:
        """Get a webhook.

        The settings of the webhook, since when it fails if it does, and how its last recovery went. A key that
        has scopes needs `webhooks:read`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/webhooks/{segment(webhook_id)}"))

    async def update(
        self,
        webhook_id: str,
        *,
        url: str | Omitted = OMITTED,
        telegram: TelegramDestination | Omitted = OMITTED,
        template: ChatTemplate | Omitted = OMITTED,
        events: Sequence[SubscribableEvent] | Omitted = OMITTED,
        types: Sequence[SignalType] | Omitted = OMITTED,
        filter: dict[str, Any] | None | Omitted = OMITTED,
        ordered: bool | Omitted = OMITTED,
        batch: WebhookBatch | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        status: Literal["enabled", "disabled"] | Omitted = OMITTED,
    ) -> Answer[Webhook]:
        """Change, pause or resume a webhook.

        Members that are left out stay as they are. `status: disabled` pauses: nothing is sent, pending deliveries
        wait, and events that happen meanwhile are kept. `status: enabled` sends the pending deliveries. To get
        the events that happened meanwhile, call `recover` then. A key that has scopes needs `webhooks:write`.

        Args:
            url: Where events are sent: an https address that is reachable from the internet, with port 443 or
                8443. The operator of a server may permit more: http with port 80 or 8080, and further ports. For
                `slack` and `discord`, the address of the incoming webhook that they gave you; for `telegram` it is
                left out.
            telegram: Only for `telegram`: the bot, which has to be a member of the chat, and the chat.
            template: How much a message in a chat says.
            events: `webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a
                day, or was disabled by Sigcast.
            types: Only events of signals of these kinds.
            filter: Only events whose signal meets all conditions: fields of the event’s `data` by their path,
                as in `filter` of `GET /v1/signals`. At most 20 conditions. Events that are not about signals always
                come. Null for none.
            ordered: One event at a time, in the order of the feed: later ones wait until an earlier one is
                delivered, or has failed with all its retries.
            batch: For an ordered webhook: events that wait are sent together, as an array in one request with
                one signature. A request that fails is repeated with the same `webhook-id` and bytes. Each event in
                it has its `id`. Null for each event alone.
            description: For yourself; null for none.
            status: `disabled` pauses: nothing is sent. `enabled` goes on.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("PATCH", f"/v1/webhooks/{segment(webhook_id)}", {
            "url": url,
            "telegram": telegram,
            "template": template,
            "events": events,
            "types": types,
            "filter": filter,
            "ordered": ordered,
            "batch": batch,
            "description": description,
            "status": status,
        }))

    async def delete(
        self,
        webhook_id: str,
    ) -> Answer[DeletedWebhook]:
        """Delete a webhook.

        Nothing more is sent to it, pending deliveries included. The log of deliveries is deleted too. A key that
        has scopes needs `webhooks:write`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("DELETE", f"/v1/webhooks/{segment(webhook_id)}"))

    async def rotate_secret(
        self,
        webhook_id: str,
    ) -> Answer[CreatedWebhook]:
        """Rotate a webhook’s secret.

        Makes a new signing secret. The new secret signs from now on. The old secret signs too for 24 hours:
        `webhook-signature` then holds a signature by each, separated by spaces, newest first. While four replaced
        secrets still sign, a further rotation is a conflict. A key that has scopes needs `webhooks:write`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("POST", f"/v1/webhooks/{segment(webhook_id)}/rotate-secret"))

    async def test(
        self,
        webhook_id: str,
    ) -> Answer[DeliveryDetail]:
        """Send a test event.

        Sends a `webhook.test` event with a made-up signal to this webhook alone, whatever `events` and `types`
        say, also while the webhook is disabled. It is attempted once. A second test within 10 seconds is a
        conflict; `Retry-After` says when the next test is possible. A key that has scopes needs `webhooks:write`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("POST", f"/v1/webhooks/{segment(webhook_id)}/test"))

    async def recover(
        self,
        webhook_id: str,
        *,
        since: Instant,
    ) -> Answer[Recovery]:
        """Recover missed events.

        Delivers everything that was missed since an instant. Deliveries that failed since then are sent again,
        with all their retries. Events since then (and since the webhook was made) that match the webhook as it is
        now and never had a delivery get one. What was delivered is not sent again. A long recovery goes on by
        itself: see `recovery` of the webhook. The call is a conflict while the webhook is disabled or another
        recovery is running. A key that has scopes needs `webhooks:write`.

        Args:
            since: From this instant on, at most 30 days back. A bare date means 00:00 UTC of that day.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("POST", f"/v1/webhooks/{segment(webhook_id)}/recover", {"since": since}))

    async def health(
        self,
        webhook_id: str,
    ) -> Answer[WebhookHealth]:
        """Get a webhook’s health.

        How many of the deliveries of the last 24 hours and of the last 50 attempts succeeded, the last error, and
        how many deliveries wait, are retried, and have failed. Counted from the log at the moment. A key that has
        scopes needs `webhooks:read`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/webhooks/{segment(webhook_id)}/health"))

    async def deliveries(
        self,
        webhook_id: str,
        *,
        status: Literal["pending", "retrying", "delivered", "failed"] | None = None,
        event: SentEventType | None = None,
        http_status: str | None = None,
        signal_id: str | None = None,
        since: Instant | None = None,
        limit: int | None = None,
        page: int | None = None,
        cursor: str | None = None,
    ) -> Page[Delivery, ListMeta]:
        """List deliveries.

        Deliveries to a webhook, newest first. Follow `meta.next_cursor` to read everything. Deliveries are kept
        for 30 days. A `meta.total` of 10,000 stands for 10,000 or more. A key that has scopes needs
        `webhooks:read`.

        Args:
            status: Only deliveries with this status. `retrying`: pending ones that were attempted before.
            event: Only deliveries of this event.
            http_status: Only deliveries whose last attempt your endpoint answered with this status; `none`: did
                not answer.
            signal_id: Only deliveries about this signal.
            since: Only deliveries made after this instant, itself excluded. A bare date means 00:00 UTC.
            limit: Results per page. Default: `20`.
            page: Page number, from 1; `page` × `limit` may reach 10,000.
            cursor: `meta.next_cursor` of the previous page; instead of `page`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.page(Call("GET", f"/v1/webhooks/{segment(webhook_id)}/deliveries" + query_string({
            "status": status,
            "event": event,
            "http_status": http_status,
            "signal_id": signal_id,
            "since": since,
            "limit": limit,
            "page": page,
            "cursor": cursor,
        })))

    async def delivery(
        self,
        webhook_id: str,
        delivery_id: str,
    ) -> Answer[DeliveryDetail]:
        """Get a delivery.

        What was sent, byte for byte, and every attempt: of each attempt its headers, the headers and the
        beginning of what your endpoint answered, and how long each step took. A key that has scopes needs
        `webhooks:read`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/webhooks/{segment(webhook_id)}/deliveries/{segment(delivery_id)}"))

    async def retry_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
    ) -> Answer[DeliveryDetail]:
        """Retry a delivery.

        One more attempt, at once: the same bytes under the same `webhook-id`. For a delivery that failed or was
        delivered, no retries follow; what was delivered stays so, whatever the outcome. It is made also while the
        webhook is disabled. For a delivery that waits for its next attempt, that attempt is made now, and as many
        retries follow as would have without it. The call is a conflict while an attempt is due or under way,
        while the delivery waits because the webhook is disabled, and when the event is no longer kept. A key that
        has scopes needs `webhooks:write`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
            SigcastError: `CONFLICT`: The request conflicts with the current state.
        """
        return await self._transport.send(Call("POST", f"/v1/webhooks/{segment(webhook_id)}/deliveries/{segment(delivery_id)}/retry"))


class AsyncEvents:
    """`sigcast.events`: Events that happened, as a list, as a stream, and as they are sent to your addresses."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        after: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        filter: str | None = None,
        signal_id: str | None = None,
        limit: int | None = None,
    ) -> Page[FeedEvent, EventListMeta]:
        """List events.

        The events of the last 30 days, oldest first, in one order and without a gap. They have the same ids as in
        webhooks and streams. Keep `meta.next_cursor` and pass it as `after`: no event is skipped, however many
        arrive meanwhile. After an outage, pass the id of the last event you have. With a filter, an answer may
        hold fewer events than `limit`, even none, while `has_more` is true: read on. With `filter`, an answer
        examines at most 2,000 events. If the events after a cursor are no longer kept, the answer is 400 and
        names `after`. `order=desc` gives the newest events first. A key that has scopes needs `events:read`.

        Args:
            after: Where to read on: `meta.next_cursor` of an answer, the id of an event you have (`webhook-id`
                of a delivery, `id` of a stream), or `latest` for the end of the feed. Without it: from the oldest
                event kept, or with `order=desc` from the newest.
            order: `asc`: oldest first. `desc`: newest first, and `after` reads on to older events. Default:
                `asc`.
            events: One kind of event, or several separated by commas; all where it is left out.
            types: Only events of signals of this kind, or of several separated by commas.
            filter: Only events whose signal met all conditions of this object, in JSON, right after the event:
                as `filter` of `GET /v1/signals`, on the fields that events have.
            signal_id: Only events of this signal.
            limit: Results per page. Default: `20`.
        """
        return await self._transport.page(Call("GET", "/v1/events" + query_string({
            "after": after,
            "order": order,
            "events": events,
            "types": types,
            "filter": filter,
            "signal_id": signal_id,
            "limit": limit,
        })))

    def iterate(
        self,
        *,
        after: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        events: OneOrMore[WebhookEventType] | None = None,
        types: OneOrMore[SignalType] | None = None,
        filter: str | None = None,
        signal_id: str | None = None,
        limit: int = 100,
    ) -> AsyncGenerator[FeedEvent, None]:
        """Everything that `list` finds, page after page, each entry once.

        One request for each `limit` entries.

        Args:
            after: Where to read on: `meta.next_cursor` of an answer, the id of an event you have (`webhook-id`
                of a delivery, `id` of a stream), or `latest` for the end of the feed. Without it: from the oldest
                event kept, or with `order=desc` from the newest.
            order: `asc`: oldest first. `desc`: newest first, and `after` reads on to older events. Default:
                `asc`.
            events: One kind of event, or several separated by commas; all where it is left out.
            types: Only events of signals of this kind, or of several separated by commas.
            filter: Only events whose signal met all conditions of this object, in JSON, right after the event:
                as `filter` of `GET /v1/signals`, on the fields that events have.
            signal_id: Only events of this signal.
        """
        return self._transport.entries("/v1/events", {
            "after": after,
            "order": order,
            "events": events,
            "types": types,
            "filter": filter,
            "signal_id": signal_id,
            "limit": limit,
        }, "after")

    async def get(
        self,
        event_id: str,
    ) -> Answer[FeedEvent]:
        """Get an event.

        The event about a signal with an id that you have: `webhook-id` of a delivery, or `id` of a stream or a
        list. Events are kept for 30 days. Events about webhooks, and tests, are in the log of deliveries only. A
        key that has scopes needs `events:read`.

        Raises:
            SigcastError: `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
        """
        return await self._transport.send(Call("GET", f"/v1/events/{segment(event_id)}"))

    async def try_filter(
        self,
        *,
        filter: dict[str, Any],
        events: Sequence[WebhookEventType] | Omitted = OMITTED,
        types: Sequence[SignalType] | Omitted = OMITTED,
    ) -> Answer[TriedFilter]:
        """Test a filter on past events.

        Counts how many of the newest 1,000 events, of the kinds and types that you name, pass a filter. Nothing
        is stored or sent. Use it before you give the filter to a webhook. A key that has scopes needs
        `signals:read`.

        Args:
            filter: Conditions, as in `filter` of a webhook.
            events: Only these events; without it, all.
            types: Only events of signals of these types; without it, of all.
        """
        return await self._transport.send(Call("POST", "/v1/filters/try", {"filter": filter, "events": events, "types": types}))


class AsyncGroups:
    """All groups of calls."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.signals = AsyncSignals(transport)
        self.stats = AsyncStats(transport)
        self.backtests = AsyncBacktests(transport)
        self.webhooks = AsyncWebhooks(transport)
        self.events = AsyncEvents(transport)
