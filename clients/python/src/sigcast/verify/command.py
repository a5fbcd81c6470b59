"""The command `python -m sigcast verify`."""

from __future__ import annotations

import json
import math
import os
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..generated.client import Sigcast
from .checkpoint import LogKey, read_key
from .compare_api import compare_signals, compare_statistics, list_all
from .failure import CREDENTIALS, UNREACHABLE, USAGE, Failure, show_progress
from .log_files import LogFiles, is_address, log_files, read_url
from .policy import Policy, read_policy
from .record import Problem, TrackRecord
from .verify_log import LogVerifier, Remembered, recall, remember

COMPARISONS = 5
"""How often what differs is looked at, because the log is some seconds behind the API."""
PAUSE = 2.0
"""Seconds between comparisons."""
CHECKS = {
    "signature": "The checkpoint is signed by the key",
    "tree": "The checkpoint is of these entries, all of them",
    "consistency": "Nothing has changed that was there when you looked last",
    "entries": "No entry is dated back, repeated or without its signal",
    "api": "The API lists what is in the log, all of it and nothing else",
    "statistics": "The published counts of signals and outcomes, and their win rate, are those of the log",
}

OF_POLICY = "The checkpoint is signed by a log of the policy, and cosigned by its quorum"


def verify(options: Namespace) -> int:
    """Verifies a log, and prints what holds. Returns the exit status: 0 when everything holds, 1 when not."""
    address = options.url or os.environ.get("SIGCAST_URL")
    url = read_url(address, "--url" if options.url else "SIGCAST_URL") if address else None
    if url is None and options.log is None:
        raise Failure(USAGE, "The API's address is missing: set SIGCAST_URL, or pass --url")
    place: str = options.log or f"{url}/log"
    read = log_files(place)
    file = Path(options.remember) if options.remember else None
    remembered = recall(file) if file else None
    trust: LogKey | Policy
    policy = policy_of(options)
    if policy:
        trust, is_given = policy, True
    else:
        trust, is_given = key_of(options.key, remembered, read)
    log = LogVerifier(read, trust, remembered)
    log.read_on()
    show_progress("")
    if log.checkpoint is None:
        raise Failure(UNREACHABLE, f"There is no log at {place}")
    skipped = {}
    if not is_given:
        skipped["signature"] = "the key was trusted on first use" if remembered else "the key is the log’s own word"
    if remembered is None:
        skipped["consistency"] = "nothing was remembered"
    api_key = os.environ.get("SIGCAST_API_KEY")
    differences: list[Problem] = []
    if options.log_only:
        skipped["api"] = skipped["statistics"] = "--log-only"
    elif options.log and not is_address(options.log):
        skipped["api"] = skipped["statistics"] = "a folder has no API"
    elif not api_key or not url:
        skipped["api"] = skipped["statistics"] = "no API key"
    else:
        differences = compared(api_key, url, log, log.checkpoint.size)
    problems = log.problems + differences
    failed = {one["check"] for one in problems}
    checks = {
        check: "fails" if check in failed else f"not checked: {skipped[check]}" if check in skipped else "holds"
        for check in CHECKS
    }
    newest = log.checkpoint
    signer = trust.signer_of(newest) if isinstance(trust, Policy) else trust
    key = signer.text if signer else None
    # A wrong entry stays for ever, and must not keep what comes behind it from being remembered.
    if file and key and not failed & {"signature", "tree", "consistency"}:
        remember(file, Remembered(key, is_given, newest.note, newest.size, newest.root, log.bundles))
    record = figures_of(log.record, newest.size)
    if options.json:
        checkpoint = {"size": newest.size, "root": newest.root}
        answer = {"origin": newest.origin, "key": key, "checkpoint": checkpoint, "checks": checks}
        print(json.dumps({**answer, "problems": problems, "record": record}, ensure_ascii=False))
    else:
        print(f"The log at {place}: {newest.size:,} entries\nKey: {key or 'none of the policy'}\n")
        words = CHECKS | {"signature": OF_POLICY} if policy else CHECKS
        print_for_people({words[check]: result for check, result in checks.items()}, problems, record)
    return 1 if problems else 0


def policy_of(options: Namespace) -> Policy | None:
    """The policy, where its user gave one."""
    if options.policy is None:
        return None
    if options.key is not None:
        raise Failure(USAGE, "--key and --policy exclude each other: a policy has the keys of its logs")
    try:
        return read_policy(Path(options.policy).read_bytes().decode(errors="replace"))
    except (OSError, ValueError) as error:
        raise Failure(USAGE, f"--policy must be the file of a policy: {error}") from None


def key_of(given: str | None, remembered: Remembered | None, read: LogFiles) -> tuple[LogKey, bool]:
    """The key, and whether its user gave it."""
    known = given or (remembered and remembered.key)
    key = read_key(known or (read("key") or b"").decode(errors="replace").split("\n")[0])
    if key is not None:
        return key, bool(given) or bool(remembered and remembered.isKeyGiven)
    if given:
        raise Failure(USAGE, "--key must be the key of a log, such as api.example.com/log+1a2b3c4d+AW…")
    raise Failure(USAGE, "The log gives no key: pass --key")


def compared(api_key: str, url: str, log: LogVerifier, before: int) -> list[Problem]:
    """Compares the API with the log as it is then. `before` is how many entries it had before the API was read."""
    try:
        api = Sigcast(api_key, url)
    except ValueError:
        raise Failure(CREDENTIALS, "SIGCAST_API_KEY is no API key") from None

    def signals() -> list[Problem]:
        log.read_on()
        return compare_signals(listed, log.record.signals, before)

    def statistics() -> list[Problem]:
        published = api.stats.get(period="all", include="distribution").data
        log.read_on()
        return compare_statistics(published, log.record.signals)

    with api:
        listed = list_all(api)
        found = until_none(signals) + until_none(statistics)
    show_progress("")
    return found


def until_none(compare: Callable[[], list[Problem]]) -> list[Problem]:
    """Compares again while there are differences, for as long as the log may be behind."""
    for _ in range(COMPARISONS - 1):
        if not compare():
            return []
        time.sleep(PAUSE)
    return compare()


def figures_of(record: TrackRecord, entries: int) -> dict[str, Any]:
    """The record in figures."""
    statuses = Counter(one.status for one in record.signals.values())
    rois = record.rois.values()
    return {
        "entries": entries,
        "signals": len(record.signals),
        "active": statuses["active"],
        "winners": statuses["winner"],
        "dead": statuses["dead"],
        "rugged": statuses["rugged"],
        "late": record.late,
        "corrections": record.corrections,
        "positions": len(rois),
        "mean_realizable_roi": math.floor(sum(rois) / len(rois) * 100 + 0.5) / 100 if rois else None,
    }


def print_for_people(checks: dict[str, str], problems: list[Problem], figures: dict[str, Any]) -> None:
    """Prints what holds, what does not, and the record."""
    for words, result in checks.items():
        mark = {"holds": "yes", "fails": "NO "}.get(result, "–  ")
        print(f"{mark}  {words}" + (f" ({result})" if result.startswith("not checked") else ""))
    print("".join(f"\n! {one['message']}" for one in problems), end="\n\n" if problems else "\n")
    print(
        "{signals:,} signals: {active:,} active, {winners:,} winners, {dead:,} dead, {rugged:,} rugged\n"
        "{late:,} became known more than an hour after they say that they were created or decided; "
        "{corrections:,} corrections".format(**figures)
    )
    if figures["positions"]:
        mean = f"{figures['mean_realizable_roi']:,.2f}".rstrip("0").rstrip(".")
        print(f"What could be earned with the {figures['positions']:,} decided ones: {mean} % on average")
