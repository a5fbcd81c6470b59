"""What the API answered: reads envelopes, errors and rate limits. Without I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Generic, TypeVar

from .errors import SigcastError

T = TypeVar("T")
M = TypeVar("M")


@dataclass(frozen=True)
class RateLimit:
    """The window with the least remaining, as an answer's `X-RateLimit-*` headers tell it."""

    limit: int
    """Requests that the window allows."""
    remaining: int
    """Requests left in it."""
    resets_at: datetime
    """When it ends or, with nothing remaining, when it admits again."""
    degraded: bool
    """True while the gateways count each for itself, for want of their shared store."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What the API answered, and what it said besides."""

    data: T
    request_id: str | None
    """Names the request in the API's logs."""
    rate_limit: RateLimit | None


@dataclass(frozen=True)
class Page(Answer[list[T]], Generic[T, M]):
    """A page of a list."""

    meta: M
    """Where the page stands in its list."""


@dataclass(frozen=True)
class Reply:
    """A whole HTTP answer."""

    status: int
    headers: Mapping[str, str]
    """Names in any case."""
    body: bytes


def read_answer(reply: Reply) -> Page[Any, Any]:
    """Reads an answer's envelope; `meta` is None where there is none.

    Raises SigcastError when the answer is a failure, or not the API's.
    """
    parsed = parse_object(reply.body)
    if not 200 <= reply.status < 300 or parsed.get("success") is not True or "data" not in parsed:
        raise refusal_of(reply)
    return Page(
        data=parsed["data"],
        meta=parsed.get("meta"),
        request_id=reply.headers.get("x-request-id"),
        rate_limit=read_rate_limit(reply.headers),
    )


def refusal_of(reply: Reply) -> SigcastError:
    """What an answer that is no success says."""
    parsed = parse_object(reply.body)
    error = parsed.get("error") if parsed.get("success") is False else None
    said: dict[str, Any] = error if isinstance(error, dict) else {}
    retry_after = said.get("retry_after", whole_number(reply.headers.get("retry-after")))
    return SigcastError(
        said.get("message") or f"The answer is not one of the Sigcast API (HTTP status {reply.status})",
        status=reply.status,
        code=said.get("code", "UNEXPECTED_ANSWER"),
        request_id=reply.headers.get("x-request-id"),
        details=said.get("details"),
        retry_after=retry_after,
        rate_limit=read_rate_limit(reply.headers),
    )


def read_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """None where the headers are missing: something else answered."""
    limit, remaining, reset = (
        whole_number(headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining", "reset")
    )
    if limit is None or remaining is None or reset is None:
        return None
    resets_at = datetime.fromtimestamp(reset, timezone.utc)
    return RateLimit(limit, remaining, resets_at, headers.get("x-ratelimit-degraded") == "1")


def whole_number(text: str | None) -> int | None:
    """None for what is no row of at most ten digits."""
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,10}", text) else None


def parse_object(text: bytes | str) -> dict[str, Any]:
    """An empty one for what is no JSON object."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
