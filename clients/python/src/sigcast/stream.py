"""Follows a stream of events over its connections: parsing, the position to continue from, pauses. No I/O."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

from .answer import parse_object
from .call import backoff
from .errors import SigcastConnectionError, SigcastError
from .types import FeedEvent

FIRST_PAUSE = 1.0
"""Seconds before the first reconnection, until the server sends another value."""
LONGEST_PAUSE = 30.0


@dataclass(frozen=True)
class StreamConnection:
    """The state of a stream's connection."""

    state: Literal["open", "lost"]
    """After `lost`, the client reconnects after a pause."""
    cause: SigcastError | SigcastConnectionError | None = None
    """Why the connection was lost; None when the API ended it as planned."""


@dataclass(frozen=True)
class Block:
    """A parsed event or, with `data` None, only a new last event id."""

    last_event_id: str
    event: str
    data: str | None


class EventStreamParser:
    """Reads `text/event-stream` (WHATWG HTML, 9.2.6 "Interpreting an event stream"), however it is cut into chunks."""

    def __init__(self, last_event_id: str = "") -> None:
        self.retry: float | None = None
        """Seconds the server asks to wait before reconnecting; None until it does."""
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._last_event_id = self._id = last_event_id
        self._event = ""
        self._data: list[str] = []
        self._line = ""
        self._after_carriage_return = False

    def push(self, chunk: bytes) -> Iterator[Block]:
        """The events that the chunk completes."""
        text = self._decoder.decode(chunk)
        if not text:
            return
        # A CR ends its line at once. An LF at the beginning of the next chunk belongs to that CR.
        if self._after_carriage_return:
            text = text.removeprefix("\n")
        self._after_carriage_return = text.endswith("\r")
        first, *others = re.split("\r\n|\n|\r", text)
        self._line += first
        for following in others:
            line, self._line = self._line, following
            if line:
                self._field(line)
            else:
                yield from self._block()

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch("[0-9]{1,9}", value):
            self.retry = int(value) / 1_000
        # An empty name is a comment. Unknown fields are ignored.

    def _block(self) -> Iterator[Block]:
        is_new_id = self._id != self._last_event_id
        self._last_event_id = self._id
        data = "\n".join(self._data) if self._data else None
        event = self._event or "message"
        self._data = []
        self._event = ""
        if data is not None or is_new_id:
            yield Block(self._id, event, data)


class Following:
    """The position and the failures of a stream, over all its connections."""

    def __init__(self, last_event_id: str, max_retries: int, random: Callable[[], float]) -> None:
        self.last_event_id = last_event_id
        """The event to continue after; empty for events from now on."""
        self._max_retries = max_retries
        self._random = random
        self._parser = EventStreamParser(last_event_id)
        self._retry = FIRST_PAUSE
        self._was_open = False
        self._failures = 0

    def opened(self) -> None:
        """A connection is open."""
        self._was_open = True
        self._parser = EventStreamParser(self.last_event_id)

    def read(self, chunk: bytes) -> Iterator[FeedEvent]:
        """The events that the chunk completes. Raises SigcastError when an event is not a JSON object."""
        for block in self._parser.push(chunk):
            self.last_event_id = block.last_event_id
            if block.data is None:
                continue
            payload = parse_object(block.data)
            if not payload:
                message = "The stream holds an event that is not a JSON object"
                raise SigcastError(message, status=200, code="UNEXPECTED_ANSWER")
            yield cast(FeedEvent, {"id": block.last_event_id, **payload})
            self._failures = 0

    def lost(self, cause: SigcastError | SigcastConnectionError | None, *, held: float) -> float:
        """Seconds to wait before the next connection. Raises the cause when another connection would not succeed either.

        `held`: seconds since this connection was begun.
        """
        if cause is not None:
            gives_up = not self._was_open and self._failures >= self._max_retries
            if gives_up or not self._may_reconnect(cause):
                raise cause
        # A connection that was open for a while counts as a success, even without an event.
        self._failures = 1 if held >= LONGEST_PAUSE else self._failures + 1
        self._retry = self._retry if self._parser.retry is None else self._parser.retry
        longest = max(LONGEST_PAUSE, self._retry)
        pause = backoff(self._failures, first=self._retry, longest=longest, random=self._random)
        return max(pause, getattr(cause, "retry_after", None) or 0)

    def _may_reconnect(self, cause: SigcastError | SigcastConnectionError) -> bool:
        if isinstance(cause, SigcastConnectionError):
            return True
        # The account has too many streams open: the API may still count the connection that has just broken.
        if cause.status == 409:
            return self._was_open
        return cause.status == 429 or cause.status >= 500
