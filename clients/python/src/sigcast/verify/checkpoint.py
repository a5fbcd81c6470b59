"""Keys (C2SP signed-note) and checkpoints (C2SP tlog-checkpoint) of a log."""

from __future__ import annotations

import binascii
import hashlib
import re
from dataclasses import dataclass

from .failure import USAGE, Failure

ED25519 = b"\x01"


@dataclass(frozen=True)
class LogKey:
    """A key that verifies checkpoints: `<name>+<id>+<base64>`."""

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


def read_key(text: str) -> LogKey | None:
    """Reads the text of a key. None where it is none, or its id is another one's."""
    parts = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)", text.strip())
    if parts is None:
        return None
    name, key_id, key = parts[1], bytes.fromhex(parts[2]), from_base64(parts[3])
    is_own = hashlib.sha256(name.encode() + b"\n" + key).digest().startswith(key_id)
    return LogKey(text.strip(), name, key_id, key[1:]) if key[:1] == ED25519 and len(key) == 33 and is_own else None


def read_checkpoint(note: str) -> Checkpoint | None:
    """Reads a checkpoint. None where the text is none."""
    form = r"([^\n]+)\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+"
    parts = re.fullmatch(form, note)
    return None if parts is None else Checkpoint(parts[1], int(parts[2]), parts[3], note)


def is_signed_by(checkpoint: Checkpoint, key: LogKey) -> bool:
    """Whether a checkpoint has a signature of this key, and the first one is valid (RFC 8032).

    Raises Failure where the package `cryptography` is missing.
    """
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise Failure(
            USAGE, "The package cryptography is missing, which verifies signatures: pip install 'sigcast[verify]'"
        ) from None
    text, _, lines = checkpoint.note.rpartition("\n\n")
    for line in lines.splitlines():
        signer, _, base64 = line.removeprefix("— ").partition(" ")
        signature = from_base64(base64)
        if signer != key.name or signature[:4] != key.id:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(signature[4:], f"{text}\n".encode())
        except InvalidSignature:
            return False
        return True
    return False


def from_base64(text: str) -> bytes:
    """The bytes of a text in base64; none where it is not."""
    try:
        return binascii.a2b_base64(text.encode(), strict_mode=True)
    except binascii.Error:
        return b""
