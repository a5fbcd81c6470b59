"""Requests to the API, and when to retry them. No I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, TypeAlias, TypeVar, Union
from urllib.parse import quote, urlencode
from uuid import uuid4

from .errors import SigcastConnectionError, SigcastError
from .version import VERSION

T = TypeVar("T")
OneOrMore: TypeAlias = Union[T, Sequence[T]]
Instant = datetime | str
"""A time with a time zone, as a datetime or in ISO 8601, or a date in ISO 8601 (00:00 UTC)."""
QueryValue = OneOrMore[str] | int | datetime | None
Query = Mapping[str, QueryValue]

FIRST_PAUSE = 0.25
"""Seconds before the first retry, where the API names no pause. Later pauses double up to `LONGEST_PAUSE`."""
LONGEST_PAUSE = 8.0
SPREAD = 0.25
"""Seconds: the longest random addition to Retry-After, so that clients with the same value don't return together."""


@dataclass(frozen=True)
class Options:
    """The address and the key of the API, and the limits of a call. Durations are seconds."""

    api_key: str = field(repr=False)
    base_url: str
    timeout: float
    attempt_timeout: float
    max_retries: int

    def __post_init__(self) -> None:
        # A key with other characters would fail in every request, with a less clear message.
        if not re.fullmatch(r"[\x21-\x7e]+", self.api_key):
            raise ValueError("api_key must be an API key")
        if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", self.base_url):
            raise ValueError("base_url must be an http or https address without a query and a password")
        if not self.timeout > 0:
            raise ValueError("timeout must be above 0")
        if not self.attempt_timeout > 0:
            raise ValueError("attempt_timeout must be above 0")
        if not isinstance(self.max_retries, int) or self.max_retries < 0:
            raise ValueError("max_retries must be a whole number from 0")

    def url(self, path: str) -> str:
        """The URL of a path, which may have a query."""
        return self.base_url.rstrip("/") + path

    def headers(self, accept: str, more: Mapping[str, str | None]) -> dict[bytes, bytes]:
        """A request's headers, without those of `more` that are None."""
        own: dict[str, str | None] = {
            "authorization": f"Bearer {self.api_key}",
            "user-agent": f"sigcast-python/{VERSION}",
            "accept": accept,
        }
        given = {**own, **more}.items()
        return {name.encode(): value.encode() for name, value in given if value is not None}


@dataclass(frozen=True)
class Call:
    """One request to the API."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    """The path with its query."""
    body: Mapping[str, object] | None = None
    """Sent as JSON, without members that are OMITTED."""
    idempotency_key: str | None = None
    """Makes a POST repeatable: the API carries it out once, however often it is sent."""

    @property
    def is_repeatable(self) -> bool:
        """Whether the request is idempotent (RFC 9110, 9.2.2). A PATCH of this API is, because it sets values."""
        return self.method != "POST" or self.idempotency_key is not None

    @property
    def content(self) -> bytes | None:
        """The body to send."""
        if self.body is None:
            return None
        given = {name: value for name, value in self.body.items() if not isinstance(value, Omitted)}
        return json.dumps(given, default=instant).encode()

    @property
    def headers(self) -> dict[str, str | None]:
        """The headers of this call; None stands for a header that is not sent."""
        return {
            "content-type": None if self.body is None else "application/json",
            "idempotency-key": self.idempotency_key,
        }


class Omitted:
    """The type of `OMITTED`: the default of arguments for which None has a meaning."""


OMITTED = Omitted()


def idempotency(key: str | None) -> str:
    """The key of a call: the caller's own, or a new one."""
    return header_value("idempotency_key", str(uuid4()) if key is None else key)


def query_string(query: Query) -> str:
    """A query with its question mark, or an empty text. Several values are joined by commas, None is left out."""
    text = urlencode({name: query_value(value) for name, value in query.items() if value is not None})
    return text and f"?{text}"


def query_value(value: OneOrMore[str] | int | datetime) -> str:
    """A value as text: several values joined by commas, instants in UTC."""
    if isinstance(value, datetime):
        return instant(value)
    return str(value) if isinstance(value, (str, int)) else ",".join(value)


def instant(value: Any) -> str:
    """A datetime in ISO 8601, in UTC. Raises ValueError if it has no time zone, TypeError for anything else."""
    if not isinstance(value, datetime):
        raise TypeError(f"{type(value).__name__} can't be sent as JSON")
    if value.tzinfo is None:
        raise ValueError("a datetime must have a time zone, such as datetime.now(timezone.utc)")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def segment(identifier: str) -> str:
    """Encodes a path segment. Raises ValueError for an empty or a dot segment, which would change the path."""
    if identifier in ("", ".", ".."):
        raise ValueError(f"not an identifier: {identifier!r}")
    return quote(identifier, safe="")


def header_value(name: str, value: str) -> str:
    """Returns the value. Raises ValueError naming `name` when a header can't hold the value."""
    if not re.fullmatch(r"[\x20-\x7e]*", value):
        raise ValueError(f"{name} must be printable ASCII")
    return value


def pause_before_retry(
    error: SigcastError | SigcastConnectionError, attempt: int, call: Call, random: Callable[[], float]
) -> float | None:
    """Seconds to wait before the next attempt; None when the request should not be sent again."""
    backed_off = backoff(attempt, first=FIRST_PAUSE, longest=LONGEST_PAUSE, random=random)
    if isinstance(error, SigcastConnectionError):
        return backed_off if call.is_repeatable else None
    # A request over a limit was not carried out. After the other statuses, it may have been.
    if error.status != 429 and not (error.status in (502, 503, 504) and call.is_repeatable):
        return None
    return backed_off if error.retry_after is None else error.retry_after + random() * SPREAD


def backoff(attempt: int, *, first: float, longest: float, random: Callable[[], float]) -> float:
    """Seconds to wait after attempt number `attempt` (from 1).

    The longest pause doubles from `first` to `longest`. The result is random between half of it and all, so that
    clients that failed together don't return together.
    """
    # The exponent is bounded, because a float can't hold the powers that a long outage would reach.
    ceiling = min(longest, first * 2 ** min(attempt - 1, 60))
    return float(ceiling / 2 * (1 + random()))
