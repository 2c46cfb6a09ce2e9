"""People who use the console, programs that use the API, and what each may do in a workspace."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

NAME_MOST = 200  #: Characters of a person's or a key's name.


class Role(StrEnum):
    """What somebody may do in one workspace; each may also do what those before it may."""

    VIEWER = "viewer"  #: Look.
    MEMBER = "member"  #: Work: leads, sequences, answers, suppressions.
    ADMIN = "admin"  #: Connect mailboxes, change settings, let people and programs in.
    OWNER = "owner"  #: Make and unmake owners. There is always one.

    def may(self, needed: "Role") -> bool:
        """Whether this role is enough where `needed` is asked for."""
        return _ORDER[self] >= _ORDER[needed]


_ORDER = {role: rank for rank, role in enumerate(Role)}


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person. Unique on email, over all workspaces."""

    id: int
    email: str  #: Trimmed and case-folded.
    name: str
    password_hash: str | None  #: argon2id; None: invited, and has not come yet.
    revision: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A person in one workspace."""

    user_id: int
    email: str
    name: str
    role: Role
    invited: bool  #: Has not come yet.
    created_at: datetime  #: When they were let in.


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """What lets a program into one workspace; the key itself is not kept."""

    id: int
    workspace_id: int
    name: str
    shown: str  #: Its first letters, by which a person knows it again.
    role: Role
    created_by: str
    created_at: datetime
    used_at: datetime | None  #: To the hour.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of who did what."""

    id: int
    at: datetime
    actor: str  #: In words: an address, a key's name, the command line.
    action: str
    subject: str
