"""One ASGI application: what the public may call in front, then the API, then the console."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from relance.web.api import api_application
from relance.web.console import OPEN, PAGES, entering, failing
from relance.web.live import Live
from relance.web.public.app import PublicApp
from relance.web.rendering import STATIC
from relance.web.security.headers import Headers
from relance.web.security.needs import needed_by
from relance.web.surroundings import Surroundings

BODY_MOST = 1_048_576  #: Bytes of a form; a route that takes files says `max_body_size` itself.


def console_application(around: Surroundings) -> Starlette:
    """Return the console."""
    for route in (*OPEN, *PAGES):
        if route in PAGES and needed_by(route.endpoint) is None:
            raise TypeError(f"{route.path} does not say with @needs who may see it")
        if not isinstance(route.app, RequestBodyLimitMiddleware):
            route.app = RequestBodyLimitMiddleware(route.app, max_body_size=BODY_MOST)
    console = Starlette(
        routes=[*OPEN, *PAGES, Mount("/static", StaticFiles(directory=STATIC), name="static")],
        middleware=[Middleware(Headers, secure=around.secure)],
        exception_handlers=failing.HANDLERS,
    )
    console.state.surroundings = around
    console.state.throttles = entering.throttles()
    console.state.live = Live(around.store, around.log)
    return console


def application(around: Surroundings) -> ASGIApp:
    """Return everything that is served."""
    public, api, console = PublicApp(around), api_application(around), console_application(around)

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and public.takes(path):
            await public(scope, receive, send)
        elif path.startswith("/api/"):
            await api(scope, receive, send)
        else:
            await console(scope, receive, send)

    return served
