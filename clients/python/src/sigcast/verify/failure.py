"""Why `python -m sigcast` ends without a result."""

from __future__ import annotations

import sys

USAGE, CREDENTIALS, UNREACHABLE, INTERRUPTED = 2, 3, 4, 130
"""Exit statuses; they are those of the command line for Node. 0: everything holds; 1: something does not hold."""


class Failure(Exception):
    """Ends the command with a message and an exit status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def show_progress(text: str) -> None:
    """Replaces the line of progress on a terminal; an empty text removes it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
