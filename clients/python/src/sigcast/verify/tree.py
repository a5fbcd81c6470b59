"""The Merkle tree of RFC 6962, section 2.1."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256


def hash_of_entry(entry: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\0" + entry).digest()


class Tree:
    """The tree over leaves that come one after the other. It keeps one hash for each bit of their number."""

    def __init__(self) -> None:
        self.size = 0
        self._subtrees: list[tuple[int, bytes]] = []
        """Leaves and hash of each perfect subtree, from left to right, each smaller than the one before."""

    def add(self, leaf: bytes) -> None:
        """Adds the hash of the next leaf."""
        leaves, right = 1, leaf
        while self._subtrees and self._subtrees[-1][0] == leaves:
            right = sha256(b"\1" + self._subtrees.pop()[1] + right).digest()
            leaves *= 2
        self._subtrees.append((leaves, right))
        self.size += 1

    @property
    def root(self) -> str:
        """The root over all leaves so far, in base64."""
        if not self._subtrees:
            return b64encode(sha256().digest()).decode()
        *others, (_, right) = self._subtrees
        for _, left in reversed(others):
            right = sha256(b"\1" + left + right).digest()
        return b64encode(right).decode()
