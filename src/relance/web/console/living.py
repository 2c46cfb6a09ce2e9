"""The event stream of a workspace's open pages, and the choice between light and dark."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from datetime import timedelta
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from relance.core.people import Role
from relance.web.live import Live
from relance.web.rendering import THEME_COOKIE
from relance.web.security.needs import SEE_OTHER, check_origin, needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

_YEAR = int(timedelta(days=365).total_seconds())
_THEMES = ("light", "dark")


@needs(Role.VIEWER)
async def stream(request: Request, visitor: Visitor) -> Response:
    """Tell a page which topics moved, until it is closed."""
    live: Live = request.app.state.live
    lasts = surroundings_of(request).stream_seconds
    return StreamingResponse(_lines(live, visitor.workspace.id, lasts), media_type="text/event-stream")


async def _lines(live: Live, workspace_id: int, lasts: float) -> AsyncIterator[str]:
    """Yield what moved until the stream has lasted so many seconds: the browser asks anew, and is judged anew."""
    yield "retry: 2000\n\n"
    with suppress(TimeoutError):
        async with asyncio.timeout(lasts), aclosing(live.listen(workspace_id)) as heard:
            async for topics in heard:
                yield f"event: moved\ndata: {json.dumps(topics)}\n\n" if topics else ": still here\n\n"


async def choose_theme(request: Request) -> Response:
    """Keep the choice in this browser."""
    check_origin(request)
    form = await request.form(max_files=0)
    theme = form.get("theme")
    came_from = urlsplit(request.headers.get("referer", "")).path
    answer = RedirectResponse(came_from if came_from.startswith("/w/") else "/", status_code=SEE_OTHER)
    if theme in _THEMES:
        answer.set_cookie(THEME_COOKIE, str(theme), max_age=_YEAR, path="/", httponly=True, samesite="lax")
    return answer


open_routes = [Route("/theme", choose_theme, methods=["POST"])]
routes = [Route("/w/{workspace}/live", stream, methods=["GET"])]
