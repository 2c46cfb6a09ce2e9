"""Who asks: a person by their session, or a program by its key; in one workspace, with one role."""

from dataclasses import dataclass, replace
from datetime import datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request

from relance.core.people import Role, User
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import api_keys, sessions, users
from relance.web.security.audited import AuditedStore
from relance.web.security.tokens import digest_of, form_token
from relance.web.surroundings import Surroundings, surroundings_of

COOKIE = "relance_session"
UNAUTHORISED, FORBIDDEN, UNKNOWN = 401, 403, 404
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who asks, and what they may do."""

    actor: str  #: In words, as the audit log has it.
    workspace: Workspace
    role: Role
    user: User | None  #: None: a program.
    form_token: str = ""  #: What their forms carry.
    workspaces: tuple[str, ...] = ()  #: Where else they may go, by name.

    def may(self, needed: Role) -> bool:
        """Whether their role is enough where `needed` is asked for."""
        return self.role.may(needed)


def session_token(request: Request) -> str:
    """Return the session's token that the browser showed, or nothing."""
    return request.cookies.get(COOKIE, "")


async def user_of(request: Request) -> User | None:
    """Return who is logged in, or None; a session that is used lasts."""
    token = session_token(request)
    if not token:
        return None
    around, digest = surroundings_of(request), digest_of(token)
    now = around.real.now()
    found, stale = await around.store.read(_session, digest=digest, now=now)
    if stale:
        await around.store.write(sessions.prolong, digest=digest, now=now)
    return found


async def visitor_of(request: Request, *, user: User, workspace: str, needed: Role) -> Visitor:
    """Return a person in a workspace. Raises HTTPException: 404 where they are not in it, 403 for too low a role."""
    found = await surroundings_of(request).store.read(_membership, user, workspace)
    if found is None:
        raise HTTPException(UNKNOWN, "There is no such page, or it is not yours to see")
    place, role, names = found
    _enough(role, needed)
    return Visitor(
        actor=user.email,
        workspace=place,
        role=role,
        user=user,
        form_token=form_token(session_token(request)),
        workspaces=names,
    )


async def program_of(request: Request, *, needed: Role) -> Visitor:
    """Return the program whose key the request bears. Raises HTTPException: 401 without one, 403 for too low a role."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    around = surroundings_of(request)
    found = None
    if kind.lower() == "bearer" and text:
        found = await around.store.read(api_keys.by_digest, digest_of(text.strip()))
    if found is None:
        raise HTTPException(
            UNAUTHORISED,
            "Send a key of this installation as `Authorization: Bearer KEY`; Settings makes one",
            {"WWW-Authenticate": "Bearer"},
        )
    key, workspace = found
    now = around.real.now()
    if api_keys.is_stale(key, now):
        await around.store.write(api_keys.used, key, now=now)
    _enough(key.role, needed)
    return Visitor(actor=f"the key {key.name}", workspace=workspace, role=key.role, user=None)


def audit(request: Request, visitor: Visitor, action: str) -> None:
    """Let the first thing that this request writes stand in the audit log, in the same transaction."""
    around = surroundings_of(request)
    store = AuditedStore(
        around.store,
        workspace_id=visitor.workspace.id,
        actor=visitor.actor,
        action=action,
        subject=request.url.path,
        now=around.real.now(),
    )
    known: Surroundings = replace(around, store=store)
    request.state.surroundings = known


def _enough(role: Role, needed: Role) -> None:
    if not role.may(needed):
        raise HTTPException(
            FORBIDDEN, f"That takes the role {needed} or a higher one, and yours is {role}: ask an owner"
        )


def _session(reader: Reader, *, digest: bytes, now: datetime) -> tuple[User | None, bool]:
    found = sessions.of_token(reader, digest=digest, now=now)
    return found, found is not None and sessions.is_stale(reader, digest=digest, now=now)


def _membership(reader: Reader, user: User, name: str) -> tuple[Workspace, Role, tuple[str, ...]] | None:
    workspace = reader.one(Workspace, "workspaces.find", name=name)
    role = users.role_in(reader, workspace, user.id) if workspace else None
    return (workspace, role, tuple(users.workspaces_of(reader, user))) if workspace and role else None
