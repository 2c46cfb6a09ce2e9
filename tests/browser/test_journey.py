"""The whole way of a new user in the browser, against the sandbox's servers: from the first link to an answer.

One test, since each step needs the one before; what it says at each step is what a person would look for there.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from acceptance.live_sandbox import LiveSandbox
from browser.looking import Console, complaints

ANN, BEN = "ann.miller@plastics.example", "ben.smith@tools.example"
INTRO, BUMP = "This is step intro.", "This is step bump."
ANSWERED_AFTER = 6.0  #: Seconds: by then the sequence's page is on screen.
PATIENCE = 30_000  #: Milliseconds that the engine, the servers and the people have for one step of the journey.


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[LiveSandbox]:
    """Run the mail servers; Ann answers the first message soon after she has it."""
    with LiveSandbox(
        tmp_path / "world", seed=7, steps=("intro", "bump"), answering={ANN: "intro"}, answer_after=ANSWERED_AFTER
    ) as live:
        yield live


@pytest.mark.timeout(240)
def test_from_the_first_link_to_an_answer_in_the_thread(
    chromium: Browser, console: Console, sandbox: LiveSandbox, tmp_path: Path
):
    """A mailbox, leads, a sequence with a branch built by hand, a reply that stops the run while one looks on."""
    with console.product.engine("--bind", console.bind) as engine:
        context = chromium.new_context(base_url=console.url)
        context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page = context.new_page()
        heard = complaints(page)
        become_the_owner(page, console.first_link(engine))
        connect_a_mailbox(page, sandbox)
        build_a_sequence(page)
        import_people(page, tmp_path)
        watch_the_reply_stop_the_run(page)
        answer_in_the_thread(page, sandbox)
        read_why_on_the_leads_page(page)
        let_a_viewer_in(page, chromium, console)
        without_scripts(context.storage_state(), chromium, console)

        assert [] == heard
        assert 0 == engine.terminate()


def become_the_owner(page: Page, link: str) -> None:
    """By the link that the terminal shows; it counts once."""
    page.goto(link)
    page.get_by_label("E-mail").fill("owner@acme.example")
    page.get_by_label("Name").fill("Olga Owner")
    page.get_by_label("Password").fill("a long enough password")
    page.get_by_role("button", name="Come in").click()
    page.wait_for_url("**/today")
    expect(page.get_by_text("Connect a mailbox first")).to_be_visible()


def connect_a_mailbox(page: Page, sandbox: LiveSandbox) -> None:
    """Try it before it is connected: log in, write to itself, find that again."""
    account = sandbox.world.accounts[0]
    page.get_by_role("link", name="To Mailboxes").click()
    page.get_by_role("link", name="Connect a mailbox").first.click()
    page.get_by_label("Address that you write from").fill(account.address)
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("Password").fill(account.password)
    page.get_by_label("Server that sends").fill(str(account.smtp))
    page.get_by_label("Server that is read").fill(str(account.imap))
    page.get_by_text("Another login, or a certificate of its own").click()
    page.get_by_label("Login", exact=True).fill(account.username)
    if account.ca_file is not None:
        page.get_by_label("Certificate authority").fill(str(account.ca_file))
    page.get_by_role("button", name="Try it and connect").click()
    page.wait_for_url("**/mailboxes/*")
    expect(page.get_by_role("heading", level=1)).to_contain_text(account.address)


def build_a_sequence(page: Page) -> None:
    """Write to everybody, lead those who answered to the end, and follow up with the others."""
    page.get_by_role("link", name="Sequences", exact=True).click()
    page.get_by_label("Name").fill("founders")
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Messages leave").select_option("always")
    page.get_by_role("button", name="Save the settings").click()
    page.get_by_role("button", name="E-mail").click()
    page.get_by_label("Subject", exact=True).fill("A question, {{ first_name }}")
    page.get_by_label("Text", exact=True).fill(f"Hello {{{{ first_name }}}},\n\n{INTRO}")
    page.locator("#insert-branch").click()
    expect(page.get_by_role("heading", name="Branch 2 of 2")).to_be_visible()
    page.locator("#insert-email").click()
    expect(page.get_by_text("text is empty")).to_be_visible()
    page.get_by_label("Text", exact=True).fill(f"Hello again,\n\n{BUMP}")
    page.get_by_role("button", name="Save the step").click()
    expect(page.get_by_text("sound", exact=True)).to_be_visible()
    page.get_by_role("link", name="Publish…").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("founders version 1 is published.")).to_be_visible()
    expect(page.locator(".flow a.step")).to_have_count(3)


def import_people(page: Page, folder: Path) -> None:
    """Take a file and its columns by guess, look at what would happen, and do it."""
    file = folder / "people.csv"
    file.write_text(f"E-Mail,Vorname\n{ANN},Ann\n{BEN},Ben\nnobody,No\n", encoding="utf-8")
    page.get_by_role("link", name="Leads", exact=True).click()
    page.get_by_role("link", name="Import a file").first.click()
    page.get_by_label("A CSV file with an e-mail column").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    page.get_by_label("Enroll them into").select_option("founders")
    page.get_by_role("button", name="See what would happen").click()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("2 were enrolled")).to_be_visible()


def watch_the_reply_stop_the_run(page: Page) -> None:
    """Nobody reloads: the page hears of it and fetches itself anew."""
    page.get_by_role("link", name="Sequences", exact=True).click()
    page.get_by_role("link", name="founders").click()
    first = page.locator(".flow a.step").first
    expect(first).to_contain_text("1 sent · 0.0 % replied")
    expect(first).to_contain_text("1 sent · 100.0 % replied")


def answer_in_the_thread(page: Page, sandbox: LiveSandbox) -> None:
    """Let it leave from the mailbox that was answered, after the seconds in which it can be taken back."""
    before = len(sandbox.steps_of(ANN))
    page.get_by_role("link", name="Inbox").first.click()
    page.get_by_role("link", name=ANN).first.click()
    page.get_by_label("Your answer").fill("Thank you, Ann. Shall we talk on Friday?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("button", name="Take it back")).to_be_visible()
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)
    expect(page.get_by_text("Shall we talk on Friday?").first).to_be_visible()

    assert before + 1 == len(sandbox.steps_of(ANN))


def read_why_on_the_leads_page(page: Page) -> None:
    """Everything that happened, and why nothing more will."""
    page.get_by_role("link", name="Leads", exact=True).click()
    page.get_by_role("link", name=ANN).click()
    expect(page.get_by_text("replied").first).to_be_visible()
    expect(page.get_by_text("stopped").first).to_be_visible()


def let_a_viewer_in(page: Page, chromium: Browser, console: Console) -> None:
    """They see everything and change nothing."""
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="People").click()
    page.get_by_label("E-mail").fill("viewer@acme.example")
    page.get_by_label("Role", exact=True).last.select_option("viewer")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_text(f"{console.url}/welcome/").first.inner_text().strip()
    with chromium.new_context(color_scheme="dark", viewport={"width": 360, "height": 740}) as context:
        context.set_default_timeout(PATIENCE)
        seen = context.new_page()
        seen.goto(link[link.index("http") :].split()[0])
        seen.get_by_label("Password").fill("another long password")
        seen.get_by_role("button", name="Come in").click()
        seen.wait_for_url("**/today")
        seen.goto(f"{console.url}/w/default/sequences/1")
        expect(seen.get_by_role("heading", level=1)).to_contain_text("founders")
        assert 0 == seen.get_by_role("button", name="Pause").count()
        answer = seen.goto(f"{console.url}/w/default/sequences/1/edit")
        assert answer is not None
        assert 403 == answer.status


def without_scripts(storage: object, chromium: Browser, console: Console) -> None:
    """Read the same pages, with all that they say."""
    with chromium.new_context(java_script_enabled=False, storage_state=storage) as context:  # type: ignore[arg-type]  # as it was given
        page = context.new_page()
        page.goto(f"{console.url}/w/default/sequences/1")
        expect(page.locator(".flow a.step").first).to_contain_text("100.0 % replied")
        page.goto(f"{console.url}/w/default/inbox?state=all")
        expect(page.get_by_text(ANN).first).to_be_visible()
