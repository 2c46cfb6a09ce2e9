"""Making a further workspace from within one: whoever makes it owns it."""

from datetime import datetime

from relance.core.people import Role, User
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import audit_log, users, workspaces


def add_workspace(  # the facts of one row, and who makes it
    tx: Transaction,
    within: Workspace,
    user: User,
    *,
    name: str,
    uid: str,
    wrapped_key: bytes,
    now: datetime,
) -> Workspace:
    """Make a workspace owned by a person who owns another. Raises WrongInputError, RefusedError."""
    made = workspaces.add(tx, name=name, uid=uid, wrapped_key=wrapped_key, timezone=within.timezone, now=now)
    audit_log.note(tx, workspace_id=within.id, actor=user.email, action="workspace.added", subject=made.name, now=now)
    users.let_in(tx, made, user, Role.OWNER, by=user.email, may=Role.OWNER, now=now)
    return made
