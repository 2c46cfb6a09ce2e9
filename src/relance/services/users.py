"""People and their roles.

Rule 1: nobody gives or takes a role above their own, and nobody changes a person whose role is above theirs.
Rule 2: a workspace keeps an owner who has come.
Rule 3: only who holds the installation's directory, or the person, sets a password: an administrator of one workspace
must not become somebody who is also in another.
"""

from datetime import datetime

from relance.core.people import NAME_MOST, Member, Role, User
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import audit_log
from relance.services.addresses import clean_address
from relance.services.refusals import LostRaceError, NotFoundError, RefusedError, WrongInputError


def nobody_yet(reader: Reader) -> bool:
    """Whether nobody could log in."""
    return reader.one(int, "users.any_with_password") is None


def by_email(reader: Reader, email: str) -> User | None:
    """Return the person with this address, or None."""
    return reader.one(User, "users.find", email=email.strip().casefold())


def role_in(reader: Reader, workspace: Workspace, user_id: int) -> Role | None:
    """Return what a person may do in a workspace; None: they are not in it."""
    return reader.one(Role, "users.role_in", workspace_id=workspace.id, user_id=user_id)


def members(reader: Reader, workspace: Workspace) -> list[Member]:
    """Return everybody in a workspace, by address."""
    return reader.all(Member, "users.members", workspace_id=workspace.id)


def workspaces_of(reader: Reader, user: User) -> list[str]:
    """Return the names of the workspaces that a person is in."""
    return reader.all(str, "users.workspaces", user_id=user.id)


def add(tx: Transaction, *, email: str, name: str, password_hash: str | None, now: datetime) -> User:
    """Make a person who is in no workspace yet. Raises WrongInputError, RefusedError if the address is known."""
    address = clean_address(email)
    if by_email(tx, address) is not None:
        raise RefusedError(f"{address} is known already: give them a role instead")
    tx.one(int, "users.add", email=address, name=checked_name(name), password_hash=password_hash, created_at=now)
    made = by_email(tx, address)
    if made is None:
        raise LostRaceError(f"user {address}")
    return made


def let_in(tx: Transaction, workspace: Workspace, user: User, role: Role, *, by: str, may: Role, now: datetime) -> None:
    """Let a person into a workspace. Raises RefusedError if they are in it, or the role is above `may`."""
    _allowed(may, role)
    joined = tx.run("users.join", workspace_id=workspace.id, user_id=user.id, role=role, created_at=now)
    if not joined:
        raise RefusedError(f"{user.email} is in this workspace already: change their role instead")
    audit_log.note(
        tx, workspace_id=workspace.id, actor=by, action="user.added", subject=f"{user.email} as {role}", now=now
    )


def set_role(  # who does what to whom, and since when
    tx: Transaction, workspace: Workspace, email: str, role: Role, *, by: str, may: Role, now: datetime
) -> None:
    """Change what a person may do. Raises NotFoundError, RefusedError by the rules above."""
    user, present = _member(tx, workspace, email)
    _allowed(may, present)
    _allowed(may, role)
    if role is present:
        return
    if not tx.run("users.set_role", workspace_id=workspace.id, user_id=user.id, role=role, read_role=present):
        raise LostRaceError(f"user {user.email}")
    _keep_an_owner(tx, workspace, user, present)
    subject = f"{user.email} from {present} to {role}"
    audit_log.note(tx, workspace_id=workspace.id, actor=by, action="user.role_changed", subject=subject, now=now)


def put_out(tx: Transaction, workspace: Workspace, email: str, *, by: str, may: Role, now: datetime) -> None:
    """Take a person out of a workspace. Raises NotFoundError, RefusedError by the rules above."""
    user, present = _member(tx, workspace, email)
    _allowed(may, present)
    if not tx.run("users.leave", workspace_id=workspace.id, user_id=user.id, read_role=present):
        raise LostRaceError(f"user {user.email}")
    _keep_an_owner(tx, workspace, user, present)
    audit_log.note(tx, workspace_id=workspace.id, actor=by, action="user.removed", subject=user.email, now=now)


def change(tx: Transaction, user: User, *, name: str, password_hash: str | None) -> User:
    """Set a person's own name and password. Raises LostRaceError if somebody was first."""
    if not tx.run(
        "users.change", id=user.id, name=checked_name(name), password_hash=password_hash, revision=user.revision
    ):
        raise LostRaceError(f"user {user.email}")
    found = tx.one(User, "users.get", id=user.id)
    if found is None:
        raise LostRaceError(f"user {user.email}")
    return found


def checked_name(name: str) -> str:
    """Return a name without spaces around it. Raises WrongInputError if it is too long."""
    if len(name.strip()) > NAME_MOST:
        raise WrongInputError(f"the name is longer than {NAME_MOST} characters: write a shorter one")
    return name.strip()


def _member(tx: Transaction, workspace: Workspace, email: str) -> tuple[User, Role]:
    user = by_email(tx, email)
    present = role_in(tx, workspace, user.id) if user else None
    if user is None or present is None:
        raise NotFoundError(f"{email} is not in this workspace")
    return user, present


def _allowed(may: Role, role: Role) -> None:
    if not may.may(role):
        raise RefusedError(f"that takes the role {role} or a higher one, and yours is {may}: ask an owner")


def _keep_an_owner(tx: Transaction, workspace: Workspace, user: User, present: Role) -> None:
    """Refuse the whole change where no owner is left. Two owners who unmake each other wait for the same row."""
    tx.one(int, "workspaces.lock", id=workspace.id)
    if present is Role.OWNER and not tx.one(int, "users.owners", workspace_id=workspace.id):
        raise RefusedError(f"{user.email} is the only owner of this workspace: make somebody else an owner first")
