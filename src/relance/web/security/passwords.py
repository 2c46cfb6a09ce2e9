"""Passwords as argon2id (RFC 9106), beside the event loop and never many at once: each takes 64 MiB."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from relance.services.refusals import WrongInputError

LEAST, MOST = 12, 256
_hasher = PasswordHasher()  # the library's defaults are RFC 9106's second recommendation
_at_once = asyncio.Semaphore(2)
#: Verified where nobody has the address, so that the answer takes as long as for somebody who is known.
_NOBODY = _hasher.hash("nobody has this password")


def checked(password: str) -> str:
    """Return a password that is long enough. Raises WrongInputError."""
    if not LEAST <= len(password) <= MOST:
        raise WrongInputError(f"a password has {LEAST} to {MOST} characters: take several words")
    return password


async def hashed(password: str) -> str:
    """Return what is kept of a password."""
    async with _at_once:
        return await asyncio.to_thread(_hasher.hash, password)


async def fits(password: str, kept: str | None) -> bool:
    """Whether this is the password; None: nobody has one, which takes as long to find out."""
    async with _at_once:
        return await asyncio.to_thread(_verify, password[: MOST + 1], kept or _NOBODY) and kept is not None


def _verify(password: str, kept: str) -> bool:
    try:
        return _hasher.verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False
