"""Chance that is derived from ids, so that a retry, a forecast and a second worker decide alike."""

from hashlib import blake2b

_BITS = 53  #: What a float between 0 and 1 can hold exactly.


def uniform(key: str, purpose: str) -> float:
    """Return a number in [0, 1) that depends on key and purpose only, evenly spread over keys."""
    digest = blake2b(key.encode(), digest_size=8, key=blake2b(purpose.encode(), digest_size=32).digest()).digest()
    return (int.from_bytes(digest, "big") >> (64 - _BITS)) / (1 << _BITS)
