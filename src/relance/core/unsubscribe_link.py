"""The signed link by which a person opts out: 40 letters that only the installation can make.

Rule 1: it names the message and, as the keyed hash that also stands for erased people, the address. An older state that
        was put back gives the numbers of lost attempts to others; the hash tells that, and still says whom never to
        write to again.
Rule 2: nobody makes a link for an address without the key: the hash has 160 bits. The last three bytes only keep what
        was cut short or typed in from reaching the database.

Bytes: workspace 2, attempt 5, hash of the address 20, check 3; in the URL-safe alphabet of RFC 4648 §5.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest

PATH = "/u/"
LETTERS = 40
_WORKSPACE, _ATTEMPT, _DIGEST, _CHECK = 2, 5, 20, 3
_TEXT = re.compile(rf"[A-Za-z0-9_-]{{{LETTERS}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Whom a link is for."""

    workspace_id: int
    attempt_id: int
    digest: str  #: Keyed hash of the address that was written to, in hex; see `suppression.tombstone_of`.


def write_link(key: bytes, link: Link) -> str | None:
    """Return a link's letters; None where the ids are greater than it can hold."""
    try:
        named = link.workspace_id.to_bytes(_WORKSPACE, "big") + link.attempt_id.to_bytes(_ATTEMPT, "big")
    except OverflowError:
        return None
    named += bytes.fromhex(link.digest)
    return urlsafe_b64encode(named + _check(key, named)).decode()


def read_link(key: bytes, text: str) -> Link | None:
    """Return whom a link is for; None for what is no whole link of this installation."""
    if not _TEXT.fullmatch(text):
        return None
    whole = urlsafe_b64decode(text)
    named, check = whole[:-_CHECK], whole[-_CHECK:]
    if not compare_digest(check, _check(key, named)):
        return None
    return Link(
        workspace_id=int.from_bytes(named[:_WORKSPACE], "big"),
        attempt_id=int.from_bytes(named[_WORKSPACE : _WORKSPACE + _ATTEMPT], "big"),
        digest=named[-_DIGEST:].hex(),
    )


def _check(key: bytes, named: bytes) -> bytes:
    return blake2b(named, key=key, digest_size=_CHECK, person=b"unsubscribe").digest()
