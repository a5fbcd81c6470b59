"""The types of a backtest's request, whose defaults are those of the exit rule `v1`, and of a completed backtest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from .call import Instant
from .types import BacktestParameters, BacktestProgress, BacktestResult, SignalType


class BacktestFilters(TypedDict):
    """Which signals a backtest buys, by the figures known at the purchase. A condition of None does not filter."""

    since: Instant
    """Signals created after this instant, at most 400 days before `as_of`."""
    until: NotRequired[Instant]
    """Signals created up to and including this instant. Default: `as_of`."""
    types: NotRequired[Sequence[SignalType]]
    """Signals of these types. Default: all types."""
    is_premium: NotRequired[bool | None]
    """True: only premium signals; False: only others. Default: both."""
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
    """The fee of the purchase and of the sale, percent of each. Default: 1."""
    price_impact: NotRequired[bool]
    """Whether a trade moves the price against itself, as in a constant-product pool. Default: True."""


class CompletedBacktest(TypedDict):
    """A `Backtest` with its result."""

    id: str
    status: Literal["completed"]
    progress: BacktestProgress
    parameters: BacktestParameters
    error: None
    created_at: str
    finished_at: str
    result: BacktestResult
