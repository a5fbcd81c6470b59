"""Verifies a log: its signature, its tree, its entries, and that it goes on from what is remembered."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from .checkpoint import Checkpoint, LogKey, is_signed_by, read_checkpoint
from .failure import USAGE, Failure, show_progress
from .log_files import BUNDLE, LogFiles, bundles_of, tile_path
from .policy import Policy
from .record import Problem, TrackRecord
from .tree import Tree, hash_of_entry


@dataclass(frozen=True)
class Remembered:
    """The newest checkpoint that was verified, and for each full bundle the root over its entries. In JSON, the command
    line for Node reads and writes it, too."""

    key: str
    isKeyGiven: bool
    """Whether its user gave the key. Otherwise the log did, when it was first looked at."""
    note: str
    size: int
    root: str
    bundles: list[str]


def recall(file: Path) -> Remembered | None:
    """Reads what is remembered; None where the file does not exist yet. Raises Failure when it is another file."""
    try:
        known = json.loads(file.read_bytes())
        found = Remembered(**{name: known[name] for name in Remembered.__dataclass_fields__})
        kinds = [type(value) for value in asdict(found).values()]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure(USAGE, f"{file} can't be read: {error}") from None
    except (ValueError, TypeError, KeyError):
        kinds = []
    if kinds != [str, bool, str, int, str, list]:
        raise Failure(USAGE, f'{file} is not a file that "sigcast verify --remember" has written')
    return found


def remember(file: Path, what: Remembered) -> None:
    """Writes what is to be remembered, in one step."""
    new = file.with_name(f"{file.name}.new")
    text = json.dumps(asdict(what), ensure_ascii=False, separators=(",", ":"))
    new.write_text(f"{text}\n", encoding="utf-8")
    os.replace(new, file)


class LogVerifier:
    """Verifies a log. It reads each entry once, and goes on from there when the log has grown."""

    def __init__(self, read: LogFiles, trust: LogKey | Policy, remembered: Remembered | None) -> None:
        self.record = TrackRecord()
        self.bundles: list[str] = []
        """The root over the entries of each full bundle."""
        self.checkpoint: Checkpoint | None = None
        """The newest checkpoint that was verified."""
        self._read, self._trust, self._remembered = read, trust, remembered
        self._tree = Tree()
        self._bundle = Tree()
        """The tree over the entries of the bundle that is not full."""
        self._problems: list[Problem] = []

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the log, as far as it was read."""
        return self._problems + self.record.found

    def read_on(self) -> None:
        """Verifies the newest checkpoint, and the entries that were not read yet."""
        newest = read_checkpoint((self._read("checkpoint") or b"").decode(errors="replace"))
        if newest is None:
            return
        trust = self._trust
        for message in trust.lacking(newest) if isinstance(trust, Policy) else unlike(newest, trust):
            self._report("signature", message)
        before = self.checkpoint or self._remembered
        if before and before.size > newest.size:
            message = f"The log had {before.size} entries when you looked last, and has {newest.size} now"
            self._report("consistency", message)
        if self.checkpoint is None or self.checkpoint.size <= newest.size:
            self._read_entries(newest)
            self.checkpoint = newest

    def _read_entries(self, newest: Checkpoint) -> None:
        tree, size = self._tree, newest.size
        remembered = self._remembered if self.checkpoint is None else None
        goes_on = remembered is None or remembered.size > size or remembered.size == 0
        is_named = False
        for bundle in bundles_of(self._read, tree.size, size):
            if isinstance(bundle, str):
                for check in ("tree", "consistency", "entries"):
                    self._report(check, f"{bundle} is missing or breaks off: nothing behind it was read")
                return
            for entry in bundle[tree.size % BUNDLE :]:
                self.record.add(tree.size, entry)
                leaf = hash_of_entry(entry)
                tree.add(leaf)
                self._bundle.add(leaf)
                if remembered and tree.size == remembered.size:
                    goes_on = tree.root == remembered.root
            if self._bundle.size == BUNDLE and not self._end_bundle(remembered):
                is_named = True
            show_progress(f"{tree.size:,} of {size:,} entries")
        if remembered and not goes_on and not is_named:
            message = f"The first {remembered.size} entries are not those that you looked at last"
            self._report("consistency", message)
        if tree.root == newest.root:
            return
        if self.checkpoint is None:
            self._report("tree", differing_entries(self._read, newest))
        else:
            message = f"The checkpoint of {size} entries does not continue the one that was just read"
            self._report("consistency", message)

    def _end_bundle(self, remembered: Remembered | None) -> bool:
        """Whether the bundle that has become full is the remembered one, if there is one."""
        number = len(self.bundles)
        self.bundles.append(self._bundle.root)
        self._bundle = Tree()
        if remembered is None or remembered.bundles[number : number + 1] in ([], self.bundles[-1:]):
            return True
        entries = f"Entries {number * BUNDLE} to {(number + 1) * BUNDLE - 1}"
        self._report("consistency", f"{entries} are not what they were when you looked last")
        return False

    def _report(self, check: str, message: str) -> None:
        """Names a problem, once."""
        found: Problem = {"check": check, "message": message}
        if found not in self._problems:
            self._problems.append(found)


def unlike(checkpoint: Checkpoint, key: LogKey) -> list[str]:
    """What is wrong with a checkpoint by the one key that is trusted."""
    found = []
    if not is_signed_by(checkpoint, key):
        found.append(f"The checkpoint is not signed by the key of {key.name}")
    if checkpoint.origin != key.name:
        found.append(f"The checkpoint is of the log {checkpoint.origin}, and the key of {key.name}")
    return found


def differing_entries(read: LogFiles, checkpoint: Checkpoint) -> str:
    """Names the entries that are not those of the tree's tiles."""
    differ: list[int] = []
    tiles = Tree()
    for index, bundle in enumerate(bundles_of(read, 0, checkpoint.size)):
        if isinstance(bundle, str):
            break
        tile = read(tile_path("0", index, len(bundle))) or b""
        for n, entry in enumerate(bundle):
            leaf = tile[n * 32 : (n + 1) * 32]
            if len(leaf) == 32:
                tiles.add(leaf)
            if leaf != hash_of_entry(entry):
                differ.append(index * BUNDLE + n)
    if tiles.root != checkpoint.root or not differ:
        return "The entries are not those that the checkpoint is signed for"
    some = ", ".join(map(str, differ[:20])) + (" …" if len(differ) > 20 else "")
    return f"The checkpoint is signed for other entries than {some}"
