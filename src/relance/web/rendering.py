"""Pages from templates: escaped by default, with what every page may ask for."""

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from relance.core.people import Role
from relance.web.flashes import FLASH_COOKIE, read_flashes
from relance.web.security.needs import TOKEN_FIELD
from relance.web.security.tokens import form_token
from relance.web.security.who import Visitor, session_token
from relance.web.surroundings import surroundings_of

OK = 200
THEME_COOKIE = "relance_theme"
STATIC = Path(__file__).parent / "static"


@cache
def static_url(name: str) -> str:
    """Return where a file of ours is served; its address changes with its contents, so that browsers may keep it."""
    digest = blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"


environment = Environment(
    loader=PackageLoader("relance.web"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
environment.globals["Role"] = Role
environment.globals["static"] = static_url


def render(
    request: Request, template: str, visitor: Visitor | None = None, *, status: int = OK, **values: object
) -> HTMLResponse:
    """Return a page. Templates know, besides `values`, what `page` lists."""
    answer = HTMLResponse(page(request, template, visitor, values), status_code=status)
    if FLASH_COOKIE in request.cookies:
        answer.delete_cookie(FLASH_COOKIE, path="/")
    return answer


def page(request: Request, template: str, visitor: Visitor | None, values: Mapping[str, object]) -> str:
    """Return a template's text."""
    around = surroundings_of(request)
    token = visitor.form_token if visitor else form_token(session_token(request))
    root = f"/w/{quote(visitor.workspace.name, safe='')}" if visitor else ""
    field = Markup('<input type="hidden" name="{}" value="{}">').format(TOKEN_FIELD, token)
    return environment.get_template(template).render(
        {
            "visitor": visitor,
            "path": request.url.path,
            "page": request.url.path.split("/")[3] if visitor and request.url.path.count("/") > 2 else "",
            "root": root,
            "workspaces": visitor.workspaces if visitor else (),
            "now": around.clock.now(),
            "clock": "virtual" if around.virtual else "real",
            "clock_control": around.shown.control if around.shown else None,
            "live": f"{root}/live" if root else None,
            "counts": {},
            "theme": request.cookies.get(THEME_COOKIE, ""),
            "flashes": read_flashes(request),
            "csrf_field": lambda: field,
            "csrf_token": lambda: token,
            **values,
        }
    )
