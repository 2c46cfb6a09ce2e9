"""Every route of the console, also those that nobody has written yet: who may come in, and who may not.

Each route is asked with every method it takes, with an empty form. Ids that do not exist stand for its other
parameters: who is let in may be told that there is no such thing, but never that it is forbidden; who is not let in is
told the same as always. What comes back as a list names the routes that break the rule.
"""

import re

import httpx
import pytest
from starlette.routing import Route

from relance.core.people import Role
from relance.web.console import OPEN, PAGES
from relance.web.security.needs import needed_by
from web.house import House

ROUTES = [(method, route) for route in PAGES for method in sorted((route.methods or set()) - {"HEAD"})]
CHANGES = [(method, route) for method, route in ROUTES if method != "GET"]


def path_of(route: Route, workspace: str) -> str:
    """Return the route's path in a workspace, with ids that do not exist."""
    return re.sub(r"\{[^}]+\}", "999999", route.path.replace("{workspace}", workspace))


async def ask(browser: httpx.AsyncClient, method: str, route: Route, workspace: str = "acme") -> httpx.Response:
    """Ask once; of what streams without end only the head is read."""
    async with browser.stream(method, path_of(route, workspace)) as answer:
        return answer


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.path)
def test_a_page_says_what_it_needs_and_in_which_workspace(route: Route):
    """A page without `@needs` would be open to everybody."""
    assert route.path.startswith("/w/{workspace}")
    assert isinstance(needed_by(route.endpoint), Role)


def test_what_is_open_is_what_lets_people_in():
    """A page more in this list is a page that anybody on the net may see."""
    assert {"/", "/login", "/logout", "/welcome/{token}", "/demo/{token}", "/theme"} == {route.path for route in OPEN}


async def test_who_is_not_logged_in_is_sent_to_the_login(house: House):
    """Whatever the page, and whether it exists or not."""
    wrong = []
    async with house.stranger() as browser:
        for method, route in ROUTES:
            answer = await ask(browser, method, route)
            if answer.status_code != 303 or not answer.headers["location"].startswith("/login"):
                wrong.append((method, route.path, answer.status_code))

    assert [] == wrong


@pytest.mark.parametrize("workspace", ["acme", "nowhere"])
async def test_a_member_of_another_workspace_finds_nothing(house: House, workspace: str):
    """And the same nothing as in a workspace that does not exist."""
    wrong = []
    async with house.browser("stranger") as browser:
        for method, route in ROUTES:
            answer = await ask(browser, method, route, workspace)
            if answer.status_code != 404:
                wrong.append((method, route.path, answer.status_code))

    assert [] == wrong


@pytest.mark.parametrize("role", Role)
async def test_a_role_that_is_enough_comes_in_and_no_other(house: House, role: Role):
    """The answer to a role that is too low is 403, and nothing else is; nothing breaks."""
    wrong = []
    async with house.browser(role) as browser:
        for method, route in ROUTES:
            needed = needed_by(route.endpoint)
            answer = await ask(browser, method, route)
            if needed is None or role.may(needed) != (answer.status_code != 403) or answer.status_code >= 500:
                wrong.append((method, route.path, answer.status_code))

    assert [] == wrong


async def test_a_change_without_the_forms_token_is_refused(house: House):
    """Also for an owner: another site's page can make their browser send it."""
    wrong = []
    async with house.browser("owner", form=False) as browser:
        for method, route in CHANGES:
            answer = await ask(browser, method, route)
            if answer.status_code != 403:
                wrong.append((method, route.path, answer.status_code))

    assert CHANGES
    assert [] == wrong
