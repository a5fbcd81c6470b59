"""What is asked of the API, and whether to ask again. Without I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, TypeAlias, TypeVar, Union
from urllib.parse import quote, urlencode

from .errors import SigcastConnectionError, SigcastError
from .version import VERSION

T = TypeVar("T")
OneOrMore: TypeAlias = Union[T, Sequence[T]]
Instant = datetime | str
"""A time with a time zone, as a datetime or in ISO 8601, or a date in ISO 8601 (00:00 UTC)."""
QueryValue = OneOrMore[str] | int | datetime | None
Query = Mapping[str, QueryValue]

FIRST_PAUSE = 0.25
"""Seconds, where the API names none; later pauses double up to the longest."""
LONGEST_PAUSE = 8.0
SPREAD = 0.25
"""So that clients that were told the same Retry-After don't come back in one instant."""


@dataclass(frozen=True)
class Options:
    """How a client reaches the API, and how long it tries. Durations are seconds."""

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
        """The address of a path, which may have a query."""
        return self.base_url.rstrip("/") + path

    def headers(self, accept: str, more: Mapping[str, str | None]) -> dict[bytes, bytes]:
        """A request's headers; what is None is left out."""
        own: dict[str, str | None] = {
            "authorization": f"Bearer {self.api_key}",
            "user-agent": f"sigcast-python/{VERSION}",
            "accept": accept,
        }
        given = {**own, **more}.items()
        return {name.encode(): value.encode() for name, value in given if value is not None}


@dataclass(frozen=True)
class Call:
    """One thing asked of the API."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    """With its query."""
    body: Mapping[str, object] | None = None
    """Sent as JSON; what is OMITTED in it is left out."""
    idempotency_key: str | None = None
    """Makes a POST repeatable: the API does it once, however often it comes."""

    @property
    def is_repeatable(self) -> bool:
        """Whether doing it twice is doing it once (RFC 9110, 9.2.2); our PATCH sets values, so it is so too."""
        return self.method != "POST" or self.idempotency_key is not None

    @property
    def content(self) -> bytes | None:
        if self.body is None:
            return None
        given = {name: value for name, value in self.body.items() if not isinstance(value, Omitted)}
        return json.dumps(given, default=instant).encode()

    @property
    def headers(self) -> dict[str, str | None]:
        return {
            "content-type": None if self.body is None else "application/json",
            "idempotency-key": self.idempotency_key,
        }


class Omitted:
    """Stands for an argument that was not given, where None means something."""


OMITTED = Omitted()


def get(path: str, query: Query | None = None) -> Call:
    return Call("GET", path + query_string(query or {}))


def query_string(query: Query) -> str:
    """A query with its question mark, or nothing; several values are separated by commas, None is left out."""
    text = urlencode({name: query_value(value) for name, value in query.items() if value is not None})
    return text and f"?{text}"


def query_value(value: OneOrMore[str] | int | datetime) -> str:
    if isinstance(value, datetime):
        return instant(value)
    return str(value) if isinstance(value, (str, int)) else ",".join(value)


def instant(value: Any) -> str:
    """ISO 8601 in UTC. Raises ValueError for a datetime without a time zone: the API would have to guess."""
    if not isinstance(value, datetime):
        raise TypeError(f"{type(value).__name__} can't be sent as JSON")
    if value.tzinfo is None:
        raise ValueError("a datetime must have a time zone, such as datetime.now(timezone.utc)")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def segment(identifier: str) -> str:
    """A path's segment. Raises ValueError for what would lead elsewhere."""
    if identifier in ("", ".", ".."):
        raise ValueError(f"not an identifier: {identifier!r}")
    return quote(identifier, safe="")


def header_value(name: str, value: str) -> str:
    """Raises ValueError for what a header can't hold."""
    if not re.fullmatch(r"[\x20-\x7e]*", value):
        raise ValueError(f"{name} must be printable ASCII")
    return value


def pause_before_retry(
    error: SigcastError | SigcastConnectionError, attempt: int, call: Call, random: Callable[[], float]
) -> float | None:
    """Seconds to wait before asking again; None when the same request should not be sent again."""
    backed_off = backoff(attempt, first=FIRST_PAUSE, longest=LONGEST_PAUSE, random=random)
    if isinstance(error, SigcastConnectionError):
        return backed_off if call.is_repeatable else None
    # What was refused for a limit was not done; of the others that is not certain.
    if error.status != 429 and not (error.status in (502, 503, 504) and call.is_repeatable):
        return None
    return backed_off if error.retry_after is None else error.retry_after + random() * SPREAD


def backoff(attempt: int, *, first: float, longest: float, random: Callable[[], float]) -> float:
    """Seconds to wait after try number `attempt` (from 1): doubling from `first` to `longest`, and between half and all
    of that, so that clients that failed together don't return together.
    """
    # The exponent is bounded: a float can't hold a large one, and an outage may last.
    ceiling = min(longest, first * 2 ** min(attempt - 1, 60))
    return float(ceiling / 2 * (1 + random()))
