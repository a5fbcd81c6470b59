"""What a call can raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .answer import RateLimit
    from .types import ApiErrorDetails, Backtest


class SigcastError(Exception):
    """The API answered, and it was a failure. Act on `code`; the message is for people."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None = None,
        details: list[ApiErrorDetails] | None = None,
        retry_after: int | None = None,
        rate_limit: RateLimit | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status."""
        self.code = code
        """An error code of the API, which may learn further ones; `UNEXPECTED_ANSWER` where something else
        answered, such as a proxy."""
        self.request_id = request_id
        """Names the request in the API's logs; quote it to support. None where something else answered."""
        self.details = details or []
        """Each wrong input, where the request was wrong."""
        self.retry_after = retry_after
        """Whole seconds after which asking again makes sense."""
        self.rate_limit = rate_limit


class SigcastConnectionError(Exception):
    """No whole answer came: no connection, or it broke. What was asked for may have happened."""


class SigcastTimeoutError(SigcastConnectionError):
    """No whole answer came in time."""


class BacktestFailedError(Exception):
    """A backtest that was waited for has failed; `backtest["error"]` says why."""

    def __init__(self, backtest: Backtest) -> None:
        super().__init__(f"The backtest {backtest['id']} failed: {backtest['error'] or 'no reason is known'}")
        self.backtest: Backtest = backtest


VerificationFailure = Literal[
    "missing_header",
    "invalid_timestamp",
    "timestamp_too_old",
    "timestamp_too_new",
    "no_matching_signature",
    "invalid_body",
]


class WebhookVerificationError(Exception):
    """A delivery that is not to be believed: refuse it, and do nothing of what it says."""

    def __init__(self, reason: VerificationFailure, message: str) -> None:
        super().__init__(message)
        self.reason: VerificationFailure = reason
