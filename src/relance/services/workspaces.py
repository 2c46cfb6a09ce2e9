"""Workspaces: the installation's tenants."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services.refusals import NotFoundError, RefusedError, WrongInputError

#: A workspace's name stands in addresses of pages and on command lines.
NAME: Final = re.compile(r"[^\W_][\w.-]{0,59}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """Which installation this is, and which of its states."""

    uid: str
    generation: int  #: Grows while an engine runs; the same number is kept in a file beside the database.
    alive_at: datetime | None  #: When it last grew: the state is at least that new.
    server: str | None  #: On which database server's database it last grew; empty or None: not known.
    created_at: datetime


def ensure_installation(tx: Transaction, *, uid: str, now: datetime) -> str:
    """Write the installation's identity once and return it; later calls return the first one."""
    tx.run("installation.create", uid=uid, created_at=now)
    found = tx.one(Installation, "installation.get")
    if found is None:
        raise NotFoundError("the installation has no identity; run `relance init`")
    return found.uid


def ensure_workspace(
    tx: Transaction, *, name: str, uid: str, wrapped_key: bytes, timezone: str | None, now: datetime
) -> Workspace:
    """Return the workspace of that name, made now if there is none."""
    existing = tx.one(Workspace, "workspaces.find", name=name)
    if existing is not None:
        return existing
    tx.one(
        int,
        "workspaces.add",
        name=name,
        uid=uid,
        wrapped_key=wrapped_key,
        timezone=timezone,
        settings={},
        created_at=now,
    )
    return by_name(tx, name)


def add(tx: Transaction, *, name: str, uid: str, wrapped_key: bytes, timezone: str | None, now: datetime) -> Workspace:
    """Make a workspace. Raises WrongInputError for a name that cannot be one, RefusedError where it is taken."""
    if NAME.fullmatch(name) is None:
        raise WrongInputError(
            f"{name!r} cannot be a workspace's name; use up to 60 letters, digits, hyphens, dots and underscores, "
            "the first a letter or digit"
        )
    if tx.one(Workspace, "workspaces.find", name=name) is not None:
        raise RefusedError(f"there is a workspace {name!r} already; choose another name")
    return ensure_workspace(tx, name=name, uid=uid, wrapped_key=wrapped_key, timezone=timezone, now=now)


def by_name(reader: Reader, name: str) -> Workspace:
    """Return a workspace by its name. Raises NotFoundError."""
    found = reader.one(Workspace, "workspaces.find", name=name)
    if found is None:
        known = ", ".join(w.name for w in reader.all(Workspace, "workspaces.list")) or "none yet; run `relance init`"
        raise NotFoundError(f"there is no workspace {name!r}; known are: {known}")
    return found


def everyone(reader: Reader) -> list[Workspace]:
    """Return all workspaces by name."""
    return reader.all(Workspace, "workspaces.list")
