"""The files of a log (C2SP tlog-tiles), at an address or in a folder."""

from __future__ import annotations

import gzip
import re
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from ..version import VERSION
from .failure import UNREACHABLE, USAGE, Failure

LogFiles = Callable[[str], bytes | None]
"""Reads a file of a log, by its path behind the log's prefix. None where there is none."""

BUNDLE = 256
"""Entries of a full bundle, and hashes of a full tile."""
READ_AHEAD = 8
"""Bundles that are read at once."""
TRIES = 5
"""How often a file is asked for that a server does not give now."""
TIMEOUT = 30.0
"""Seconds."""


def is_address(place: str) -> bool:
    """Whether a log is at an address, and not in a folder."""
    return re.match("https?:", place) is not None


def read_url(text: str, source: str) -> str:
    """An address without a slash at its end. Raises Failure that names `source`, and does not repeat the text."""
    try:
        url = urlsplit(text)
        host = url.hostname
    except ValueError:
        host = None
    if not host or url.scheme not in ("http", "https") or re.search(r"[?#\s]", text):
        raise Failure(USAGE, f"{source} must be an http or https address without a query")
    if "@" in url.netloc:
        raise Failure(USAGE, f"{source} must be an address without a user name and a password")
    if url.scheme == "http" and not re.fullmatch(r"127(\.[0-9]+){3}|::1|(.+\.)?localhost", host):
        raise Failure(USAGE, f"{source} must be an https address: only an address of this machine may be http")
    return text.rstrip("/")


def log_files(place: str) -> LogFiles:
    """The files of a log at an address, or in a folder that was exported. They raise Failure when they can't be read."""
    if is_address(place):
        prefix = read_url(place, "--log")
        http = httpx.Client(timeout=TIMEOUT, headers={"user-agent": f"sigcast-python/{VERSION}"})
        return lambda path: fetch_file(http, f"{prefix}/{path}")

    def read(path: str) -> bytes | None:
        try:
            return Path(place, path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Failure(UNREACHABLE, f"{place} can't be read: {error}") from None

    return read


def fetch_file(http: httpx.Client, url: str) -> bytes | None:
    """Fetches a file. None where there is none; raises Failure when the server gives no answer."""
    attempt = 1
    while True:
        pause = 0.5 * 2**attempt
        try:
            answer = http.get(url)
            if answer.is_success:
                return unpacked(answer.content) if "/tile/entries/" in url else answer.content
            if answer.status_code == 404:
                return None
            problem = f"answered {answer.status_code}"
            seconds = answer.headers.get("retry-after", "")
            if re.fullmatch("[0-9]+", seconds) and int(seconds) > 0:
                pause = min(int(seconds), 60)
        except httpx.HTTPError as error:
            problem = str(error)
        if attempt == TRIES:
            raise Failure(UNREACHABLE, f"{url}: {problem}")
        time.sleep(pause)
        attempt += 1


def unpacked(bundle: bytes) -> bytes:
    """A static host may store bundles compressed. No bundle begins like this: its first entry would not begin with `{`."""
    if not bundle.startswith(b"\x1f\x8b\x08"):
        return bundle
    try:
        return gzip.decompress(bundle)
    except (OSError, EOFError, zlib.error):
        return bundle


def tile_path(kind: str, index: int, width: int) -> str:
    """The path of a tile or bundle; its width is in it where it is not full."""
    digits = f"{index:,}".split(",")
    groups = [f"x{int(group):03}" for group in digits[:-1]] + [f"{int(digits[-1]):03}"]
    return f"tile/{kind}/{'/'.join(groups)}" + ("" if width == BUNDLE else f".p/{width}")


def bundles_of(read: LogFiles, start: int, size: int) -> Iterator[list[bytes] | str]:
    """Entries of a log of `size` entries, bundle after bundle, from the one with the entry `start` on. The path of a bundle
    that is missing or breaks off."""
    count = -(-size // BUNDLE) if start < size else 0

    def width(index: int) -> int:
        return min(BUNDLE, size - index * BUNDLE)

    with ThreadPoolExecutor(READ_AHEAD) as pool:
        ahead: deque[Future[bytes | None]] = deque()
        for index in range(start // BUNDLE, count):
            while len(ahead) < READ_AHEAD and index + len(ahead) < count:
                later = index + len(ahead)
                ahead.append(pool.submit(read, tile_path("entries", later, width(later))))
            entries = split(ahead.popleft().result() or b"")
            yield entries if len(entries) == width(index) else tile_path("entries", index, width(index))


def split(bundle: bytes) -> list[bytes]:
    """The entries of a bundle: each behind its length in two bytes. None of them where it breaks off."""
    entries, at = [], 0
    while at < len(bundle):
        end = at + 2 + int.from_bytes(bundle[at : at + 2], "big")
        if at + 2 > len(bundle) or end > len(bundle):
            return []
        entries.append(bundle[at + 2 : end])
        at = end
    return entries
