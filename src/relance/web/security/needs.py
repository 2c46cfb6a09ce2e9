"""What a page of the console asks of its visitor: `@needs(Role.MEMBER)` above its function, and nothing else.

Rule 1: in this order: a session, the workspace of the path and membership in it, the role, the form's token.
Rule 2: what a request that may change something writes stands in the audit log under the function's name.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from relance.core.people import Role
from relance.web.security.tokens import same
from relance.web.security.who import FORBIDDEN, SAFE_METHODS, Visitor, audit, session_token, user_of, visitor_of
from relance.web.surroundings import surroundings_of

Page = Callable[[Request, Visitor], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
TOKEN_FIELD, TOKEN_HEADER = "form_token", "X-Form-Token"
SEE_OTHER = 303
_FIELDS_MOST, _FILES_MOST, _PART_MOST = 20_000, 20, 1_048_576
_needed: dict[Endpoint, Role] = {}


def needs(role: Role, *, audited: bool = True) -> Callable[[Page], Endpoint]:
    """Let a page be seen by this role and those above it; `audited`: False where its service writes the log itself."""

    def decorate(page: Page) -> Endpoint:
        action = f"{page.__module__.rpartition('.')[2]}.{page.__name__}"

        @wraps(page)
        async def endpoint(request: Request) -> Response:
            try:
                user = await user_of(request)
                if user is None:
                    return to_login(request)
                workspace = request.path_params["workspace"]
                visitor = await visitor_of(request, user=user, workspace=workspace, needed=role)
                if request.method not in SAFE_METHODS:
                    check_origin(request)
                    await check_form_token(request, visitor.form_token)
                    if audited:
                        audit(request, visitor, action)
                return await page(request, visitor)
            finally:
                await request.close()  # files that came with the form

        _needed[endpoint] = role
        return endpoint

    return decorate


def needed_by(endpoint: Endpoint) -> Role | None:
    """Return what an endpoint was declared to need; None: nothing was declared."""
    return _needed.get(endpoint)


def to_login(request: Request) -> Response:
    """Send who is not logged in to where they can, and back afterwards."""
    back = quote(request.url.path) if request.method in SAFE_METHODS else ""
    return RedirectResponse(f"/login?next={back}" if back else "/login", status_code=SEE_OTHER)


def check_origin(request: Request) -> None:
    """Refuse what another site's page sends, also where there is no session yet. Raises HTTPException."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    ours = {request.headers.get("host", ""), urlsplit(surroundings_of(request).base_url).netloc}
    elsewhere = origin is not None and urlsplit(origin).netloc not in ours
    if site not in {"same-origin", "none"} if site else elsewhere:
        raise HTTPException(FORBIDDEN, "Another site's page sent this: open the console itself and do it there")


async def check_form_token(request: Request, expected: str) -> None:
    """Refuse a form that is not of this session. Raises HTTPException."""
    given = request.headers.get(TOKEN_HEADER)
    if given is None:
        form = await request.form(max_files=_FILES_MOST, max_fields=_FIELDS_MOST, max_part_size=_PART_MOST)
        field = form.get(TOKEN_FIELD)
        given = field if isinstance(field, str) else ""
    if not session_token(request) or not same(given, expected):
        raise HTTPException(FORBIDDEN, "This form belongs to a session that has ended: load the page again")
