"""Keys (C2SP signed-note), checkpoints (C2SP tlog-checkpoint) and cosignatures (C2SP tlog-cosignature) of a log."""

from __future__ import annotations

import binascii
import hashlib
import re
from dataclasses import dataclass

from .failure import USAGE, Failure

LOG, COSIGNER = b"\x01", b"\x04"
"""The first byte of an Ed25519 key: a log's, and a witness's."""
TIME = 8
"""Bytes of the time in front of a cosignature."""


@dataclass(frozen=True)
class LogKey:
    """A key that verifies checkpoints or cosignatures: `<name>+<id>+<base64>`."""

    text: str
    name: str
    id: bytes
    public: bytes
    """The 32 bytes of the Ed25519 key."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint, and the signed note that it is in."""

    origin: str
    size: int
    root: str
    """In base64."""
    note: str


def read_key(text: str, kind: bytes = LOG) -> LogKey | None:
    """Reads the text of a key. None where it is none, or its id is another one's."""
    parts = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)", text.strip())
    if parts is None:
        return None
    name, key_id, key = parts[1], bytes.fromhex(parts[2]), from_base64(parts[3])
    is_own = hashlib.sha256(name.encode() + b"\n" + key).digest().startswith(key_id)
    return LogKey(text.strip(), name, key_id, key[1:]) if key[:1] == kind and len(key) == 33 and is_own else None


def read_checkpoint(note: str) -> Checkpoint | None:
    """Reads a checkpoint. None where the text is none."""
    form = r"([^\n]+)\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+"
    parts = re.fullmatch(form, note)
    return None if parts is None else Checkpoint(parts[1], int(parts[2]), parts[3], note)


def is_signed_by(checkpoint: Checkpoint, key: LogKey) -> bool:
    """Whether a checkpoint has a signature of this key, and the first one is valid.

    Raises Failure where the package `cryptography` is missing.
    """
    text, signature = signed_by(checkpoint, key)
    return signature is not None and is_valid(text, signature, key)


def is_cosigned_by(checkpoint: Checkpoint, key: LogKey) -> bool:
    """Whether a checkpoint has a cosignature of this witness, and the first one is valid.

    Raises Failure where the package `cryptography` is missing.
    """
    text, signature = signed_by(checkpoint, key)
    if signature is None or len(signature) <= TIME:
        return False
    seconds = int.from_bytes(signature[:TIME], "big")
    return is_valid(f"cosignature/v1\ntime {seconds}\n{text}", signature[TIME:], key)


def signed_by(checkpoint: Checkpoint, key: LogKey) -> tuple[str, bytes | None]:
    """The text of a checkpoint, and the first signature of a key there."""
    text, _, lines = checkpoint.note.rpartition("\n\n")
    signatures = (line.removeprefix("— ").partition(" ") for line in lines.splitlines())
    own = (from_base64(base64) for name, _, base64 in signatures if name == key.name)
    return f"{text}\n", next((signature[4:] for signature in own if signature[:4] == key.id), None)


def is_valid(text: str, signature: bytes, key: LogKey) -> bool:
    """Whether a signature of a text is valid (RFC 8032). Raises Failure where the package `cryptography` is missing."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise Failure(
            USAGE, "The package cryptography is missing, which verifies signatures: pip install 'sigcast[verify]'"
        ) from None
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, text.encode())
    except InvalidSignature:
        return False
    return True


def from_base64(text: str) -> bytes:
    """The bytes of a text in base64; none where it is not."""
    try:
        return binascii.a2b_base64(text.encode(), strict_mode=True)
    except binascii.Error:
        return b""
