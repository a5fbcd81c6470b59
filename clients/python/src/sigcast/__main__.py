"""`python -m sigcast`: verifies the public log."""

from __future__ import annotations

import argparse
import sys

from .errors import SigcastConnectionError, SigcastError
from .verify.command import verify
from .verify.failure import CREDENTIALS, INTERRUPTED, UNREACHABLE, USAGE, Failure

STATUSES = {"UNAUTHORIZED": CREDENTIALS, "KEY_EXPIRED": CREDENTIALS, "INVALID_REQUEST": USAGE}


def main() -> int:
    """Runs the command, and returns its exit status."""
    parser = argparse.ArgumentParser("python -m sigcast", description="Client of the Sigcast API.", allow_abbrev=False)
    command = parser.add_subparsers(required=True, metavar="command").add_parser(
        "verify",
        help="verify the public log: every entry, and what the API says against it",
        epilog="Without --key, --policy and a remembered key, the key is the one that the log gives itself: then only --remember "
        "shows a second history. Exit status 1: something does not hold, and is named. "
        "The environment has the API's address and an API key: SIGCAST_URL, SIGCAST_API_KEY.",
        allow_abbrev=False,
    )
    command.add_argument("--log", metavar="<place>", help="the log's address, or a folder (default: /log of the API)")
    command.add_argument("--key", metavar="<key>", help="the log's key, as you got it (default: the remembered one)")
    command.add_argument(
        "--policy",
        metavar="<file>",
        help="instead of --key: the logs to trust, and the witnesses who must have cosigned (C2SP tlog-policy)",
    )
    command.add_argument("--remember", metavar="<file>", help="remember the log here, and compare it with what was")
    command.add_argument("--log-only", action="store_true", help="do not compare the API with the log")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--url", metavar="<url>", help="the API's address (default: SIGCAST_URL)")
    try:
        return verify(parser.parse_args())
    except Failure as failure:
        status, message = failure.status, str(failure)
    except SigcastConnectionError as error:
        status, message = UNREACHABLE, str(error)
    except SigcastError as error:
        status, message = STATUSES.get(error.code, 1), f"{error} ({error.code})"
    except KeyboardInterrupt:
        return INTERRUPTED
    print(f"sigcast: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
