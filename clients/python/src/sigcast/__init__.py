"""Client of the Sigcast API: signals, statistics, backtests, events, webhooks."""

from .answer import Answer, Page, RateLimit
from .async_client import AsyncSigcast
from .client import Sigcast
from .errors import (
    BacktestFailedError,
    SigcastConnectionError,
    SigcastError,
    SigcastTimeoutError,
    VerificationFailure,
    WebhookVerificationError,
)
from .strategy import BacktestCosts, BacktestFilters, CompletedBacktest
from .stream import StreamConnection
from .version import VERSION as __version__
from .webhook import WebhookHeaders, sign_webhook, verify_webhook

__all__ = [
    "Answer",
    "AsyncSigcast",
    "BacktestCosts",
    "BacktestFailedError",
    "BacktestFilters",
    "CompletedBacktest",
    "Page",
    "RateLimit",
    "Sigcast",
    "SigcastConnectionError",
    "SigcastError",
    "SigcastTimeoutError",
    "StreamConnection",
    "VerificationFailure",
    "WebhookHeaders",
    "WebhookVerificationError",
    "__version__",
    "sign_webhook",
    "verify_webhook",
]
