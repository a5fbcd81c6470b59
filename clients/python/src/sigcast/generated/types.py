"""Types of requests and answers. Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from ..call import Instant

SignalType: TypeAlias = Literal["new", "3d", "7d", "30d", "wallet", "premium"]


SignalStatus: TypeAlias = Literal["active", "winner", "dead", "rugged"]


class ListedToken(TypedDict):
    symbol: str
    name: str
    contract: str
    """Token contract address."""
    chain: str
    """DexScreener’s name of the chain, such as `solana`, `ethereum` or `base`; empty where unknown."""
    age_hours: float
    """Age of the token when the signal was created, in hours."""


class ListedMetrics(TypedDict):
    mcap_entry: float
    """Market cap when the signal was created, US dollars."""
    mcap_current: float
    """Newest market cap seen, US dollars."""
    volume_24h: float
    """Trading volume of the last 24 hours, US dollars."""
    holders: int
    liquidity: float
    """US dollars."""


class ListedPerformance(TypedDict):
    roi: float
    """Percent: (mcap_current / mcap_entry − 1) × 100, two decimals."""
    ath_roi: float
    """Percent: (mcap_ath / mcap_entry − 1) × 100, two decimals."""
    status: SignalStatus


class Outcome(TypedDict):
    status: Literal["winner", "dead", "rugged"]
    decided_by: Literal["rule", "producer"]
    """`rule`: by published rules, from observations of the market. `producer`: by whoever sent the signal."""
    rule: str | None
    """The version of the rules, such as `v1`, or `v1-custom` with thresholds of the operator’s own; null where a
    producer decided."""
    decided_at: str
    """When the status changed: `timestamp` of the event."""
    observations: list[str]
    """When the observations were made that the decision rests on, 10 at most. Empty where a producer decided.
    For `dead`, an observation at which the market does not know the token counts as one without trade."""


class OriginFigures(TypedDict):
    """Figures of the last hour that the rules look at beside those of the signal."""
    volume_1h: float | None
    """US dollars."""
    buys_1h: int | None
    sells_1h: int | None
    buyers_1h: int | None
    """Wallets that bought, each counted once."""
    change_1h: float | None
    """Change of the price, percent."""


class OriginRisks(TypedDict):
    top10_share: float | None
    """The part of all tokens that the ten largest holders have."""
    mintable: bool | None
    """Whether somebody may make more of the token."""
    freezable: bool | None
    """Whether somebody may freeze holders’ tokens."""
    honeypot: bool | None
    """Whether buyers can’t sell."""


class Origin(TypedDict):
    rule: str
    """The version of the rules that made the signal; `v1-custom` with thresholds of the operator’s own."""
    sources: list[str]
    """The lists that named the token."""
    observed_at: str
    """When the figures were observed that the rules were applied to."""
    figures: OriginFigures
    risks: OriginRisks
    unknown: list[Literal["age_hours", "dex_paid", "holders", "socials", "volume_24h"]]
    """Members of the signal that no source knew: they have 0, false or the empty text."""


class Realizable(TypedDict):
    rule: str
    roi: float
    """Percent after costs, two decimals; before the exit, as if sold at the newest observation."""
    entered_at: str
    """When the figures were observed at which the order was bought."""
    exited_at: str | None
    """When the figures were observed at which the order was sold; null before the exit."""
    exit: Literal["target", "stop", "end"] | None
    """Why the order was sold: `target`, `stop`, or `end` of its time or of the signal (dead, rugged); null
    before the exit."""


class SignalListItem(TypedDict):
    id: str
    token: ListedToken
    metrics: ListedMetrics
    performance: ListedPerformance
    type: SignalType
    is_premium: bool
    created_at: str
    """When the signal was created."""
    outcome: NotRequired[Outcome | None]
    """Where `include=outcome` asks for it: how the status was decided; null while the signal is active."""
    origin: NotRequired[Origin | None]
    """Where `include=origin` asks for it: the rule that made the signal, and the figures that it rests on; null
    where the producer did not say."""
    realizable: NotRequired[Realizable | None]
    """Where `include=realizable` asks for it: what an order of 100 US dollars would have earned by the published
    exit rule, after costs; null where there was no position."""


class ListMeta(TypedDict):
    total: int
    total_capped: NotRequired[Literal[True]]
    """`total` and `total_pages` are of the newest part of the list, because counting ends at a bound. Otherwise
    absent."""
    page: int
    per_page: int
    total_pages: int
    next_cursor: NotRequired[str | None]
    """Pass it back as `cursor` for what follows; null on the last page. Absent where a list has no cursors."""


class TokenSocials(TypedDict):
    twitter: str
    """Empty where none is known."""
    telegram: str
    """Empty where none is known."""
    website: str
    """Empty where none is known."""


class Token(TypedDict):
    symbol: str
    name: str
    contract: str
    """Token contract address."""
    chain: str
    """DexScreener’s name of the chain, such as `solana`, `ethereum` or `base`; empty where unknown."""
    age_hours: float
    """Age of the token when the signal was created, in hours."""
    dex_paid: bool
    socials: TokenSocials


class Metrics(TypedDict):
    mcap_entry: float
    """Market cap when the signal was created, US dollars."""
    mcap_current: float
    """Newest market cap seen, US dollars."""
    volume_24h: float
    """Trading volume of the last 24 hours, US dollars."""
    holders: int
    liquidity: float
    """US dollars."""
    mcap_ath: float
    """Highest market cap seen since entry, US dollars."""


class Performance(TypedDict):
    roi: float
    """Percent: (mcap_current / mcap_entry − 1) × 100, two decimals."""
    ath_roi: float
    """Percent: (mcap_ath / mcap_entry − 1) × 100, two decimals."""
    status: SignalStatus
    time_to_ath_hours: float
    """Hours from created_at to the observation of mcap_ath."""


class Signal(TypedDict):
    id: str
    token: Token
    metrics: Metrics
    performance: Performance
    type: SignalType
    is_premium: bool
    created_at: str
    """When the signal was created."""
    updated_at: str
    outcome: NotRequired[Outcome | None]
    """Where `include=outcome` asks for it: how the status was decided; null while the signal is active."""
    origin: NotRequired[Origin | None]
    """Where `include=origin` asks for it: the rule that made the signal, and the figures that it rests on; null
    where the producer did not say."""
    realizable: NotRequired[Realizable | None]
    """Where `include=realizable` asks for it: what an order of 100 US dollars would have earned by the published
    exit rule, after costs; null where there was no position."""


class SignalHistoryEntry(TypedDict):
    """The market cap when the signal was created."""
    at: str
    mcap: float
    """US dollars."""


class SignalHistoryAth(TypedDict):
    """The highest market cap since then, of all time, and when it was observed first."""
    at: str
    mcap: float
    """US dollars."""


class HistoryFigures(TypedDict):
    open: float
    """The first value, US dollars."""
    high: float
    """The highest value, US dollars."""
    low: float
    """The lowest value, US dollars."""
    close: float
    """The last value, US dollars."""


class HistoryBucket(TypedDict):
    start: str
    """Start of the bucket in UTC, itself included. The bucket lasts for `resolution`; `from` and `until` may cut
    it."""
    count: int
    """How many observations the bucket is made of."""
    mcap: HistoryFigures
    """The market cap."""
    liquidity: HistoryFigures


class StatusChange(TypedDict):
    at: str
    """When the figures were observed that the change belongs to."""
    status: Literal["winner", "dead", "rugged"]
    decided_by: Literal["rule", "producer"]
    """`rule`: by published rules, from observations of the market. `producer`: by whoever sent the signal."""
    rule: str | None
    """The version of the rules, such as `v1`, or `v1-custom` with thresholds of the operator’s own; null where a
    producer decided."""
    decided_at: str
    """When the status changed: `timestamp` of the event."""
    observations: list[str]
    """When the observations were made that the decision rests on, 10 at most. Empty where a producer decided.
    For `dead`, an observation at which the market does not know the token counts as one without trade."""


SignalHistory = TypedDict(
    "SignalHistory",
    {
        "id": str,
        "from": str,
        "until": str,
        "resolution": Literal["1m", "5m", "1h", "1d", "1w"],
        "entry": SignalHistoryEntry,
        "ath": SignalHistoryAth,
        "status": SignalStatus,
        "buckets": list[HistoryBucket],
        "changes": list[StatusChange],
    },
)


class ProvenEntry(TypedDict):
    index: int
    """The number of the entry, from 0."""
    kind: Literal["signal", "outcome", "correction"]
    entry: str
    """The entry word for word, canonical JSON (RFC 8785): the leaf of the tree is the SHA-256 of a zero byte and
    of it."""
    proof: list[str]
    """The hashes of its siblings, from the leaf up (RFC 6962, 2.1.1)."""
    tlog_proof: str
    """The same as a file that can be verified without this system (C2SP tlog-proof)."""


class SignalProof(TypedDict):
    id: str
    origin: str
    """The name of the log, which is also that of its key."""
    checkpoint: str
    """The signed checkpoint that the proofs lead to (C2SP tlog-checkpoint)."""
    entries: list[ProvenEntry]


class TypeStatistics(TypedDict):
    total: int
    winners: int
    win_rate: float
    """Percent of winners among all, two decimals; 0 where there are none."""


class DistributionByStatus(TypedDict):
    """Signals by their status now."""
    active: int
    winner: int
    dead: int
    rugged: int


class Percentiles(TypedDict):
    p10: float
    """The smallest value that at least 10 % of the signals do not exceed, percent, rounded to within 0.5 % of
    itself, exact below 2 %."""
    p25: float
    """The smallest value that at least 25 % of the signals do not exceed, percent, rounded to within 0.5 % of
    itself, exact below 2 %."""
    median: float
    """The smallest value that at least half of the signals do not exceed, percent, rounded to within 0.5 % of
    itself, exact below 2 %."""
    p75: float
    """The smallest value that at least 75 % of the signals do not exceed, percent, rounded to within 0.5 % of
    itself, exact below 2 %."""
    p90: float
    """The smallest value that at least 90 % of the signals do not exceed, percent, rounded to within 0.5 % of
    itself, exact below 2 %."""


class TypeDistributionByStatus(TypedDict):
    """Signals by their status now."""
    active: int
    winner: int
    dead: int
    rugged: int


class TypeDistribution(TypedDict):
    by_status: TypeDistributionByStatus
    """Signals by their status now."""
    roi: Percentiles
    """Of the current roi."""
    ath_roi: Percentiles
    """Of ath_roi."""
    avg_time_to_ath_hours: float
    """Mean of time_to_ath_hours, two decimals."""
    ath_signals: int
    """Signals that ath_roi and avg_time_to_ath_hours include: all."""


class Distribution(TypedDict):
    by_status: DistributionByStatus
    """Signals by their status now."""
    roi: Percentiles
    """Of the current roi."""
    ath_roi: Percentiles
    """Of ath_roi."""
    avg_time_to_ath_hours: float
    """Mean of time_to_ath_hours, two decimals."""
    ath_signals: int
    """Signals that ath_roi and avg_time_to_ath_hours include: all."""
    by_type: dict[SignalType, TypeDistribution]
    """All six types; with a type filter, that one."""


class RealizableStatisticsByExit(TypedDict):
    """These signals by how their order was sold; `open`: not yet, with the roi of a sale now."""
    open: int
    target: int
    stop: int
    end: int


class TypeRealizableStatisticsByExit(TypedDict):
    """These signals by how their order was sold; `open`: not yet, with the roi of a sale now."""
    open: int
    target: int
    stop: int
    end: int


class TypeRealizableStatistics(TypedDict):
    signals: int
    """Signals for which the rule had an entry, so that they have `realizable`."""
    avg_roi: float
    """Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none."""
    profitable: float
    """Percent of these signals whose `realizable.roi` is above 0, two decimals."""
    roi: Percentiles
    """Of `realizable.roi`."""
    by_exit: TypeRealizableStatisticsByExit
    """These signals by how their order was sold; `open`: not yet, with the roi of a sale now."""


class RealizableStatistics(TypedDict):
    rule: str
    """The version of the exit rule, such as `v1`. Results of other versions are not included."""
    signals: int
    """Signals for which the rule had an entry, so that they have `realizable`."""
    avg_roi: float
    """Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none."""
    profitable: float
    """Percent of these signals whose `realizable.roi` is above 0, two decimals."""
    roi: Percentiles
    """Of `realizable.roi`."""
    by_exit: RealizableStatisticsByExit
    """These signals by how their order was sold; `open`: not yet, with the roi of a sale now."""
    by_type: dict[SignalType, TypeRealizableStatistics]
    """All six types; with a type filter, that one."""


class Statistics(TypedDict):
    total_signals: int
    winners: int
    win_rate: float
    """Percent of winners among all, two decimals; 0 where there are none."""
    avg_roi: float
    """Mean of the current roi, percent; 0 where there are no signals."""
    best_roi: float
    """Maximum of the current roi, percent; 0 where there are no signals."""
    by_type: dict[SignalType, TypeStatistics]
    """All six types; with a type filter, that one."""
    distribution: NotRequired[Distribution]
    """Where `include=distribution` asks for it."""
    realizable: NotRequired[RealizableStatistics]
    """Where `include=realizable` asks for it."""
    as_of: str
    """The instant that the figures are exact for."""


class RealizablePoint(TypedDict):
    signals: int
    """Signals for which the rule had an entry, so that they have `realizable`."""
    avg_roi: float
    """Mean of `realizable.roi` of these signals, percent, two decimals; 0 where there are none."""


StatisticsPoint = TypedDict(
    "StatisticsPoint",
    {
        "from": str,
        "total_signals": int,
        "winners": int,
        "win_rate": float,
        "avg_roi": float,
        "best_roi": float,
        "realizable": NotRequired[RealizablePoint],
    },
)


class StatisticsSeries(TypedDict):
    period: Literal["24h", "7d", "30d", "all"]
    interval: Literal["hour", "day", "week", "month"]
    """What one point covers."""
    points: list[StatisticsPoint]
    """Oldest first, without a gap: an interval without signals has zeros. The first point counts only signals
    that were created after `as_of` − `period`. The last point is not over yet."""
    as_of: str
    """The instant that the figures are exact for."""


class CreateBacktestFilters(TypedDict):
    """Which signals are bought. `null` for `is_premium` or a figure means the same as leaving it out."""
    since: Instant
    """Signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day."""
    until: NotRequired[Instant]
    """Signals created up to this instant, itself included; without it, up to `as_of`. A bare date means 00:00
    UTC."""
    types: NotRequired[Sequence[SignalType]]
    """Signals of these types; without it, of all types."""
    is_premium: NotRequired[bool | None]
    """Only premium signals, or only others; null for both."""
    min_mcap: NotRequired[float | None]
    """The lowest market cap at the purchase, US dollars."""
    max_mcap: NotRequired[float | None]
    """The highest market cap at the purchase, US dollars."""
    min_liquidity: NotRequired[float | None]
    """The lowest liquidity at the purchase, US dollars."""
    min_volume_24h: NotRequired[float | None]
    """The lowest volume of the 24 hours before the purchase, US dollars."""
    min_holders: NotRequired[int | None]
    """The lowest number of holders at the purchase."""


class CreateBacktestCosts(TypedDict):
    """What each trade costs."""
    fee_percent: NotRequired[float]
    """Percent of each trade, of the purchase and of the sale. Default: `1`."""
    price_impact: NotRequired[bool]
    """Whether a trade moves the price against itself: x·v/(x+v) of a constant-product pool, x being half of the
    liquidity. Default: `true`."""


class CreateBacktest(TypedDict):
    """A member that is left out has its value in the exit rule `v1`."""
    name: NotRequired[str | None]
    """What you call it, up to 80 characters; without it, or with null, it has no name."""
    filters: CreateBacktestFilters
    """Which signals are bought. `null` for `is_premium` or a figure means the same as leaving it out."""
    filter: NotRequired[dict[str, Any] | None]
    """Only signals that met all conditions when they were created, by what was known then: fields of an event’s
    `data` without `performance` and `metrics.mcap_ath`. Null for none."""
    delay_minutes: NotRequired[int]
    """Minutes from the signal’s creation to the earliest purchase. The signal is bought with the first figures
    with liquidity that become known in the hour after that. Default: `1`."""
    size_usd: NotRequired[float]
    """What each purchase costs, US dollars, its fee included. Default: `100`."""
    target: NotRequired[float | None]
    """Sells when the market cap is at least this multiple of the one at the purchase, twice in a row; null for
    no target. Default: `2`."""
    stop: NotRequired[float | None]
    """Sells when the market cap is at most this multiple of the one at the purchase, twice in a row; null for no
    stop. Default: `0.5`."""
    hold_hours: NotRequired[int]
    """Sells with the first figures after this many hours. Default: `168`."""
    costs: NotRequired[CreateBacktestCosts]
    """What each trade costs."""
    as_of: NotRequired[Instant]
    """Nothing that was known later has a part in the result; without it, a minute ago. At least 60 seconds ago.
    A bare date means 00:00 UTC of that day."""


class BacktestProgress(TypedDict):
    """Signals that were gone through."""
    done: int
    total: int
    """Signals to go through."""


class BacktestParametersFilters(TypedDict):
    since: str
    """Signals created after this instant, itself excluded. A bare date means 00:00 UTC of that day."""
    until: str
    """Signals created up to this instant, itself included."""
    types: list[SignalType]
    """All six where none were named."""
    is_premium: bool | None
    min_mcap: float | None
    """The lowest market cap at the purchase, US dollars."""
    max_mcap: float | None
    """The highest market cap at the purchase, US dollars."""
    min_liquidity: float | None
    """The lowest liquidity at the purchase, US dollars."""
    min_volume_24h: float | None
    """The lowest volume of the 24 hours before the purchase, US dollars."""
    min_holders: int | None
    """The lowest number of holders at the purchase."""


class BacktestParametersCosts(TypedDict):
    fee_percent: float
    """Percent of each trade, of the purchase and of the sale."""
    price_impact: bool
    """Whether a trade moves the price against itself: x·v/(x+v) of a constant-product pool, x being half of the
    liquidity."""


class BacktestParameters(TypedDict):
    filters: BacktestParametersFilters
    filter: dict[str, Any] | None
    """Only signals that met all conditions when they were created, by what was known then: fields of an event’s
    `data` without `performance` and `metrics.mcap_ath`. Null for none."""
    delay_minutes: int
    """Minutes from the signal’s creation to the earliest purchase. The signal is bought with the first figures
    with liquidity that become known in the hour after that."""
    size_usd: float
    """What each purchase costs, US dollars, its fee included."""
    target: float | None
    """Sells when the market cap is at least this multiple of the one at the purchase, twice in a row; null for
    no target."""
    stop: float | None
    """Sells when the market cap is at most this multiple of the one at the purchase, twice in a row; null for no
    stop."""
    hold_hours: int
    """Sells with the first figures after this many hours."""
    costs: BacktestParametersCosts
    as_of: str
    """Nothing that was known later has a part in the result."""


class BacktestResultNotBought(TypedDict):
    """The signals without a trade."""
    no_entry: int
    """No figures with liquidity became known in the hour after the delay, or the token was known as dead or
    rugged."""
    filtered: int
    """The signal did not meet `filter`, or the figures at the purchase were not as `filters` wants them."""


class BacktestResultByExit(TypedDict):
    """Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
    sold."""
    open: int
    target: int
    stop: int
    end: int


class TradeFigures(TypedDict):
    trades: int
    """Signals that were bought."""
    profit_usd: float
    """US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures."""
    avg_roi: float
    """Mean result of a trade, percent, two decimals."""
    profitable: float
    """Percent of the trades with a result above 0, two decimals."""


class BacktestTrade(TypedDict):
    signal_id: str
    symbol: str
    type: SignalType
    entered_at: str
    """When the figures became known at which the signal was bought."""
    exited_at: str | None
    """When the figures became known at which the signal was sold; null while it is not sold."""
    exit: Literal["target", "stop", "end"] | None
    """As `by_exit` says; null while it is not sold."""
    roi: float
    """Percent after costs, two decimals."""
    profit_usd: float
    """US dollars, two decimals."""


BacktestResultHistogram = TypedDict(
    "BacktestResultHistogram",
    {
        "from": float,
        "to": float | None,
        "trades": int,
    },
)


class BacktestResultEquityPoints(TypedDict):
    at: str
    profit_usd: float
    """Of all trades up to then, US dollars. A position that was not sold counts as sold then."""
    realized_usd: float
    """Of the trades that were sold by then, US dollars."""
    drawdown_usd: float
    """The largest fall from an earlier high since the point before, US dollars, by full minutes."""
    open: int
    """Positions that were not sold then."""


class BacktestResultEquity(TypedDict):
    """The profit over time, oldest first, until nothing changes any more. Without trades it is empty."""
    interval_minutes: Literal[1, 5, 15, 60, 1440]
    """The distance of the points: the shortest with at most 336 of them, or a day. The first and the last point
    may be nearer."""
    points: list[BacktestResultEquityPoints]


class BacktestResult(TypedDict):
    signals: int
    """Signals of the chosen time, types and kind (premium or not)."""
    not_bought: BacktestResultNotBought
    """The signals without a trade."""
    trades: int
    """Signals that were bought."""
    profit_usd: float
    """US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures."""
    avg_roi: float
    """Mean result of a trade, percent, two decimals."""
    profitable: float
    """Percent of the trades with a result above 0, two decimals."""
    realized_usd: float
    """The part of `profit_usd` that sold trades earned, US dollars. The rest is what positions that are not sold
    were worth."""
    roi: Percentiles
    """Of the results of the trades."""
    by_exit: BacktestResultByExit
    """Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
    sold."""
    by_type: dict[SignalType, TradeFigures]
    """All chosen types."""
    avg_hours_held: float
    """Mean time from purchase to sale, hours, two decimals, of sold ones."""
    max_open: int
    """The most positions at the same time. Times `size_usd`: the capital that was needed."""
    max_drawdown_usd: float
    """The largest fall of the equity curve from an earlier high, US dollars, by full minutes."""
    best: list[BacktestTrade]
    """The trades with the highest results."""
    worst: list[BacktestTrade]
    """The trades with the lowest results."""
    hourly_before: str
    """Before this instant, the history has one observation an hour, and those that mattered; see the guide."""
    histogram: list[BacktestResultHistogram]
    """Trades by their results, the lowest first, without a gap. Bars are equally wide, and 0 is between two of
    them. The last bar has no end where a few results are far above the others. Without trades it is empty."""
    equity: BacktestResultEquity
    """The profit over time, oldest first, until nothing changes any more. Without trades it is empty."""


class Backtest(TypedDict):
    id: str
    name: str | None
    """What you call it, up to 80 characters; null where it has no name."""
    status: Literal["queued", "running", "completed", "failed"]
    """`queued` and `running` change by themselves; `completed` has a result, `failed` an error."""
    progress: BacktestProgress
    """Signals that were gone through."""
    parameters: BacktestParameters
    error: str | None
    """Why it failed; null where it did not."""
    created_at: str
    finished_at: str | None
    """Null while it is not finished."""
    result: BacktestResult | None
    """Null before `status` is `completed`."""


class BacktestListItemProgress(TypedDict):
    """Signals that were gone through."""
    done: int
    total: int
    """Signals to go through."""


class BacktestSummaryNotBought(TypedDict):
    """The signals without a trade."""
    no_entry: int
    """No figures with liquidity became known in the hour after the delay, or the token was known as dead or
    rugged."""
    filtered: int
    """The signal did not meet `filter`, or the figures at the purchase were not as `filters` wants them."""


class BacktestSummaryByExit(TypedDict):
    """Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
    sold."""
    open: int
    target: int
    stop: int
    end: int


class BacktestSummary(TypedDict):
    signals: int
    """Signals of the chosen time, types and kind (premium or not)."""
    not_bought: BacktestSummaryNotBought
    """The signals without a trade."""
    trades: int
    """Signals that were bought."""
    profit_usd: float
    """US dollars after costs, two decimals. A position that is not sold counts as sold with the newest figures."""
    avg_roi: float
    """Mean result of a trade, percent, two decimals."""
    profitable: float
    """Percent of the trades with a result above 0, two decimals."""
    realized_usd: float
    """The part of `profit_usd` that sold trades earned, US dollars. The rest is what positions that are not sold
    were worth."""
    roi: Percentiles
    """Of the results of the trades."""
    by_exit: BacktestSummaryByExit
    """Trades by how they ended: `target`, `stop`, `end` of the time or of the token (dead, rugged); `open`: not
    sold."""
    by_type: dict[SignalType, TradeFigures]
    """All chosen types."""
    avg_hours_held: float
    """Mean time from purchase to sale, hours, two decimals, of sold ones."""
    max_open: int
    """The most positions at the same time. Times `size_usd`: the capital that was needed."""
    max_drawdown_usd: float
    """The largest fall of the equity curve from an earlier high, US dollars, by full minutes."""
    best: list[BacktestTrade]
    """The trades with the highest results."""
    worst: list[BacktestTrade]
    """The trades with the lowest results."""
    hourly_before: str
    """Before this instant, the history has one observation an hour, and those that mattered; see the guide."""


class BacktestListItem(TypedDict):
    id: str
    name: str | None
    """What you call it, up to 80 characters; null where it has no name."""
    status: Literal["queued", "running", "completed", "failed"]
    """`queued` and `running` change by themselves; `completed` has a result, `failed` an error."""
    progress: BacktestListItemProgress
    """Signals that were gone through."""
    parameters: BacktestParameters
    error: str | None
    """Why it failed; null where it did not."""
    created_at: str
    finished_at: str | None
    """Null while it is not finished."""
    result: BacktestSummary | None
    """Null before `status` is `completed`. Without `histogram` and `equity` in lists."""


class DeletedBacktest(TypedDict):
    id: str
    deleted: Literal[True]


WebhookKind: TypeAlias = Literal["webhook", "slack", "discord", "telegram"]


class TelegramDestination(TypedDict):
    bot_token: str
    """The token that @BotFather gave you for your bot. It is never shown again."""
    chat_id: int | str
    """The chat: its number, or the name of a public channel or group, such as `@channel`."""
    message_thread_id: NotRequired[int]
    """A topic of the chat."""


ChatTemplate: TypeAlias = Literal["compact", "standard", "detailed"]


SubscribableEvent: TypeAlias = Literal["signal.new", "signal.winner", "signal.dead", "signal.rugged", "webhook.failing", "webhook.disabled"]


class WebhookBatch(TypedDict):
    max: int
    """The most events in a request."""
    wait_ms: int
    """How long an event waits for others, in milliseconds."""


class CreateWebhook(TypedDict):
    kind: NotRequired[WebhookKind]
    """`webhook` where it is left out; the others are chats, where people read messages."""
    url: NotRequired[str]
    """Where events are sent: an https address that is reachable from the internet, with port 443 or 8443. The
    operator of a server may permit more: http with port 80 or 8080, and further ports. For `slack` and
    `discord`, the address of the incoming webhook that they gave you; for `telegram` it is left out."""
    telegram: NotRequired[TelegramDestination]
    """Only for `telegram`: the bot, which has to be a member of the chat, and the chat."""
    template: NotRequired[ChatTemplate]
    """How much a message in a chat says. `standard` where it is left out."""
    events: Sequence[SubscribableEvent]
    """`webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a day, or was
    disabled by Sigcast."""
    types: NotRequired[Sequence[SignalType]]
    """Only events of signals of these types; without it, of all types. Events that are not about signals always
    come."""
    filter: NotRequired[dict[str, Any]]
    """Only events whose signal meets all conditions: fields of the event’s `data` by their path, as in `filter`
    of `GET /v1/signals`. At most 20 conditions. Events that are not about signals always come."""
    ordered: NotRequired[bool]
    """One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
    failed with all its retries. False where it is left out. Chats are always ordered."""
    batch: NotRequired[WebhookBatch | None]
    """For an ordered webhook: events that wait are sent together, as an array in one request with one signature.
    A request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`."""
    description: NotRequired[str]
    """For yourself."""


class TelegramChat(TypedDict):
    chat_id: int | str
    """The chat: its number, or the name of a public channel or group, such as `@channel`."""
    message_thread_id: int | None
    """A topic of the chat."""


class Recovery(TypedDict):
    since: str
    status: Literal["running", "completed"]
    """`running`: the recovery goes on by itself, and `GET /v1/webhooks/{id}` shows its progress."""
    retried: int
    """Failed deliveries that are sent again."""
    opened: int
    """Deliveries created for events that never had one."""
    requested_at: str
    completed_at: str | None


class CreatedWebhookWarnings(TypedDict):
    field: str
    message: str


class CreatedWebhook(TypedDict):
    id: str
    kind: WebhookKind
    url: str
    """Where events are sent. Of a chat’s address, the last four characters of its token are shown."""
    telegram: TelegramChat | None
    """Only for `telegram`: the chat."""
    template: ChatTemplate | None
    """How much a message in a chat says. Null for `webhook`."""
    proven: bool
    """Whether the address has answered with success once. Until then it gets one request at a time."""
    events: list[SubscribableEvent]
    types: list[SignalType]
    """The signal types of its events; all six if none were named."""
    filter: dict[str, Any] | None
    """As it was given; null for none."""
    ordered: bool
    """One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
    failed with all its retries."""
    batch: WebhookBatch | None
    """For an ordered webhook: events that wait are sent together, as an array in one request with one signature.
    A request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`. Null
    for each event alone."""
    status: Literal["enabled", "disabled", "pending"]
    """While `disabled`, events are kept but not sent. `pending`: nothing is sent until your account’s e-mail
    address is verified, where the operator asks for that; then it becomes `enabled` by itself."""
    disabled_reason: Literal["paused", "failing", "gone"] | None
    """`paused` by you, or by a new password that revokes access; `failing`: every delivery failed for 3 days;
    `gone`: it answered 410, or the chat takes no more messages. Null while enabled."""
    disabled_at: str | None
    failing_since: str | None
    """The first failed attempt since the last success, once a delivery was given up or the address was found to
    be down; null if deliveries succeed, or the webhook is disabled."""
    disables_at: str | None
    """When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null."""
    description: str | None
    previous_secret_expires_at: str | None
    """Until then, replaced secrets sign too. Null when only the current secret signs."""
    recovery: Recovery | None
    """The last recovery that was asked for."""
    created_at: str
    updated_at: str
    warnings: NotRequired[list[CreatedWebhookWarnings]]
    """Only in answers of POST and PATCH that set `url`, and only if there are any: a host name that does not
    resolve now. The webhook is made all the same."""
    secret: str
    """Signing secret, `whsec_` and base64 (Standard Webhooks). Shown only once. Empty for chats."""


class WebhookWarnings(TypedDict):
    field: str
    message: str


class Webhook(TypedDict):
    id: str
    kind: WebhookKind
    url: str
    """Where events are sent. Of a chat’s address, the last four characters of its token are shown."""
    telegram: TelegramChat | None
    """Only for `telegram`: the chat."""
    template: ChatTemplate | None
    """How much a message in a chat says. Null for `webhook`."""
    proven: bool
    """Whether the address has answered with success once. Until then it gets one request at a time."""
    events: list[SubscribableEvent]
    types: list[SignalType]
    """The signal types of its events; all six if none were named."""
    filter: dict[str, Any] | None
    """As it was given; null for none."""
    ordered: bool
    """One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
    failed with all its retries."""
    batch: WebhookBatch | None
    """For an ordered webhook: events that wait are sent together, as an array in one request with one signature.
    A request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`. Null
    for each event alone."""
    status: Literal["enabled", "disabled", "pending"]
    """While `disabled`, events are kept but not sent. `pending`: nothing is sent until your account’s e-mail
    address is verified, where the operator asks for that; then it becomes `enabled` by itself."""
    disabled_reason: Literal["paused", "failing", "gone"] | None
    """`paused` by you, or by a new password that revokes access; `failing`: every delivery failed for 3 days;
    `gone`: it answered 410, or the chat takes no more messages. Null while enabled."""
    disabled_at: str | None
    failing_since: str | None
    """The first failed attempt since the last success, once a delivery was given up or the address was found to
    be down; null if deliveries succeed, or the webhook is disabled."""
    disables_at: str | None
    """When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null."""
    description: str | None
    previous_secret_expires_at: str | None
    """Until then, replaced secrets sign too. Null when only the current secret signs."""
    recovery: Recovery | None
    """The last recovery that was asked for."""
    created_at: str
    updated_at: str
    warnings: NotRequired[list[WebhookWarnings]]
    """Only in answers of POST and PATCH that set `url`, and only if there are any: a host name that does not
    resolve now. The webhook is made all the same."""


class UpdateWebhook(TypedDict):
    url: NotRequired[str]
    """Where events are sent: an https address that is reachable from the internet, with port 443 or 8443. The
    operator of a server may permit more: http with port 80 or 8080, and further ports. For `slack` and
    `discord`, the address of the incoming webhook that they gave you; for `telegram` it is left out."""
    telegram: NotRequired[TelegramDestination]
    """Only for `telegram`: the bot, which has to be a member of the chat, and the chat."""
    template: NotRequired[ChatTemplate]
    """How much a message in a chat says."""
    events: NotRequired[Sequence[SubscribableEvent]]
    """`webhook.failing` and `webhook.disabled` are about your other webhooks: one has failed for a day, or was
    disabled by Sigcast."""
    types: NotRequired[Sequence[SignalType]]
    """Only events of signals of these kinds."""
    filter: NotRequired[dict[str, Any] | None]
    """Only events whose signal meets all conditions: fields of the event’s `data` by their path, as in `filter`
    of `GET /v1/signals`. At most 20 conditions. Events that are not about signals always come. Null for none."""
    ordered: NotRequired[bool]
    """One event at a time, in the order of the feed: later ones wait until an earlier one is delivered, or has
    failed with all its retries."""
    batch: NotRequired[WebhookBatch | None]
    """For an ordered webhook: events that wait are sent together, as an array in one request with one signature.
    A request that fails is repeated with the same `webhook-id` and bytes. Each event in it has its `id`. Null
    for each event alone."""
    description: NotRequired[str | None]
    """For yourself; null for none."""
    status: NotRequired[Literal["enabled", "disabled"]]
    """`disabled` pauses: nothing is sent. `enabled` goes on."""


class DeletedWebhook(TypedDict):
    id: str
    deleted: Literal[True]


SentEventType: TypeAlias = Literal["signal.new", "signal.winner", "signal.dead", "signal.rugged", "webhook.failing", "webhook.disabled", "webhook.test"]


class DeliveryDetailLastAttempt(TypedDict):
    started_at: str
    outcome: Literal["succeeded", "bad_status", "timeout", "connection", "refused_address", "interrupted"]
    http_status: int | None
    """The status your endpoint answered; null without an answer."""
    error: str | None
    """What went wrong, in words."""
    duration_ms: float


class DeliveryAttemptRequestHeaders(TypedDict):
    name: str
    value: str


class DeliveryAttemptRequest(TypedDict):
    """What was sent, together with `body` of the delivery. `webhook-signature` is the signature that was sent;
    the secret is in no answer. Absent where nothing was sent."""
    url: str
    """Your address at that time."""
    headers: list[DeliveryAttemptRequestHeaders]


class DeliveryAttemptResponseHeaders(TypedDict):
    name: str
    value: str


class DeliveryAttemptTimings(TypedDict):
    """How long each step took. Null for a step that was not reached, and for the first three where a connection
    was used again. Absent where nothing was sent."""
    dns_ms: float | None
    """Until your host name had addresses; null for an IP address."""
    connect_ms: float | None
    """From there to the connection."""
    tls_ms: float | None
    """From there to the end of the TLS handshake."""
    first_byte_ms: float | None
    """From there to the end of the headers of your answer."""


class DeliveryAttemptBatch(TypedDict):
    """Several events were sent together, this one among them. Absent where it was sent alone."""
    id: str
    """The `webhook-id`."""
    events: int
    first: str
    """Only this delivery’s attempt has what was sent and answered."""


class DeliveryAttempt(TypedDict):
    number: int
    """From 1."""
    started_at: str
    duration_ms: float
    outcome: Literal["succeeded", "bad_status", "timeout", "connection", "refused_address", "interrupted"]
    """`interrupted`: Sigcast stopped in the middle of the attempt; it does not count as a retry."""
    http_status: int | None
    """The status your endpoint answered; null without an answer."""
    error: str | None
    """What went wrong, in words."""
    response_body: str | None
    """The first kB of the answer."""
    request: NotRequired[DeliveryAttemptRequest]
    """What was sent, together with `body` of the delivery. `webhook-signature` is the signature that was sent;
    the secret is in no answer. Absent where nothing was sent."""
    response_headers: NotRequired[list[DeliveryAttemptResponseHeaders] | None]
    """The first 32 headers of the answer, at most 4 kB, each value up to 1,000 characters. Values of
    `Set-Cookie` are not kept. Null where there was no answer."""
    timings: NotRequired[DeliveryAttemptTimings]
    """How long each step took. Null for a step that was not reached, and for the first three where a connection
    was used again. Absent where nothing was sent."""
    address: NotRequired[str | None]
    """The IP address it was sent to; null where there was no connection."""
    batch: NotRequired[DeliveryAttemptBatch]
    """Several events were sent together, this one among them. Absent where it was sent alone."""


class DeliveryDetail(TypedDict):
    id: str
    event_id: str
    """The `webhook-id` of every attempt, unless it was sent in a batch."""
    event: SentEventType
    signal_id: str | None
    """Null where the event is not about a signal, and for a test."""
    symbol: NotRequired[str | None]
    """The symbol of that signal’s token; null where `signal_id` is null."""
    status: Literal["pending", "delivered", "failed"]
    """`pending` while attempts are planned; `failed` after the last attempt."""
    attempt_count: int
    next_attempt_at: str | None
    """Null when no attempt is planned. While the webhook is disabled, the time moves on and nothing is sent."""
    last_attempt: NotRequired[DeliveryDetailLastAttempt | None]
    """The outcome of the newest attempt; null before the first."""
    created_at: str
    updated_at: str
    body: NotRequired[str | None]
    """The bytes that every attempt sends; of a batch, one entry, which also has the `id`. Null when the event is
    no longer kept."""
    attempts: list[DeliveryAttempt]
    """The last 100, oldest first."""


class RecoverWebhook(TypedDict):
    since: Instant
    """From this instant on, at most 30 days back. A bare date means 00:00 UTC of that day."""


class WebhookHealthLast24Hours(TypedDict):
    """Deliveries made in that time which have ended."""
    since: str
    """24 hours ago; later where more than 10,000 deliveries were made since then."""
    delivered: int
    failed: int
    """Those that failed with all their retries."""
    success_rate: float | None
    """Percent; null where there were none."""


class WebhookHealthLastAttemptsResults(TypedDict):
    started_at: str
    outcome: Literal["succeeded", "bad_status", "timeout", "connection", "refused_address", "interrupted"]
    http_status: int | None
    """The status your endpoint answered; null without an answer."""
    error: str | None
    """What went wrong, in words."""
    duration_ms: float


class WebhookHealthLastAttempts(TypedDict):
    """The last 50 attempts, of the 50 newest deliveries that were attempted. Zero where 2,000 newer deliveries
    wait for their first attempt."""
    attempts: int
    succeeded: int
    success_rate: float | None
    """Percent; null where there were none."""
    results: list[WebhookHealthLastAttemptsResults]
    """These attempts, the newest first."""


class WebhookHealthLastError(TypedDict):
    delivery_id: str
    started_at: str
    outcome: Literal["succeeded", "bad_status", "timeout", "connection", "refused_address", "interrupted"]
    http_status: int | None
    """The status your endpoint answered; null without an answer."""
    error: str | None
    """What went wrong, in words."""


class WebhookHealth(TypedDict):
    last_24_hours: WebhookHealthLast24Hours
    """Deliveries made in that time which have ended."""
    last_attempts: WebhookHealthLastAttempts
    """The last 50 attempts, of the 50 newest deliveries that were attempted. Zero where 2,000 newer deliveries
    wait for their first attempt."""
    last_error: WebhookHealthLastError | None
    """The newest failed attempt, among the last attempts and the newest deliveries that failed or are retried."""
    waiting: int
    """Deliveries that wait for their first attempt; 10,000 stands for 10,000 or more."""
    retrying: int
    """Deliveries that were attempted and wait for another attempt: `status=retrying` of the log. 10,000 stands
    for 10,000 or more. Together with `waiting`: `status=pending`."""
    failed: int
    """`status=failed` of the log; 10,000 stands for 10,000 or more."""


class DeliveryLastAttempt(TypedDict):
    started_at: str
    outcome: Literal["succeeded", "bad_status", "timeout", "connection", "refused_address", "interrupted"]
    http_status: int | None
    """The status your endpoint answered; null without an answer."""
    error: str | None
    """What went wrong, in words."""
    duration_ms: float


class Delivery(TypedDict):
    id: str
    event_id: str
    """The `webhook-id` of every attempt, unless it was sent in a batch."""
    event: SentEventType
    signal_id: str | None
    """Null where the event is not about a signal, and for a test."""
    symbol: NotRequired[str | None]
    """The symbol of that signal’s token; null where `signal_id` is null."""
    status: Literal["pending", "delivered", "failed"]
    """`pending` while attempts are planned; `failed` after the last attempt."""
    attempt_count: int
    next_attempt_at: str | None
    """Null when no attempt is planned. While the webhook is disabled, the time moves on and nothing is sent."""
    last_attempt: NotRequired[DeliveryLastAttempt | None]
    """The outcome of the newest attempt; null before the first."""
    created_at: str
    updated_at: str


WebhookEventType: TypeAlias = Literal["signal.new", "signal.winner", "signal.dead", "signal.rugged"]


class SignalAtEvent(TypedDict):
    id: str
    token: Token
    metrics: Metrics
    performance: Performance
    type: SignalType
    is_premium: bool
    created_at: str
    """When the signal was created."""


class FeedEvent(TypedDict):
    id: str
    """The `webhook-id` of its deliveries. Can be passed as `after`, like any cursor."""
    event: WebhookEventType
    timestamp: str
    """When it happened."""
    data: SignalAtEvent


class EventListMeta(TypedDict):
    next_cursor: str
    """Pass it back as `after` to read on, now or later. Always present, also at the end."""
    has_more: bool
    """Whether more events may exist; false once the end is reached."""


class TryFilter(TypedDict):
    filter: dict[str, Any]
    """Conditions, as in `filter` of a webhook."""
    events: NotRequired[Sequence[WebhookEventType]]
    """Only these events; without it, all."""
    types: NotRequired[Sequence[SignalType]]
    """Only events of signals of these types; without it, of all."""


class TriedFilter(TypedDict):
    matched: int
    """The events among them whose signal meets the filter."""
    tried: int
    """The newest events of these kinds: at most 1,000, of the newest 20,000 of all kinds."""
    since: str | None
    """When the oldest of them happened; null where there are none."""


class WebhookPayload(TypedDict):
    event: Literal["signal.new", "signal.winner", "signal.dead", "signal.rugged", "webhook.test"]
    timestamp: str
    """When it happened."""
    data: SignalAtEvent


class WebhookStatePayloadData(TypedDict):
    id: str
    url: str
    """Where events are sent. Of a chat’s address, the last four characters of its token are shown."""
    description: str | None
    failing_since: str | None
    """The first failed attempt since the last success, once a delivery was given up or the address was found to
    be down; null if deliveries succeed, or the webhook is disabled."""
    disables_at: str | None
    """When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null."""
    disabled_reason: Literal["failing", "gone"] | None
    """Null for `webhook.failing`."""


class WebhookStatePayload(TypedDict):
    event: Literal["webhook.failing", "webhook.disabled"]
    timestamp: str
    """When it was noticed."""
    data: WebhookStatePayloadData


class BatchedSignalEvent(TypedDict):
    event: Literal["signal.new", "signal.winner", "signal.dead", "signal.rugged", "webhook.test"]
    timestamp: str
    """When it happened."""
    data: SignalAtEvent
    id: str
    """The same at each attempt."""


class BatchedWebhookEventData(TypedDict):
    id: str
    url: str
    """Where events are sent. Of a chat’s address, the last four characters of its token are shown."""
    description: str | None
    failing_since: str | None
    """The first failed attempt since the last success, once a delivery was given up or the address was found to
    be down; null if deliveries succeed, or the webhook is disabled."""
    disables_at: str | None
    """When the webhook will be disabled unless a delivery succeeds; null where `failing_since` is null."""
    disabled_reason: Literal["failing", "gone"] | None
    """Null for `webhook.failing`."""


class BatchedWebhookEvent(TypedDict):
    event: Literal["webhook.failing", "webhook.disabled"]
    timestamp: str
    """When it was noticed."""
    data: BatchedWebhookEventData
    id: str
    """The same at each attempt."""


class ApiErrorDetails(TypedDict):
    field: str
    message: str


class ApiError(TypedDict):
    code: Literal["INVALID_REQUEST", "UNAUTHORIZED", "KEY_EXPIRED", "SECOND_FACTOR_REQUIRED", "FORBIDDEN", "SCOPE_REQUIRED", "NETWORK_NOT_ALLOWED", "NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "CONFLICT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR", "NOT_IMPLEMENTED", "SERVICE_UNAVAILABLE", "GATEWAY_TIMEOUT"]
    message: str
    request_id: str
    docs: NotRequired[str]
    """Where the code is explained, relative to the address of the request (RFC 3986)."""
    details: NotRequired[list[ApiErrorDetails]]
    retry_after: NotRequired[int]
    """Seconds until the next request is allowed."""
