"""Client of the Sigcast API: signals, statistics, backtests, events, webhooks."""

from .answer import Answer, Page, RateLimit
from .async_client import AsyncSigcast
from .errors import (
    BacktestFailedError,
    SigcastConnectionError,
    SigcastError,
    SigcastTimeoutError,
    VerificationFailure,
    WebhookVerificationError,
)
from .generated.client import Sigcast
from .stream import StreamConnection
from .version import VERSION as __version__
from .webhook import WebhookHeaders, sign_webhook, verify_webhook, verify_webhook_batch

__all__ = [
    "Answer",
    "AsyncSigcast",
    "BacktestFailedError",
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
    "verify_webhook_batch",
]
