"""What is bad about the process's surroundings, by order: a disk that is full for a while, a message that is poison."""

from collections.abc import Callable

import apsw

from crash.orders import Order
from relance.engine import ingester
from relance.mail.message import Message
from relance.mail.parse import parse

_PLAIN = "unix"  #: The name of the file system that fills up: SQLite's own on every Unix.


def put_in_place(order: Order, say: Callable[..., None]) -> None:
    """Make the surroundings as bad as ordered, before anything is opened."""
    if order.poison:
        ingester.parse = _poisoned  # type: ignore[attr-defined]  # the very name that the ingester calls
    if order.full_disk is not None:
        _FillingDisk(*order.full_disk, say)


def _poisoned(raw: bytes) -> Message:
    """Parse, but break over a message that says it is poison."""
    if b"\r\nX-Poison: yes\r\n" in raw:
        raise RecursionError("poison")
    return parse(raw)


class _FillingDisk(apsw.VFS):
    """The default file system of SQLite from now on: full for some writes of the log, from one of them on."""

    def __init__(self, first: int, length: int, say: Callable[..., None]) -> None:
        self._first, self._past = first, first + length
        self._writes = 0
        self._say = say
        super().__init__("filling", _PLAIN, makedefault=True)
        _kept.append(self)

    def xOpen(self, name, flags):  # noqa: N802 - SQLite's name for it
        """Open a file that asks this disk before it writes."""
        return _File(self, name, flags)

    def is_full(self) -> bool:
        """Count one write of the log and say whether there is no room for it."""
        self._writes += 1
        return self._first <= self._writes < self._past


class _File(apsw.VFSFile):
    def __init__(self, disk, name, flags) -> None:
        super().__init__(_PLAIN, name, flags)
        text = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._disk = disk
        self._log = text.endswith("-wal")

    def xWrite(self, data, offset) -> None:  # noqa: N802 - as above
        if self._log and self._disk.is_full():
            raise apsw.FullError("the disk was told to be full")
        super().xWrite(data, offset)


_kept: list[_FillingDisk] = []  #: SQLite keeps no reference of its own.
