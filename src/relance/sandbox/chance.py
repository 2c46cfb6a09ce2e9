"""Chance that repeats: every draw is BLAKE2 of the seed and of what is being decided."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def _number(seed: int, what: tuple[str | int, ...]) -> int:
    material = "\x1f".join((str(seed), *map(str, what)))
    return int.from_bytes(blake2b(material.encode(), digest_size=8).digest(), "big")


def draw(seed: int, *what: str | int) -> float:
    """Return a number in [0, 1) that is always the same for the same seed and subject."""
    return (_number(seed, what) >> 11) / (1 << 53)


def below(seed: int, limit: int, *what: str | int) -> int:
    """Return a whole number in [0, limit)."""
    return _number(seed, what) % limit


def pick(seed: int, options: Sequence[T], *what: str | int) -> T:
    """Choose one of the options, each as likely as the next."""
    return options[below(seed, len(options), *what)]


def token(seed: int, *what: str | int) -> str:
    """Return sixteen hexadecimal characters: the unique part of an id or of a password."""
    return f"{_number(seed, what):016x}"
