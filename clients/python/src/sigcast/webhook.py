"""Verifies deliveries, and signs them for tests (Standard Webhooks). No I/O."""

from __future__ import annotations

import base64
import hmac
import json
import math
import re
import time
from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from .errors import WebhookVerificationError
from .types import BatchedSignalEvent, BatchedWebhookEvent, WebhookPayload, WebhookStatePayload


WRONG_HEADERS = "The headers must have items(), with names and values as text: not WSGI's environ nor ASGI's list"


class WebhookHeaders(Protocol):
    """A request's headers as frameworks give them, names in any case; not WSGI's environ or ASGI's list of pairs."""

    def items(self) -> Iterable[tuple[str, str | Sequence[str]]]: ...


def verify_webhook(
    body: bytes | str,
    headers: WebhookHeaders,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookPayload | WebhookStatePayload:
    """Checks a delivery's signature and age (Standard Webhooks, "Verifying signatures") and returns its parsed body.

    `body` is the unchanged request body: a body that was parsed and serialised again has other bytes and fails. `secret`
    is the subscription's secret, `whsec_` and base64; or several secrets, any of which may have signed. `tolerance` is
    the largest accepted age of a delivery, and lead of its clock, in seconds: older deliveries may be replays. `now` is
    the present time in Unix seconds.

    Raises WebhookVerificationError naming the reason; ValueError or TypeError for a mistake of the receiver, such as an
    invalid secret, a parsed body or headers in another form.
    """
    parsed = _verified(body, headers, secret, tolerance, now)
    if isinstance(parsed, list):
        raise WebhookVerificationError("invalid_body", "The body is genuine, and a batch: use verify_webhook_batch")
    return cast(WebhookPayload | WebhookStatePayload, parsed)


def verify_webhook_batch(
    body: bytes | str,
    headers: WebhookHeaders,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> list[BatchedSignalEvent | BatchedWebhookEvent]:
    """As verify_webhook, for a subscription with `batch`: its events in their order, each with its id.

    The one event of a delivery that is not a batch comes alone in the list.
    """
    parsed = _verified(body, headers, secret, tolerance, now)
    if isinstance(parsed, list):
        return cast(list[BatchedSignalEvent | BatchedWebhookEvent], parsed)
    event: dict[str, object] = {"id": _header(headers, "webhook-id"), **cast(dict[str, object], parsed)}
    return [cast(BatchedSignalEvent | BatchedWebhookEvent, event)]


def _verified(
    body: bytes | str, headers: WebhookHeaders, secret: str | Sequence[str], tolerance: float, now: float | None
) -> object:
    if not isinstance(body, (bytes, bytearray, str)):
        raise TypeError("The body must be the text or the bytes as received, not the parsed JSON")
    if not tolerance >= 0:
        raise ValueError("tolerance must be 0 or more seconds")
    keys = keys_of(secret)
    message_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    _check_age(timestamp, tolerance, time.time() if now is None else now)

    content = body.encode(errors="replace") if isinstance(body, str) else bytes(body)
    expected = [_signature(key, message_id, timestamp, content) for key in keys]
    given = [_from_base64(text[3:]) for text in signatures.split(" ") if text.startswith("v1,")]
    if not any(hmac.compare_digest(ours, theirs) for ours in expected for theirs in given if theirs):
        raise WebhookVerificationError("no_matching_signature", "No signature matches a given secret")
    try:
        return cast(object, json.loads(content.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        raise WebhookVerificationError("invalid_body", "The body is genuine, but not JSON") from None


def sign_webhook(body: bytes | str, message_id: str, secret: str, *, now: float | None = None) -> dict[str, str]:
    """Creates the signed headers of a delivery, as the API sends them: for tests of a receiver.

    `body` is exactly what will be sent, `message_id` the event's id, `now` the time of the attempt in Unix seconds
    (default: the present time). Raises ValueError when the secret is invalid.
    """
    [key] = keys_of(secret)
    timestamp = str(math.floor(time.time() if now is None else now))
    content = body.encode() if isinstance(body, str) else bytes(body)
    signature = base64.b64encode(_signature(key, message_id, timestamp, content)).decode()
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }


def keys_of(secret: str | Sequence[str]) -> list[bytes]:
    """The key inside each secret. Raises ValueError for an invalid secret; the message does not repeat the secret."""
    keys = [
        _from_base64(one.removeprefix("whsec_")) if isinstance(one, str) else None
        for one in ([secret] if isinstance(secret, str) else secret or [])
    ]
    found = [key for key in keys if key]
    if not found or len(found) < len(keys):
        raise ValueError("A secret must be whsec_ and base64, as the API showed it")
    return found


def _header(headers: WebhookHeaders, name: str) -> str:
    if not hasattr(headers, "items"):
        raise TypeError(WRONG_HEADERS)
    given = [(key, [value] if isinstance(value, str) else value) for key, value in headers.items()]
    found = [values for key, values in given if isinstance(key, str) and key.lower() == name]
    # Only if the header is missing, the others matter: if they have another form, that is the receiver's mistake.
    checked = found or [part for key, values in given for part in ([key], values)]
    if not all(_is_text(values) for values in checked):
        raise TypeError(WRONG_HEADERS)
    text = " ".join(one for values in found for one in values)
    if not text:
        raise WebhookVerificationError("missing_header", f"The header {name} is missing")
    return text


def _is_text(values: object) -> bool:
    return isinstance(values, Sequence) and all(isinstance(one, str) for one in values)


def _check_age(timestamp: str, tolerance: float, now: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("invalid_timestamp", "webhook-timestamp is not in Unix seconds")
    age = math.floor(now) - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("timestamp_too_old", f"The delivery was sent {age} s ago, not within {tolerance:g} s")
    if age < -tolerance:
        raise WebhookVerificationError("timestamp_too_new", f"The delivery was sent {-age} s in the future, not within {tolerance:g} s")


def _signature(key: bytes, message_id: str, timestamp: str, content: bytes) -> bytes:
    """The HMAC of `id.timestamp.body` (Standard Webhooks, "Signature scheme")."""
    signed = f"{message_id}.{timestamp}.".encode(errors="replace") + content
    return hmac.digest(key, signed, "sha256")


def _from_base64(text: str) -> bytes | None:
    """Decodes base64 as browsers do (WHATWG Infra, "forgiving-base64 decode"); None for an invalid text."""
    text = re.sub(r"[\t\n\f\r ]", "", text)
    if len(text) % 4 == 0:
        text = re.sub("={1,2}$", "", text)
    if len(text) % 4 == 1 or not re.fullmatch("[A-Za-z0-9+/]*", text):
        return None
    return base64.b64decode(text + "=" * (-len(text) % 4))
