"""Every page as people see it: in both themes, from a phone to a wall, by keyboard, and without scripts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from browser.looking import complaints, violations

#: Pages of the navigation, and pages behind them, by the text of a link on the page before.
PAGES = (
    "today", "sequences", "leads", "inbox", "mailboxes", "numbers", "forecast", "stuck", "suppressions", "doctor",
    "settings", "sequences/1", "sequences/1/try", "sequences/1/edit", "mailboxes/1", "mailboxes/new",
    "mailboxes/domains", "mailboxes/import", "leads/1", "leads/new", "leads/import", "inbox/1", "settings/people",
    "settings/keys", "settings/audit", "settings/defaults", "settings/account", "audit/demo", "audit/demo/who",
)  # fmt: skip
PATIENCE = 15_000  #: Milliseconds that a page has for what a test waits for.
PHONE: ViewportSize = {"width": 360, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 860}
WALL: ViewportSize = {"width": 3840, "height": 2160}


@pytest.fixture(scope="module")
def owner(chromium: Browser, demo: str) -> BrowserContext:
    """Return a context in which the demo's owner is logged in."""
    context = chromium.new_context(viewport=DESK)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(demo)
    page.get_by_role("button", name="Pause").first.click()
    page.close()
    return context


@pytest.fixture
def page(owner: BrowserContext) -> Iterator[Page]:
    """Return a new page of theirs."""
    opened = owner.new_page()
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


def place(demo: str, name: str) -> str:
    """Return the address of a page of the demo's workspace."""
    return f"{demo.partition('/demo/')[0]}/w/default/{name}"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_nothing_that_axe_finds_and_no_error_in_either_theme(demo: str, page: Page, name: str):
    """Contrast, names of fields, order of headings; and the content policy refuses nothing of ours."""
    heard = complaints(page)
    page.emulate_media(reduced_motion="reduce")  # a colour on its way to the other theme has no contrast yet
    answer = page.goto(place(demo, name))
    found = {"light": violations(page)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = violations(page)

    assert answer is not None
    assert 200 == answer.status
    assert {"light": [], "dark": []} == found
    assert [] == heard


@pytest.mark.parametrize("name", PAGES)
def test_a_page_never_scrolls_sideways(demo: str, page: Page, name: str):
    """From a phone to a wall: what is wider than the screen scrolls in a box of its own."""
    page.goto(place(demo, name))
    wide = {}
    for size in (PHONE, DESK, WALL):
        page.set_viewport_size(size)
        wide[size["width"]] = page.evaluate("document.documentElement.scrollWidth")

    assert [] == [width for width, needed in wide.items() if needed > width]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_without_scripts(demo: str, owner: BrowserContext, chromium: Browser, name: str):
    """All that it says is in what the server sends."""
    with chromium.new_context(java_script_enabled=False, storage_state=owner.storage_state()) as context:
        page = context.new_page()
        page.goto(place(demo, name))

        assert page.get_by_role("heading", level=1).inner_text()
        assert page.get_by_role("navigation", name="Pages").get_by_role("link").count() >= 11


def test_the_keyboard_goes_everywhere(demo: str, page: Page):
    """`g` and a letter; the first Tab offers to skip the navigation; `?` lists the keys."""
    page.goto(place(demo, "today"))
    page.keyboard.press("Tab")
    assert "Skip to the page" == page.evaluate("document.activeElement.textContent")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/sequences")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog", name="Keys").is_visible()


def test_a_person_chooses_light_or_dark_and_keeps_it(demo: str, page: Page):
    """Whatever the system says."""
    page.goto(place(demo, "today"))
    page.get_by_role("button", name="Dark").click()
    page.wait_for_url("**/today")

    assert "dark" == page.evaluate("document.documentElement.dataset.theme")
    page.get_by_role("button", name="Light").click()
    page.wait_for_url("**/today")
    assert "light" == page.evaluate("document.documentElement.dataset.theme")


def test_a_sequence_is_built_and_undone_by_keyboard_alone(demo: str, page: Page):
    """Every button can be reached, and what was typed is saved on the way to another step."""
    page.goto(place(demo, "sequences"))
    page.get_by_label("Name").focus()
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    page.wait_for_url("**/edit")
    page.get_by_role("button", name="E-mail").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Subject", exact=True).focus()
    page.keyboard.type("Hello")
    page.keyboard.press("Tab")
    page.keyboard.type("Hi {{ first_name }}")
    page.keyboard.press("Control+s")

    page.get_by_text("sound").wait_for()
    page.locator("#insert-wait").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Wait 2 of 2").wait_for()
    page.locator("#undo").focus()
    page.keyboard.press("Enter")
    page.locator(".flow a.step").nth(1).wait_for(state="detached")

    assert 1 == page.locator(".flow a.step").count()


def test_who_saves_second_keeps_what_they_typed_and_sees_what_changed(demo: str, owner: BrowserContext, page: Page):
    """In two windows as for two people."""
    page.goto(place(demo, "sequences"))
    page.get_by_label("Name").fill("for two")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/edit")
    page.get_by_role("button", name="E-mail").click()
    page.get_by_label("Subject", exact=True).fill("Mine")
    other = owner.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(page.url)
    other.get_by_label("Text", exact=True).fill("Theirs")
    other.locator("#step-save").click()
    other.locator("#undo", has_text="step intro was changed").wait_for()
    other.close()
    page.locator("#step-save").click()
    page.get_by_text("changed this draft meanwhile").wait_for()

    assert "Mine" == page.get_by_label("Subject", exact=True).input_value()
    assert page.get_by_text("theirs: Theirs").is_visible()
    page.locator("#step-save").click()
    page.get_by_text("changed this draft meanwhile").wait_for(state="detached")
    assert "Mine" == page.get_by_label("Subject", exact=True).input_value()
