"""Reads answers of the API: envelopes, errors and rate limits. No I/O."""

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
    """The window with the fewest requests left, from an answer's `X-RateLimit-*` headers."""

    limit: int
    """Requests that the window allows."""
    remaining: int
    """Requests left in the window."""
    resets_at: datetime
    """When the window ends or, with nothing remaining, when the next request is admitted."""
    degraded: bool
    """True while each gateway counts by itself, because their shared store is unavailable."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer of the API, with values from its headers."""

    data: T
    request_id: str | None
    """The id of the request in the API's logs."""
    rate_limit: RateLimit | None


@dataclass(frozen=True)
class Page(Answer[list[T]], Generic[T, M]):
    """A page of a list."""

    meta: M
    """The position of the page in its list."""


@dataclass(frozen=True)
class Reply:
    """A complete HTTP answer."""

    status: int
    headers: Mapping[str, str]
    """Names in any case."""
    body: bytes


def read_answer(reply: Reply) -> Page[Any, Any]:
    """Reads an answer's envelope. `meta` is None for answers without it.

    Raises SigcastError when the answer is an error, or is not from the API.
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
    """The error that tells of an unsuccessful answer."""
    parsed = parse_object(reply.body)
    error = parsed.get("error") if parsed.get("success") is False else None
    members: dict[str, Any] = error if isinstance(error, dict) else {}
    retry_after = members.get("retry_after", whole_number(reply.headers.get("retry-after")))
    return SigcastError(
        members.get("message") or f"The answer is not one of the Sigcast API (HTTP status {reply.status})",
        status=reply.status,
        code=members.get("code", "UNEXPECTED_ANSWER"),
        request_id=reply.headers.get("x-request-id"),
        details=members.get("details"),
        retry_after=retry_after,
        rate_limit=read_rate_limit(reply.headers),
    )


def read_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """Reads the headers about limits. None when they are missing: something other than the API answered."""
    limit, remaining, reset = (
        whole_number(headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining", "reset")
    )
    if limit is None or remaining is None or reset is None:
        return None
    resets_at = datetime.fromtimestamp(reset, timezone.utc)
    return RateLimit(limit, remaining, resets_at, headers.get("x-ratelimit-degraded") == "1")


def whole_number(text: str | None) -> int | None:
    """A number of at most ten digits; None for any other text."""
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,10}", text) else None


def parse_object(text: bytes | str) -> dict[str, Any]:
    """Parses a JSON object; an empty one for anything else."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
