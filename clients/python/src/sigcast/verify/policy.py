"""Which logs are accepted, and who has to have cosigned their checkpoints (C2SP tlog-policy)."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import dataclass, field

from .checkpoint import COSIGNER, LOG, Checkpoint, LogKey, is_cosigned_by, is_signed_by, read_key

Rule = Callable[[Set[str]], bool]
"""Whether these witnesses are enough."""


@dataclass
class Policy:
    """Which logs are accepted, and who has to have cosigned their checkpoints."""

    logs: list[LogKey] = field(default_factory=list)
    witnesses: dict[str, LogKey] = field(default_factory=dict)
    """By their names in the policy."""
    rules: dict[str, Rule] = field(default_factory=lambda: {"none": lambda _: True})
    """Of witnesses and groups, by their names."""
    members: set[str] = field(default_factory=set)
    """Witnesses and groups that are in a group."""
    quorum: str | None = None

    def signer_of(self, checkpoint: Checkpoint) -> LogKey | None:
        """The key that has signed a checkpoint of its log."""
        own = (key for key in self.logs if key.name == checkpoint.origin and is_signed_by(checkpoint, key))
        return next(own, None)

    def lacking(self, checkpoint: Checkpoint) -> list[str]:
        """What a checkpoint lacks."""
        lacks = []
        cosigners = {name for name, key in self.witnesses.items() if is_cosigned_by(checkpoint, key)}
        if self.signer_of(checkpoint) is None:
            lacks.append(f"The checkpoint of {checkpoint.origin} is signed by no log of the policy")
        if not self.rules[self.quorum or ""](cosigners):
            missing = ", ".join(name for name in self.witnesses if name not in cosigners)
            lacks.append(f"The checkpoint lacks the quorum of the policy: not cosigned by {missing}")
        return lacks


def read_policy(text: str) -> Policy:
    """Reads a policy. Raises ValueError that names the line that is wrong."""
    policy = Policy()
    for number, line in enumerate(text.split("\n"), 1):
        words = re.findall(r"[^ \t\r]+", line)
        if not words or words[0].startswith("#"):
            continue
        try:
            read_line(policy, words[0], words[1:])
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if policy.quorum is None or not policy.logs:
        raise ValueError("it names no log, or no quorum")
    return policy


def read_line(policy: Policy, keyword: str, words: list[str]) -> None:
    """Adds a line to a policy. Raises ValueError that says what is wrong."""
    name, second, *names = [*words, "", ""] if len(words) < 2 else words
    if keyword == "log":
        policy.logs.append(key_of(name, LOG, policy.logs))
    elif keyword == "witness":
        define(policy, name, lambda cosigners: name in cosigners)
        policy.witnesses[name] = key_of(second, COSIGNER, list(policy.witnesses.values()))
    elif keyword == "group":
        count = {"all": str(len(names)), "any": "1"}.get(second, second)
        least = int(count) if re.fullmatch("[1-9][0-9]{0,8}", count) else 0
        need(1 <= least <= len(names), f'"{second}" is not between 1 and its members')
        for one in names:
            need(one != "none" and one not in policy.members, f'"{one}" can\'t be a member, or is one already')
            policy.members.add(one)
        of = [rule_of(policy, one) for one in names]
        define(policy, name, lambda cosigners: sum(rule(cosigners) for rule in of) >= least)
    else:
        need(keyword == "quorum", f'"{keyword}" is not log, witness, group or quorum')
        need(policy.quorum is None, "there is a second quorum")
        rule_of(policy, name)
        policy.quorum = name


def key_of(text: str, kind: bytes, others: list[LogKey]) -> LogKey:
    """The key of a line."""
    key = read_key(text, kind)
    if key is None:
        raise ValueError(f"this is no key of a {'log' if kind == LOG else 'witness'}")
    need(all(other.public != key.public for other in others), "the key is there twice")
    return key


def define(policy: Policy, name: str, rule: Rule) -> None:
    """Names a witness or a group."""
    need(name != "" and name not in policy.rules, f'the name "{name}" is taken')
    policy.rules[name] = rule


def rule_of(policy: Policy, name: str) -> Rule:
    """The rule of a witness or a group that was named before."""
    need(name in policy.rules, f'"{name}" is not defined above')
    return policy.rules[name]


def need(is_right: bool, problem: str) -> None:
    """Raises ValueError where something is not right."""
    if not is_right:
        raise ValueError(problem)
