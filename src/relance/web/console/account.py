"""Settings: one's own name and password."""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role, User
from relance.ports.store import Transaction
from relance.services import sessions, users
from relance.services.refusals import WrongInputError
from relance.web.console.forms import form_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security import passwords
from relance.web.security.needs import needs
from relance.web.security.throttling import Throttle
from relance.web.security.tokens import digest_of
from relance.web.security.who import Visitor, session_token
from relance.web.surroundings import surroundings_of

PATH = "/w/{workspace}/settings/account"


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show what one may change about oneself."""
    return render(request, "settings/account.html", visitor, problem=None, least=passwords.LEAST)


@needs(Role.VIEWER)
async def change(request: Request, visitor: Visitor) -> Response:
    """Change name and, with the present one, the password; a new password logs out everywhere else."""
    form, around, user = await form_of(request), surroundings_of(request), _person(visitor)
    new = form.verbatim("new_password")
    by_person = request.app.state.throttles[1]
    now = around.real.now()
    try:
        if new:
            await _check_present(user, form.verbatim("password"), by_person, now)
        kept = await passwords.hashed(passwords.checked(new)) if new else user.password_hash
        here = digest_of(session_token(request))
        await around.store.write(_change, user, form.text("name"), kept, here if new else None)
    except WrongInputError as error:
        return render(request, "settings/account.html", visitor, problem=str(error), least=passwords.LEAST, status=422)
    said = "Your password is changed, and every other session is logged out." if new else "Your name is changed."
    return done(request, request.url.path, said)


async def _check_present(user: User, password: str, tries: Throttle, now: datetime) -> None:
    """Raise WrongInputError unless this is the person's password, and they may try."""
    if tries.wait(user.email, now):
        raise WrongInputError("too many tries: wait some minutes")
    tries.took(user.email, now)
    if not await passwords.fits(password, user.password_hash):
        raise WrongInputError("the present password is another one")


def _person(visitor: Visitor) -> User:
    if visitor.user is None:
        raise TypeError("a page is seen by people only")
    return visitor.user


def _change(tx: Transaction, user: User, name: str, password_hash: str | None, keep: bytes | None) -> None:
    users.change(tx, user, name=name, password_hash=password_hash)
    if keep is not None:
        sessions.end_others(tx, user, digest=keep)


routes = [Route(PATH, page), Route(PATH, change, methods=["POST"])]
