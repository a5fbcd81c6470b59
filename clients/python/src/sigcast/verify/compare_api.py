"""Compares the API with a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ..generated.client import Sigcast
from .failure import show_progress
from .record import LoggedSignal, Problem, facts_of, limited, member, shown

Signals = Mapping[str, LoggedSignal]


def list_all(api: Sigcast) -> list[Mapping[str, Any]]:
    """All signals of the API, as they are when they are read."""
    listed: list[Mapping[str, Any]] = []
    cursor: str | None = None
    while True:
        page = api.signals.list(limit=100, cursor=cursor)
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
        pairs = [(name, api, known.facts[name]) for name, api in facts_of(signal).items()]
        is_decided = known.decided is not None and known.decided < before
        if is_decided or known.decided is None:
            # Otherwise it may have been decided after the API was read.
            pairs.append(("performance.status", member(signal, "performance.status"), known.status))
        found.extend(
            f"{signal['id']}: {name} is {shown(api)} in the API, and {shown(log)} in entry {known.index} and those behind it"
            for name, api, log in pairs
            if api != log
        )
        # The peak may have grown since the decision, and never shrinks. Both have two decimals.
        entry, roi = known.facts["metrics.mcap_entry"], member(signal, "performance.ath_roi")
        peak = (known.peak / entry - 1) * 100 if entry else 0.0
        if is_decided and roi < peak - 0.011:
            found.append(
                f"{signal['id']}: performance.ath_roi is {shown(roi)} in the API, "
                f"and was {decimals(peak)} in entry {known.decided} already"
            )
    ids = {signal["id"] for signal in listed}
    found.extend(
        f"Entry {known.index} is about the signal {signal}, which the API does not list"
        for signal, known in logged.items()
        if known.index < before and signal not in ids
    )
    return problems("api", found)


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
