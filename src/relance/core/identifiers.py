"""Ids that can be made again: keyed hashes, so that a restored installation recognises its own mail.

Rule 1: the same secret and the same facts always give the same id; without the secret nobody can make or guess one.
Rule 2: each kind of id has its own hash personalisation: one kind says nothing about another.
Rule 3: nothing in an id names the product, the workspace or the lead.
"""

import re
from hashlib import blake2b

import idna

TRACE_HEADER = "X-Trace-Ref"  #: Our own header, for finding a message whose Message-ID a provider rewrote.
COPY_HEADER = "X-Sent-Copy"  #: Only on copies that we put into Sent ourselves: they say nothing about the server.

_LABELS = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*"
)


def ascii_domain(domain: str) -> str:
    """Write a domain in lower-case ASCII, internationalised labels as A-labels (RFC 5890, UTS 46).

    Raises ValueError for what is not a domain.
    """
    text = domain.strip().rstrip(".").lower()
    if not text.isascii():
        try:
            text = idna.encode(text, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError) as error:
            raise ValueError(f"{domain!r} is not a domain name: {error}") from error
    if not _LABELS.fullmatch(text):
        raise ValueError(f"{domain!r} is not a domain name")
    return text


def enrollment_uid(secret: bytes, workspace_uid: str, sequence_name: str, email: str) -> str:
    """Name an enrollment by what it is unique on: 32 hexadecimal digits, whatever the case of the address."""
    return _keyed_hash(secret, b"enrollment", workspace_uid, sequence_name, email.strip().casefold())


def message_id(secret: bytes, enrollment_uid: str, step_counter: int, domain: str) -> str:
    """Give the Message-ID of one step of one enrollment (RFC 5322 §3.6.4), in angle brackets.

    `domain` is that of the sending mailbox. Raises ValueError where it is none.
    """
    return f"<{_keyed_hash(secret, b'message-id', enrollment_uid, str(step_counter))}@{ascii_domain(domain)}>"


def trace_header(secret: bytes, enrollment_uid: str, step_counter: int) -> tuple[str, str]:
    """Give the name and the opaque value of the header that marks one step of one enrollment as ours."""
    return TRACE_HEADER, _keyed_hash(secret, b"trace", enrollment_uid, str(step_counter))


def _keyed_hash(secret: bytes, kind: bytes, *facts: str) -> str:
    if not secret:
        raise ValueError("an id needs a secret: the installation's key is empty")
    # BLAKE2b takes keys of at most 64 bytes, and a longer secret must count as a whole.
    key = blake2b(secret, digest_size=64).digest()
    digest = blake2b(key=key, digest_size=16, person=kind)
    for fact in facts:
        data = fact.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(4, "big"))
        digest.update(data)
    return digest.hexdigest()
