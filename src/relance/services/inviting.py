"""Inviting a person into a workspace: a role, and where they have no password yet, a link that lets in once."""

from datetime import datetime

from relance.core.people import Role, User
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import audit_log, sessions, users
from relance.services.refusals import NotFoundError, RefusedError


def invite(  # who invites whom where, and by which link
    tx: Transaction,
    workspace: Workspace,
    *,
    email: str,
    role: Role,
    digest: bytes,
    by: str,
    may: Role,
    real_now: datetime,
) -> bool:
    """Let a person in and return whether the link counts; who has a password logs in with it, as ever.

    Asked again for somebody who has not come yet, it makes another link. Who is in another workspace gets none: its
    people answer for them, and whoever holds a link becomes that person. Raises RefusedError, WrongInputError.
    """
    user = users.by_email(tx, email)
    if user is None:
        user = users.add(tx, email=email, name="", password_hash=None, now=real_now)
    present = users.role_in(tx, workspace, user.id)
    if present is None:
        users.let_in(tx, workspace, user, role, by=by, may=may, now=real_now)
    elif user.password_hash is not None:
        raise RefusedError(f"{user.email} is in this workspace already: change their role instead")
    elif not may.may(present):
        raise RefusedError(f"{user.email} was invited as {present}, and your role is {may}: ask an owner")
    if user.password_hash is not None or users.workspaces_of(tx, user) != [workspace.name]:
        return False
    sessions.add_link(tx, user, digest=digest, now=real_now)
    return True


def link_for(tx: Transaction, email: str, *, digest: bytes, by: str, real_now: datetime) -> User:
    """Make a link by which a known person chooses a new password. Only for who holds the installation's directory."""
    user = users.by_email(tx, email)
    if user is None:
        raise NotFoundError(f"nobody here has the address {email}: `relance user list` names everybody")
    sessions.add_link(tx, user, digest=digest, now=real_now)
    audit_log.note(tx, workspace_id=None, actor=by, action="user.link_made", subject=user.email, now=real_now)
    return user
