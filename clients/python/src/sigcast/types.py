"""Types of requests and answers."""

from .generated.types import *
from .generated.types import Backtest, BacktestResult


class CompletedBacktest(Backtest):
    """A `Backtest` with its result."""

    result: BacktestResult  # type: ignore[misc]
