"""Coming in: by password, or once by a link; and leaving."""

from datetime import timedelta
from math import ceil
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from relance.core.people import User
from relance.services import sessions, users
from relance.services.refusals import NotFoundError, RefusedError
from relance.web.rendering import OK, render
from relance.web.security import passwords
from relance.web.security.needs import SEE_OTHER, check_form_token, check_origin, to_login
from relance.web.security.throttling import Throttle
from relance.web.security.tokens import digest_of, form_token, new_token
from relance.web.security.who import COOKIE, session_token, user_of
from relance.web.surroundings import surroundings_of

REFUSED, TOO_MANY = 422, 429
_MOST_TEXT = 400


def throttles() -> tuple[Throttle, Throttle]:
    """Return what slows guessing down: by where it comes from, and by whom it means."""
    return (
        Throttle(tries=20, one_each=timedelta(seconds=15)),
        Throttle(tries=8, one_each=timedelta(minutes=1)),
    )


async def start(request: Request) -> Response:
    """Lead to the first workspace of who is logged in."""
    user = await user_of(request)
    if user is None:
        return to_login(request)
    found = await surroundings_of(request).store.read(users.workspaces_of, user)
    if not found:
        return render(request, "entering/nowhere.html", user=user, token=form_token(session_token(request)))
    return RedirectResponse(f"/w/{quote(found[0], safe='')}/today", status_code=SEE_OTHER)


async def login(request: Request) -> Response:
    """Ask for address and password, and let in whom they fit."""
    back = _own_path(request.query_params.get("next", "/"))
    if request.method != "POST":
        nobody = await surroundings_of(request).store.read(users.nobody_yet)
        return render(request, "entering/login.html", back=back, email="", problem=None, nobody=nobody)
    check_origin(request)
    form = await request.form(max_files=0)
    email, password = text_of(form, "email").strip().casefold(), text_of(form, "password")
    back = _own_path(text_of(form, "next"))
    around = surroundings_of(request)
    now = around.real.now()
    by_place, by_person = request.app.state.throttles
    place = request.client.host if request.client else ""
    wait = max(by_place.wait(place, now), by_person.wait(email, now))
    if wait:
        seconds = ceil(wait.total_seconds())
        page = _again(request, back, email, f"Too many tries: wait {seconds} seconds", status=TOO_MANY)
        page.headers["Retry-After"] = str(seconds)
        return page
    by_place.took(place, now)
    by_person.took(email, now)
    user = await around.store.read(users.by_email, email)
    if not await passwords.fits(password, user.password_hash if user else None) or user is None:
        around.log.warning("login.refused", place=place)
        return _again(request, back, email, "No person with this address has this password", status=REFUSED)
    by_person.forgive(email)
    token = new_token()
    await around.store.write(sessions.begin, user, digest=token.digest, now=now)
    return _with_session(request, RedirectResponse(back, status_code=SEE_OTHER), token.text)


async def logout(request: Request) -> Response:
    """End the session."""
    check_origin(request)
    token = session_token(request)
    await check_form_token(request, form_token(token))
    await surroundings_of(request).store.write(sessions.end, digest=digest_of(token))
    answer = RedirectResponse("/login", status_code=SEE_OTHER)
    answer.delete_cookie(COOKIE, path="/")
    return answer


async def welcome(request: Request) -> Response:
    """Let somebody in by a link that counts once, with a password that they choose."""
    around = surroundings_of(request)
    digest, now = digest_of(request.path_params["token"]), around.real.now()
    user = await around.store.read(sessions.invited, digest=digest, now=now)
    if request.method != "POST":
        return _welcome(request, user, user.email if user else "", user.name if user else "", None)
    check_origin(request)
    form = await request.form(max_files=0)
    email, name = text_of(form, "email"), text_of(form, "name")
    token = new_token()
    try:
        kept = await passwords.hashed(passwords.checked(text_of(form, "password")))
        await around.store.write(
            sessions.come,
            digest=digest,
            email=email,
            name=name,
            password_hash=kept,
            session=token.digest,
            now=now,
        )
    except RefusedError as error:
        return _welcome(request, user, user.email if user else email, name, str(error))
    return _with_session(request, RedirectResponse("/", status_code=SEE_OTHER), token.text)


def _welcome(request: Request, user: User | None, email: str, name: str, problem: str | None) -> Response:
    return render(
        request,
        "entering/welcome.html",
        email=email,
        name=name,
        fixed=user is not None,
        problem=problem,
        least=passwords.LEAST,
        status=REFUSED if problem else OK,
    )


def text_of(form: FormData, name: str) -> str:
    """Return a field's text, or nothing; no field here is longer than a few hundred characters."""
    value = form.get(name)
    return value[:_MOST_TEXT] if isinstance(value, str) else ""


def _again(request: Request, back: str, email: str, problem: str, *, status: int) -> Response:
    return render(request, "entering/login.html", back=back, email=email, problem=problem, nobody=False, status=status)


def _with_session(request: Request, answer: Response, token: str) -> Response:
    answer.set_cookie(
        COOKIE,
        token,
        max_age=int(sessions.SESSION_LASTS.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=surroundings_of(request).secure,
    )
    return answer


def _own_path(path: str) -> str:
    """Return a path of this console; a link that leads elsewhere leads to its start."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


async def enter_demo(request: Request) -> Response:
    """Log the owner of a demo in by its link, as often as it is opened; elsewhere there is nothing."""
    demo = surroundings_of(request).shown
    if demo is None or digest_of(request.path_params["token"]) != demo.entry:
        raise NotFoundError("there is no such demo: start one with `relance demo --serve`")
    return _with_session(request, RedirectResponse("/", status_code=SEE_OTHER), demo.session)


routes = [
    Route("/", start),
    Route("/login", login, methods=["GET", "POST"]),
    Route("/logout", logout, methods=["POST"]),
    Route("/demo/{token}", enter_demo),
    Route("/welcome/{token}", welcome, methods=["GET", "POST"]),
]
