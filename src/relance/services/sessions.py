"""Being logged in, and links that let in once. Tokens arrive here as digests only; times are the machine's."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from relance.core.people import Role, User
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import audit_log, users
from relance.services.refusals import NotFoundError, RefusedError

SESSION_LASTS = timedelta(days=14)  #: Since it was last used.
LINK_LASTS = timedelta(days=3)
_SEEN_EVERY = timedelta(hours=1)  #: A session that is used is written this often, not at every look.
_OVER = "This link was used before, or its time is over: ask for a new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """Whom a one-time link lets in."""

    user_id: int | None  #: None: whoever comes first, as the owner.


def begin(tx: Transaction, user: User, *, digest: bytes, now: datetime) -> None:
    """Log a person in, and forget sessions that are over."""
    tx.run("sessions.forget", now=now)
    tx.run("sessions.begin", digest=digest, user_id=user.id, now=now, ends_at=now + SESSION_LASTS)


def of_token(reader: Reader, *, digest: bytes, now: datetime) -> User | None:
    """Return who is logged in, or None."""
    return reader.one(User, "sessions.find", digest=digest, now=now)


def is_stale(reader: Reader, *, digest: bytes, now: datetime) -> bool:
    """Whether it should be written that this session is in use."""
    return reader.one(int, "sessions.seen_before", digest=digest, before=now - _SEEN_EVERY) is not None


def prolong(tx: Transaction, *, digest: bytes, now: datetime) -> None:
    """Let a session that is in use last."""
    tx.run("sessions.prolong", digest=digest, now=now, ends_at=now + SESSION_LASTS)


def end(tx: Transaction, *, digest: bytes) -> None:
    """Log a person out."""
    tx.run("sessions.end", digest=digest)


def end_others(tx: Transaction, user: User, *, digest: bytes = b"") -> None:
    """Log a person out everywhere but here; without a digest, everywhere."""
    tx.run("sessions.end_all_but", user_id=user.id, digest=digest)


def add_link(tx: Transaction, user: User | None, *, digest: bytes, now: datetime) -> None:
    """Make a link that lets a person in once; None: whoever comes first, as the owner."""
    tx.run("sessions.add_link", digest=digest, user_id=user.id if user else None, now=now, ends_at=now + LINK_LASTS)


def invited(reader: Reader, *, digest: bytes, now: datetime) -> User | None:
    """Return whom a link lets in; None: the first owner. Raises NotFoundError where it lets nobody in."""
    found = reader.one(Invited, "sessions.link", digest=digest, now=now)
    if found is None:
        raise NotFoundError(_OVER)
    if found.user_id is None:
        if not users.nobody_yet(reader):
            raise NotFoundError(_OVER)
        return None
    return reader.one(User, "users.get", id=found.user_id)


def come(
    tx: Transaction, *, digest: bytes, email: str, name: str, password_hash: str, session: bytes, now: datetime
) -> User:
    """Let somebody in by a link, with the password that they chose, and log them in; the link is used up.

    The first one becomes the owner of every workspace. Raises NotFoundError, WrongInputError, RefusedError.
    """
    user = invited(tx, digest=digest, now=now)
    if not tx.run("sessions.use_link", digest=digest):
        raise NotFoundError(_OVER)
    tx.run("sessions.forget_links", user_id=user.id if user else None, now=now)
    if user is not None:
        came = users.change(tx, user, name=name or user.name, password_hash=password_hash)
        end_others(tx, came)
    else:
        came = _first_owner(tx, email=email, name=name, password_hash=password_hash, now=now)
    begin(tx, came, digest=session, now=now)
    return came


def _first_owner(tx: Transaction, *, email: str, name: str, password_hash: str, now: datetime) -> User:
    found = tx.all(Workspace, "workspaces.list")
    if not found:
        raise RefusedError("there is no workspace yet: run `relance init`")
    owner = users.by_email(tx, email)
    if owner is None:
        owner = users.add(tx, email=email, name=name, password_hash=password_hash, now=now)
    else:
        owner = users.change(tx, owner, name=name, password_hash=password_hash)
    for workspace in found:
        if users.role_in(tx, workspace, owner.id) is None:
            users.let_in(tx, workspace, owner, Role.OWNER, by="the first link", may=Role.OWNER, now=now)
        audit_log.note(tx, workspace_id=workspace.id, actor=owner.email, action="owner.came", now=now)
    return owner
