"""Keys of programs: shown once, kept as a digest, no stronger than who made them."""

from datetime import datetime, timedelta

from relance.core.people import ApiKey, Role
from relance.core.workspace import Workspace
from relance.ports.store import Reader, Transaction
from relance.services import audit_log
from relance.services.refusals import LostRaceError, NotFoundError, RefusedError, WrongInputError
from relance.services.users import checked_name

_USED_EVERY = timedelta(hours=1)


def add(  # noqa: PLR0913  # the facts of one row, and who makes it
    tx: Transaction,
    workspace: Workspace,
    *,
    name: str,
    shown: str,
    digest: bytes,
    role: Role,
    by: str,
    may: Role,
    now: datetime,
) -> ApiKey:
    """Keep a new key. Raises WrongInputError, RefusedError for a name that is taken or a role above the maker's."""
    called = checked_name(name)
    if not called:
        raise WrongInputError("a key needs a name, such as the program's that will use it")
    if not may.may(role):
        raise RefusedError(f"a key may do no more than who makes it, and your role is {may}")
    if named(tx, workspace, called) is not None:
        raise RefusedError(f"there is a key {called!r} already: choose another name, or remove that one first")
    tx.one(
        int,
        "api_keys.add",
        workspace_id=workspace.id,
        name=called,
        shown=shown,
        digest=digest,
        role=role,
        created_by=by,
        created_at=now,
    )
    audit_log.note(
        tx, workspace_id=workspace.id, actor=by, action="key.added", subject=f"{called} ({shown}…) as {role}", now=now
    )
    made = named(tx, workspace, called)
    if made is None:
        raise LostRaceError(f"key {called}")
    return made


def remove(tx: Transaction, workspace: Workspace, name: str, *, by: str, may: Role, now: datetime) -> None:
    """Let nobody in by this key any more. Raises NotFoundError, RefusedError for a key above the remover's role."""
    found = named(tx, workspace, name)
    if found is None:
        raise NotFoundError(f"there is no key {name!r} in this workspace")
    if not may.may(found.role):
        raise RefusedError(f"that key is an {found.role}'s, and your role is {may}: ask an owner")
    if not tx.run("api_keys.remove", workspace_id=workspace.id, id=found.id):
        raise LostRaceError(f"key {name}")
    audit_log.note(tx, workspace_id=workspace.id, actor=by, action="key.removed", subject=name, now=now)


def of_workspace(reader: Reader, workspace: Workspace) -> list[ApiKey]:
    """Return every key of a workspace, by name."""
    return reader.all(ApiKey, "api_keys.of_workspace", workspace_id=workspace.id)


def named(reader: Reader, workspace: Workspace, name: str) -> ApiKey | None:
    """Return the key of this name, or None."""
    return reader.one(ApiKey, "api_keys.named", workspace_id=workspace.id, name=name)


def by_digest(reader: Reader, digest: bytes) -> tuple[ApiKey, Workspace] | None:
    """Return the key that a program showed, with its workspace, or None."""
    found = reader.one(ApiKey, "api_keys.find", digest=digest)
    workspace = reader.one(Workspace, "workspaces.get", id=found.workspace_id) if found else None
    return (found, workspace) if found and workspace else None


def is_stale(key: ApiKey, now: datetime) -> bool:
    """Whether it should be written that this key is in use."""
    return key.used_at is None or key.used_at < now - _USED_EVERY


def used(tx: Transaction, key: ApiKey, *, now: datetime) -> None:
    """Keep when a key was used, to the hour."""
    tx.run("api_keys.used", id=key.id, now=now, before=now - _USED_EVERY)
