"""An installation for the web's tests: two workspaces, people of every role, and browsers that are logged in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

import httpx

from relance.app import Installation
from relance.app.serving import surroundings
from relance.core.people import Role
from relance.core.workspace import Workspace
from relance.ports.store import Transaction
from relance.services import api_keys, sessions, users, workspaces
from relance.testing.fake_clock import MONDAY, FakeClock
from relance.web.security.needs import TOKEN_HEADER
from relance.web.security.tokens import KEY_PREFIX, form_token, new_token
from relance.web.security.who import COOKIE
from relance.web.surroundings import Surroundings

BASE_URL = "http://relance.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Everything that a test of the web needs."""

    installation: Installation
    app: object  #: ASGI.
    real: FakeClock  #: The machine's time, for sessions and keys.
    clock: FakeClock  #: The domain's time.
    workspace: Workspace
    other: Workspace  #: In which only the stranger is.
    sessions: Mapping[str, str]  #: Session tokens by role, and the stranger's.
    keys: Mapping[str, str]  #: Keys by role, and the stranger's.

    def browser(self, who: str = "member", *, form: bool = True) -> httpx.AsyncClient:
        """Return a browser in which somebody is logged in; `form`: its requests come from the console's own forms."""
        token = self.sessions[who]
        headers = {TOKEN_HEADER: form_token(token)} if form else {}
        return self._client(cookies={COOKIE: token}, headers=headers)

    def stranger(self) -> httpx.AsyncClient:
        """Return a browser in which nobody is logged in."""
        return self._client()

    def program(self, who: str = "member") -> httpx.AsyncClient:
        """Return a program with a key of this role."""
        return self._client(headers={"Authorization": f"Bearer {self.keys[who]}"})

    def _client(self, **settings: object) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)  # type: ignore[arg-type]  # it is ASGI
        return httpx.AsyncClient(transport=transport, base_url=BASE_URL, **settings)  # type: ignore[arg-type]  # as given

    def with_app(self, app: object) -> "House":
        """Return the same house behind another application."""
        return replace(self, app=app)

    def path(self, page: str) -> str:
        """Return the path of a page of the workspace."""
        return f"/w/{quote(self.workspace.name)}/{page}"


def around_of(house: House) -> Surroundings:
    """Return what the house's application works with."""
    return surroundings(house.installation, base_url=BASE_URL, real=house.real)


def people(tx: Transaction, acme: Workspace, other: Workspace) -> tuple[dict[str, str], dict[str, str]]:
    """Let in a person and a program of each role, and a stranger who owns the other workspace."""
    tokens, keys = {}, {}
    for name in (*Role, "stranger"):
        place, role = (other, Role.OWNER) if name == "stranger" else (acme, Role(name))
        user = users.add(tx, email=f"{name}@{place.name}.example", name="", password_hash="none", now=MONDAY)
        users.let_in(tx, place, user, role, by="a test", may=Role.OWNER, now=MONDAY)
        session, key = new_token(), new_token(KEY_PREFIX)
        sessions.begin(tx, user, digest=session.digest, now=MONDAY)
        api_keys.add(
            tx,
            place,
            name=str(name),
            shown=key.shown,
            digest=key.digest,
            role=role,
            by=user.email,
            may=Role.OWNER,
            now=MONDAY,
        )
        tokens[str(name)], keys[str(name)] = session.text, key.text
    return tokens, keys


def another_workspace(tx: Transaction, name: str, wrapped_key: bytes) -> Workspace:
    """Make a workspace more."""
    return workspaces.ensure_workspace(
        tx, name=name, uid=f"uid-{name}", wrapped_key=wrapped_key, timezone=None, now=MONDAY
    )
