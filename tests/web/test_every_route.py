"""Every route of the console, also those that nobody has written yet: who may come in, and who may not.

Each route is asked with every method it takes. Ids that do not exist stand for its other parameters: who is let in may
be told that there is no such thing, but never that it is forbidden; who is not let in is told the same as always.
"""

import re
from collections.abc import Iterator

import httpx
import pytest
from starlette.routing import Mount, Route

from relance.core.people import Role
from relance.web.console import OPEN, PAGES
from relance.web.security.needs import needed_by
from web.house import House

ROUTES = [(method, route) for route in PAGES for method in sorted((route.methods or set()) - {"HEAD"})]


def name_of(value: object) -> str:
    """Name a case by its method and path."""
    return value.path if isinstance(value, Route) else str(value)


def path_of(route: Route, workspace: str) -> str:
    """Return the route's path in a workspace, with ids that do not exist."""
    return re.sub(r"\{[^}]+\}", "999999", route.path.replace("{workspace}", workspace))


async def ask(client: httpx.AsyncClient, method: str, path: str) -> httpx.Response:
    """Ask once; what streams without end is asked for its head only."""
    async with client, client.stream(method, path) as answer:
        return answer


def every_route(app: object) -> Iterator[Route]:
    """Yield what an application routes to."""
    for route in getattr(app, "routes", []):
        if isinstance(route, Route):
            yield route
        elif isinstance(route, Mount):
            yield from every_route(route)


@pytest.mark.parametrize("route", PAGES, ids=name_of)
def test_a_page_says_what_it_needs_and_in_which_workspace(route: Route):
    """A page without `@needs` would be open to everybody."""
    assert route.path.startswith("/w/{workspace}")
    assert isinstance(needed_by(route.endpoint), Role)


def test_what_is_open_is_what_lets_people_in():
    """A page more in this list is a page that anybody on the net may see."""
    assert {"/", "/login", "/logout", "/welcome/{token}", "/theme"} == {route.path for route in OPEN}


@pytest.mark.parametrize("method, route", ROUTES, ids=name_of)
async def test_who_is_not_logged_in_is_sent_to_the_login(house: House, method: str, route: Route):
    """Whatever the page, and whether it exists or not."""
    answer = await ask(house.stranger(), method, path_of(route, "acme"))

    assert (303, True) == (answer.status_code, answer.headers["location"].startswith("/login"))


@pytest.mark.parametrize("method, route", ROUTES, ids=name_of)
async def test_a_member_of_another_workspace_finds_nothing(house: House, method: str, route: Route):
    """And the same nothing as in a workspace that does not exist."""
    there = await ask(house.browser("stranger"), method, path_of(route, "acme"))
    nowhere = await ask(house.browser("stranger"), method, path_of(route, "nowhere"))

    assert (404, 404) == (there.status_code, nowhere.status_code)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("method, route", ROUTES, ids=name_of)
async def test_a_role_that_is_enough_comes_in_and_no_other(house: House, method: str, route: Route, role: Role):
    """The answer to a role that is too low is 403, and nothing else is."""
    needed = needed_by(route.endpoint)
    answer = await ask(house.browser(role), method, path_of(route, "acme"))

    assert needed is not None
    assert role.may(needed) == (answer.status_code != 403)
    assert answer.status_code < 500


@pytest.mark.parametrize("method, route", [case for case in ROUTES if case[0] != "GET"], ids=name_of)
async def test_a_change_without_the_forms_token_is_refused(house: House, method: str, route: Route):
    """Also for an owner: another site's page can make their browser send it."""
    answer = await ask(house.browser("owner", form=False), method, path_of(route, "acme"))

    assert 403 == answer.status_code
