"""Compares the API with a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ..generated.client import Sigcast
from .failure import show_progress
from .record import LoggedSignal, Problem, limited, member, shown

Signals = Mapping[str, LoggedSignal]


def list_all(api: Sigcast) -> list[Mapping[str, Any]]:
    """All signals of the API, as they are when they are read."""
    listed: list[Mapping[str, Any]] = []
    cursor: str | None = None
    while True:
        page = api.signals.list(limit=100, cursor=cursor, include=["outcome", "origin", "realizable"])
        listed.extend(page.data)
        show_progress(f"{len(listed):,} signals of the API")
        cursor = page.meta["next_cursor"]
        if not cursor:
            return listed


def compare_signals(listed: Sequence[Mapping[str, Any]], logged: Signals, before: int) -> list[Problem]:
    """Compares signals both ways. What is behind the first `before` entries may be newer than the API's answer."""
    found: list[str] = []
    for signal in listed:
        known = logged.get(signal["id"])
        if known is None:
            found.append(f"The API lists the signal {signal['id']}, which is not in the log")
            continue
        facts = dict(known.facts)
        if known.decided is None or known.decided < before:
            # Otherwise it may have been decided after the API was read.
            facts |= {"performance.status": known.status} | peak_of(signal, known) | known.outcome | known.position
        found.extend(
            f"{signal['id']}: {name} is {shown(member(signal, name))} in the API, "
            f"and {shown(log)} in entry {known.index} and those behind it"
            for name, log in facts.items()
            if member(signal, name) != log
        )
    ids = {signal["id"] for signal in listed}
    found.extend(
        f"Entry {known.index} is about the signal {signal}, which the API does not list"
        for signal, known in logged.items()
        if known.index < before and signal not in ids
    )
    return problems("api", found)


def peak_of(signal: Mapping[str, Any], known: LoggedSignal) -> dict[str, str]:
    """The peak when the signal was decided, where the API shows a lower one: it may rise, and never shrinks."""
    entry = known.facts["metrics.mcap_entry"]
    roi = (known.peak / entry - 1) * 100 if entry else 0.0
    # Published with two decimals.
    is_lower = member(signal, "performance.ath_roi") < float(decimals(roi)) - 0.011
    return {"performance.ath_roi": f"{decimals(roi)} or more"} if is_lower else {}


def compare_statistics(statistics: Mapping[str, Any], logged: Signals) -> list[Problem]:
    """Compares the published statistics of all time with those of the log."""
    found: list[str] = []

    def compare(name: str, published: object, own: int) -> None:
        if published != own:
            found.append(f"{name}: {shown(published)} in the statistics, {own} in the log")

    def count(status: str, of: Sequence[LoggedSignal]) -> int:
        return sum(one.status == status for one in of)

    def totals(whose: str, total: object, figures: Mapping[str, Any], of: Sequence[LoggedSignal]) -> None:
        won = count("winner", of)
        compare(f"{whose}signals", total, len(of))
        compare(f"{whose}winners", figures["winners"], won)
        rate = won / len(of) * 100 if of else 0.0
        # Published with two decimals.
        if not abs(figures["win_rate"] - rate) < 0.011:
            found.append(f"{whose}win_rate: {shown(figures['win_rate'])} in the statistics, {decimals(rate)} in the log")

    def of_type(kind: str) -> list[LoggedSignal]:
        return [one for one in logged.values() if one.facts["type"] == kind]

    everything = list(logged.values())
    totals("", statistics["total_signals"], statistics, everything)
    for kind, figures in statistics["by_type"].items():
        totals(f"{kind}, ", figures["total"], figures, of_type(kind))
    for status, published in (member(statistics, "distribution.by_status") or {}).items():
        compare(status, published, count(status, everything))
    for kind, figures in (member(statistics, "distribution.by_type") or {}).items():
        for status, published in figures["by_status"].items():
            compare(f"{kind}, {status}", published, count(status, of_type(kind)))
    return problems("statistics", found)


def problems(check: str, messages: Sequence[str]) -> list[Problem]:
    """Differences; those that are not named as their number."""
    return limited([{"check": check, "message": message} for message in messages], "differences")


def decimals(value: float) -> str:
    """A number with two decimals."""
    return str(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP))
