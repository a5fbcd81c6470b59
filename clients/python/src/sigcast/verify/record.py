"""The record that the entries of a log are."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, TypedDict

NAMED = 20
"""Problems of one kind that are named; more are counted."""
SKEW = timedelta(minutes=10)
"""By how much the clocks of those who make signals and of the log may differ."""
LATE = timedelta(hours=1)
"""What is known later than this was not published when it says that it happened."""
ENCODER = json.JSONEncoder(ensure_ascii=False)
OF_SIGNAL = ["type", "created_at", "is_premium", "token.chain", "token.contract", "token.symbol", "metrics.mcap_entry"]
OF_OUTCOME = ["status", "decided_at", "rule", "observations"]
OF_POSITION = ["rule", "roi", "entered_at", "exited_at", "exit"]


class Problem(TypedDict):
    """A difference that was found, and what was checked."""

    check: str
    message: str


@dataclass
class LoggedSignal:
    """What the log says of a signal."""

    index: int
    facts: dict[str, Any]
    """What the API must say of the signal, too, by the API's names: nothing of it changes."""
    status: str = "active"
    decided: int | None = None
    """The number of the newest entry that decided it."""
    outcome: dict[str, Any] = field(default_factory=dict)
    """What the API must say of its outcome, by the API's names; empty where the entry is made from a state."""
    position: dict[str, Any] = field(default_factory=dict)
    """What the API must say of a position that has ended, by the API's names."""
    peak: float = 0
    """The highest market cap when it was decided, US dollars."""


class TrackRecord:
    """Reads entries, one after the other, and says what is wrong with them."""

    def __init__(self) -> None:
        self.signals: dict[str, LoggedSignal] = {}
        self.late = 0
        """Signals and outcomes that became known more than an hour after they say that they were created or decided."""
        self.corrections = 0
        self.rois: dict[str, float] = {}
        """What could be earned with each decided signal, percent."""
        self._problems: list[Problem] = []
        self._known = datetime.fromtimestamp(0, timezone.utc)
        self._early: defaultdict[str, list[tuple[int, dict[str, Any], datetime]]] = defaultdict(list)
        """Outcomes whose signal has not come yet."""

    def add(self, index: int, text: bytes) -> None:
        """Reads the next entry."""
        entry = parsed(text)
        if entry is None:
            return self._report(index, "is not canonical JSON")
        try:
            self._add_entry(index, entry)
        except (TypeError, ValueError, ArithmeticError, RecursionError):
            # Who writes the log may want that nobody gets to its end.
            self._report(index, "has members that can’t be read")

    def _add_entry(self, index: int, entry: dict[str, Any]) -> None:
        signal, known_at = entry.get("signal"), entry.get("known_at")
        known = instant(known_at) if isinstance(known_at, str) else None
        if canonical(entry.get("v")) != "1" or not isinstance(signal, str) or known is None:
            return self._report(index, "is not an entry of version 1")
        if known < self._known:
            latest = milliseconds(self._known)
            self._report(index, f"is dated back: known at {entry['known_at']}, behind one known at {latest}")
        self._known = max(self._known, known)
        kind = entry.get("kind")
        if kind == "signal":
            self._add_signal(index, signal, entry, known)
        elif kind == "outcome":
            self._add_outcome(index, signal, entry, known)
        elif kind == "correction":
            self.corrections += 1
        else:
            self._report(index, f"has the kind {shown(kind)}")

    @property
    def found(self) -> list[Problem]:
        """All problems so far; those that are not named as their number."""
        early = [
            problem(index, f"decides the signal {signal}, which is not in the log")
            for signal, outcomes in self._early.items()
            for index, _, _ in outcomes
        ]
        return limited(self._problems + early, "problems of entries")

    def _add_signal(self, index: int, signal: str, entry: dict[str, Any], known: datetime) -> None:
        if signal in self.signals:
            return self._report(index, f"is a second entry of the signal {signal}")
        self._look_at_time(index, "created", entry, known)
        self.signals[signal] = LoggedSignal(index, facts_of(entry))
        for outcome in self._early.pop(signal, []):
            self._add_outcome(outcome[0], signal, *outcome[1:])

    def _add_outcome(self, index: int, signal: str, entry: dict[str, Any], known: datetime) -> None:
        logged = self.signals.get(signal)
        if logged is None:
            # Events may come in any order.
            return self._early[signal].append((index, entry, known))
        status = shown(entry.get("status"))
        to = joined(logged.status, status)
        if to is None:
            return self._report(index, f"decides {signal} {status}, which is {logged.status} already")
        decided = self._look_at_time(index, "decided", entry, known)
        created_at = logged.facts["created_at"]
        created = instant(created_at)
        if decided and created and decided < created - SKEW:
            of = f"of a signal created at {created_at}"
            self._report(index, f"is dated back: decided at {entry['decided_at']}, {of}")
        logged.status, logged.decided = to, max(index, logged.decided or 0)
        if to == status:
            logged.outcome = {} if entry.get("from_state") is True else members_of(entry, "outcome", OF_OUTCOME)
        position = entry.get("realizable")
        if isinstance(position, dict) and position.get("exit") is not None:
            logged.position = members_of(position, "realizable", OF_POSITION)
        peak, roi = member(entry, "metrics.mcap_ath"), member(entry, "realizable.roi")
        if isinstance(peak, (int, float)):
            logged.peak = max(logged.peak, peak)
        if isinstance(roi, (int, float)) and logged.decided == index:
            self.rois[signal] = roi

    def _look_at_time(self, index: int, what: str, entry: dict[str, Any], known: datetime) -> datetime | None:
        """Counts what is known late, and names what is known before it happened."""
        text = entry.get(f"{what}_at")
        at = instant(text)
        if at is not None and known - at > LATE:
            self.late += 1
        if at is None or at > known + SKEW:
            self._report(index, f"is dated ahead: {what} at {shown(text)}, known at {milliseconds(known)}")
        return at

    def _report(self, index: int, what: str) -> None:
        self._problems.append(problem(index, what))


def problem(index: int, what: str) -> Problem:
    """What is wrong with an entry."""
    return {"check": "entries", "message": f"Entry {index} {what}"}


def facts_of(entry: dict[str, Any]) -> dict[str, Any]:
    """What the entry of a signal says that the API must say, too. An entry made from a state knows no origin."""
    facts = {name: member(entry, name) for name in OF_SIGNAL}
    if entry.get("from_state") is True:
        return facts
    return facts | members_of(entry.get("origin") or {"rule": None}, "origin", ("rule", "observed_at"))


def members_of(value: Mapping[str, Any], path: str, names: Iterable[str]) -> dict[str, Any]:
    """Those members that an entry has, by the API's names."""
    return {f"{path}.{name}": value[name] for name in names if isinstance(value, Mapping) and name in value}


def member(value: Any, path: str) -> Any:
    """A member of a member; None where there is none."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def joined(one: str, other: str) -> str | None:
    """The status of a signal that had one and gets another, in whatever order the log got to know of both: a winner may
    be rugged later. None for two that contradict each other."""
    if one == "active":
        return other if other in ("winner", "dead", "rugged") else None
    return "rugged" if {one, other} == {"winner", "rugged"} else None


def limited(problems: list[Problem], what: str) -> list[Problem]:
    """The first problems; the others as their number."""
    more = len(problems) - NAMED
    rest: list[Problem] = [{"check": problems[0]["check"], "message": f"and {more} more {what}"}] if more > 0 else []
    return problems[:NAMED] + rest


def instant(text: object) -> datetime | None:
    """An instant in ISO 8601; None for anything else."""
    try:
        value = datetime.fromisoformat(str(text))
        return value.astimezone(timezone.utc) if value.tzinfo else value.replace(tzinfo=timezone.utc)
    except (ValueError, OverflowError):
        return None


def milliseconds(at: datetime) -> str:
    """An instant as entries have it."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parsed(text: bytes) -> dict[str, Any] | None:
    """An object in canonical JSON (RFC 8785); None for anything else."""
    try:
        value = json.loads(text.decode(), parse_constant=float)
        return value if isinstance(value, dict) and canonical(value).encode() == text else None
    except (ValueError, OverflowError, RecursionError):
        return None


def canonical(value: Any) -> str:
    """A value as canonical JSON (RFC 8785)."""
    if isinstance(value, dict):
        # By UTF-16 code units.
        names: list[str] = sorted(value, key=lambda name: str(name).encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(float(value))
    return ENCODER.encode(value)


def number(value: float) -> str:
    """A number as ECMAScript writes it. Python finds the same shortest digits, and has other forms for them."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "null"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + int(exponent)
    if 0 < point <= 21:
        text = text.ljust(point, "0") if len(text) <= point else f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{text}"
    else:
        text = f"{text[0]}{text[1:] and '.'}{text[1:]}e{point - 1:+d}"
    return "-" * sign + text


def shown(value: object) -> str:
    """A value of the API or an entry in a message."""
    if isinstance(value, list):
        return ",".join(map(shown, value))
    return value if isinstance(value, str) else canonical(value)
