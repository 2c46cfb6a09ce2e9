"""Chance without dice: choices that follow from an id and a purpose.

Rule 1: the same key and purpose always choose alike, in a retry, a forecast or another worker.
Rule 2: different purposes are independent: a holdout says nothing about a variant.
Rule 3: raising a share only adds keys to it; nobody leaves a share that grows.
"""

import math
from collections.abc import Sequence
from hashlib import blake2b

_BITS = 53  #: What a float holds exactly, so that the result stays below 1.


def uniform(key: str, purpose: str) -> float:
    """Return the number in [0, 1) that belongs to `key` for `purpose`, evenly spread over keys."""
    return _fraction(key, purpose) / (1 << _BITS)


def choose(weights: Sequence[tuple[str, int]], *, key: str, purpose: str) -> str:
    """Return one name of `weights`, in proportion to its whole-number weight; 0 means never.

    Raises ValueError where nothing can be chosen.
    """
    if any(weight < 0 for _, weight in weights):
        raise ValueError("a weight is a whole number from 0")
    total = sum(weight for _, weight in weights)
    if total == 0:
        raise ValueError("nothing to choose from: at least one weight must be above 0")
    point = _fraction(key, purpose) * total >> _BITS
    for name, weight in weights:
        if point < weight:
            return name
        point -= weight
    raise AssertionError("a point below the sum of the weights falls into one of them")  # pragma: no cover


def in_share(percent: float, *, key: str, purpose: str) -> bool:
    """Tell whether `key` is among the `percent` (0 to 100) of all keys taken for `purpose`.

    Raises ValueError outside that range.
    """
    if not (math.isfinite(percent) and 0 <= percent <= 100):  # noqa: PLR2004 - per cent
        raise ValueError(f"a share is from 0 to 100 per cent, not {percent}")
    return uniform(key, purpose) * 100 < percent


def _fraction(key: str, purpose: str) -> int:
    """Return the whole number below 2**53 that belongs to `key` for `purpose`."""
    digest = blake2b(digest_size=8, person=b"splitting")
    for piece in (purpose, key):
        data = piece.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(4, "big"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "big") >> (64 - _BITS)
