"""Requests that name themselves, so that sending one twice does it once; what each was answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from relance.ports.store import Transaction
from relance.services.records import columns

KEPT_FOR: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """By what a request is known."""

    workspace_id: int
    actor: str  #: Who sent it: another's key of the same letters is another.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """Nobody has sent it before: do it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """It was sent before, and it is not known that it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """Another request was sent under this key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """It was done, and this was the answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Known = New | UnderWay | Other | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A request as it is kept."""

    request: bytes
    status: int | None
    headers: Mapping[str, str]
    body: bytes | None


def begin(tx: Transaction, name: Name, *, request: bytes, now: datetime) -> Known:
    """Take a name for a request, or say what became of the one that took it. What is a day old is forgotten."""
    tx.run("repeated_requests.forget_old", before=now - KEPT_FOR)
    if tx.run("repeated_requests.begin", **columns(name), request=request, now=now) == 1:
        return New()
    found = tx.one(_Row, "repeated_requests.get", **columns(name))
    if found is None or (found.request == request and found.status is None):
        return UnderWay()
    if found.request != request or found.status is None:
        return Other()
    return Done(status=found.status, headers=found.headers, body=found.body or b"")


def keep(tx: Transaction, name: Name, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Keep what a request was answered."""
    tx.run("repeated_requests.keep", **columns(name), status=status, headers=headers, body=body)


def forget(tx: Transaction, name: Name) -> None:
    """Let a name go whose request was not done."""
    tx.run("repeated_requests.forget", **columns(name))
