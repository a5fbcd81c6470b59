"""What a backtest is asked for, where what is left out is as in the exit rule `v1`, and how it is when it is completed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from .call import Instant
from .types import BacktestParameters, BacktestProgress, BacktestResult, SignalType


class BacktestFilters(TypedDict):
    """Which signals a backtest buys, by the figures known at the purchase. A condition of None is as left out."""

    since: Instant
    """Signals created after this instant, at most 400 days before `as_of`."""
    until: NotRequired[Instant]
    """Signals created up to this instant, itself included; up to `as_of` where it is left out."""
    types: NotRequired[Sequence[SignalType]]
    """Signals of these types; of all types where it is left out."""
    is_premium: NotRequired[bool | None]
    """Only premium signals, or only others; both where it is None or left out."""
    min_mcap: NotRequired[float | None]
    """The lowest market cap, US dollars."""
    max_mcap: NotRequired[float | None]
    """The highest market cap, US dollars."""
    min_liquidity: NotRequired[float | None]
    """The lowest liquidity, US dollars."""
    min_volume_24h: NotRequired[float | None]
    """The lowest volume of the 24 hours before, US dollars."""
    min_holders: NotRequired[int | None]
    """The lowest number of holders."""


class BacktestCosts(TypedDict):
    """What each trade costs."""

    fee_percent: NotRequired[float]
    """Percent of each trade, of the purchase and of the sale; 1 where it is left out."""
    price_impact: NotRequired[bool]
    """Whether a trade moves the price against itself, as in a constant-product pool; True where it is left out."""


class CompletedBacktest(TypedDict):
    """A `Backtest` that has its result."""

    id: str
    status: Literal["completed"]
    progress: BacktestProgress
    parameters: BacktestParameters
    error: None
    created_at: str
    finished_at: str
    result: BacktestResult
