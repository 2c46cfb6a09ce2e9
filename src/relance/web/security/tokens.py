"""Tokens: 32 random bytes for whoever holds them, and only their digest for us.

A digest without a salt is enough: nobody guesses 256 bits.
"""

import secrets
from dataclasses import dataclass
from hashlib import blake2b, sha256
from hmac import compare_digest

_BYTES = 32
_SHOWN = 10
KEY_PREFIX = "rel_"  #: So that a key that was pasted somewhere is known for what it is.


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A new token; `text` is shown once."""

    text: str
    digest: bytes

    @property
    def shown(self) -> str:
        """Its first letters, by which a person knows it again."""
        return self.text[:_SHOWN]


def new_token(prefix: str = "") -> Token:
    """Make a token that nobody can guess."""
    text = prefix + secrets.token_urlsafe(_BYTES)
    return Token(text=text, digest=digest_of(text))


def digest_of(text: str) -> bytes:
    """Return what is kept of a token."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def form_token(session_token: str) -> str:
    """Return what every form of a session carries: derived from its token, so that nothing more is kept."""
    return blake2b(session_token.encode("utf-8", "surrogatepass"), digest_size=24, person=b"form").hexdigest()


def same(given: str, expected: str) -> bool:
    """Compare two tokens without telling by the time it takes where they differ."""
    return compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())
