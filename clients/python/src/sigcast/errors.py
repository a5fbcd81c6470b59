"""The errors that calls raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .answer import RateLimit
    from .types import ApiErrorDetails, Backtest


class SigcastError(Exception):
    """The API answered with an error. Act on `code`; the message is for people."""

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
        """An error code of the API, of which later versions may have more; `UNEXPECTED_ANSWER` when something other
        than the API answered, such as a proxy."""
        self.request_id = request_id
        """The id of the request in the API's logs; quote it to support. None when something else than the API answered."""
        self.details = details or []
        """Each wrong input, when the request was invalid."""
        self.retry_after = retry_after
        """Whole seconds to wait before the next try."""
        self.rate_limit = rate_limit


class SigcastConnectionError(Exception):
    """No complete answer came: the connection failed or broke. The request may have been carried out."""


class SigcastTimeoutError(SigcastConnectionError):
    """No complete answer came in time."""


class BacktestFailedError(Exception):
    """A backtest that `run` waited for has failed. `backtest["error"]` says why."""

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
    """A delivery that is not genuine: refuse and ignore it."""

    def __init__(self, reason: VerificationFailure, message: str) -> None:
        super().__init__(message)
        self.reason: VerificationFailure = reason
