"""What the browser's tests look at pages with."""

import re
from dataclasses import dataclass

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from acceptance.product import Engine, Product
from acceptance.realservers.waiting import wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """An installation, and where its console is once its engine runs."""

    product: Product
    bind: str

    @property
    def url(self) -> str:
        """Where its pages begin."""
        return f"http://{self.bind}"

    def first_link(self, engine: Engine, within: float = 30.0) -> str:
        """Return the link by which the first owner comes in, as the terminal shows it."""
        found = wait_until(
            lambda: first(r"http://\S+/welcome/[\w-]+", engine.said()), within, what="the link for the first owner"
        )
        assert found is not None
        return found


def first(pattern: str, text: str) -> str | None:
    """Return what a text says first that looks like this."""
    found = re.search(pattern, text)
    return found[0] if found else None


def violations(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a page: rule, and where."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:140]}" for one in found for node in one["nodes"]]


def complaints(page: Page) -> list[str]:
    """Return a list that every error the page has from now on is put into: refused content, scripts that fail."""
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("console", lambda said: heard.append(said.text) if said.type == "error" else None)
    return heard
