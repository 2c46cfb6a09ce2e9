"""Sequences in the browser: begun, built step by step, undone, tried, published; and by two people at once."""

import re
from typing import Any

import httpx
import pytest

from relance.services import drafts, sequences
from relance.services.sequence_files.editing import steps_of
from relance.testing import builders
from web.house import House


async def begun(browser: httpx.AsyncClient, house: House, name: str = "founders") -> str:
    """Begin a sequence and return where its pages are."""
    answer = await browser.post(house.path("sequences/new"), data={"name": name})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/edit")


async def sent(browser: httpx.AsyncClient, path: str, **fields: Any) -> httpx.Response:
    """Send a form of the builder for the draft as it is now."""
    page = await browser.get(f"{path}/edit")
    revision = re.search(r'name="revision" value="(\d+)"', page.text)
    assert revision is not None, page.text
    return await browser.post(f"{path}/edit", data={"revision": revision[1], **fields})


async def document_of(house: House, path: str) -> dict[str, Any]:
    """Return what a draft says."""
    found = await house.installation.read(
        drafts.of_sequence, workspace_id=house.workspace.id, sequence_id=int(path.rpartition("/")[2])
    )
    assert found is not None
    return dict(found.document)


EMAIL = {"kind": "email", "id": "intro", "subject": "Hello {{ company }}", "text": "Hi {{ first_name }}"}


async def built(browser: httpx.AsyncClient, house: House) -> str:
    """Build a sequence of one e-mail."""
    path = await begun(browser, house)
    await sent(browser, path, do="append:email")
    await sent(browser, path, do="save", position=0, step_id="intro", **EMAIL)
    return path


async def test_a_sequence_is_built_with_every_kind_of_step_and_published(house):
    """Nobody has to know how its file is written."""
    browser = house.browser()
    path = await built(browser, house)
    await sent(browser, path, do="append:branch")
    branch = {"kind": "branch", "id": "answered", "asks": "replied", "within_amount": 72, "within_unit": "h"}
    await sent(browser, path, do="insert:wait", position=1, **branch, then="stop")
    await sent(browser, path, do="insert:email", position=2, kind="wait", id="rest", for_amount=2, for_unit="d")
    await sent(
        browser, path, do="variant", position=3, kind="email", id="bump", after_amount=3, after_unit="bd", text="?"
    )
    said = await browser.post(f"{path}/publish", data={"revision": (await draft_of(house, path)).revision})
    page = await browser.get(path)

    assert said.status_code == 303, said.text
    steps = (await sequences_document(house))["steps"]
    assert ["intro", "answered", "rest", "bump"] == [step["id"] for step in steps]
    assert ["email", "branch", "wait", "email"] == [step["kind"] for step in steps]
    assert ("72h", "stop", "2d", "3bd") == (
        steps[1]["if"]["replied"]["within"],
        steps[1]["then"],
        steps[2]["for"],
        steps[3]["after"],
    )
    assert ["a", "b"] == [variant["id"] for variant in steps[3]["variants"]]
    assert "founders version 1 is published." in page.text
    assert page.text.count('class="step"') == 4


async def draft_of(house: House, path: str) -> Any:
    """Return a draft."""
    return await house.installation.read(
        drafts.of_sequence, workspace_id=house.workspace.id, sequence_id=int(path.rpartition("/")[2])
    )


async def sequences_document(house: House, name: str = "founders") -> Any:
    """Return the document of a running version."""
    found = await house.installation.read(sequences.by_name, house.workspace.id, name)
    running = await house.installation.read(sequences.running_version, found)
    assert running is not None
    return running.document


async def test_a_problem_stands_at_its_field(house):
    """And the draft is kept as it is typed, problem and all."""
    browser = house.browser()
    path = await begun(browser, house)
    await sent(browser, path, do="append:email")
    page = await browser.get(f"{path}/edit?step=1")

    assert 'id="f-subject-error"' in page.text
    assert 'id="f-text-error"' in page.text
    assert "text is empty" in page.text


async def test_every_setting_is_kept_and_what_goes_without_saying_stays_out(house):
    """The form has a field for every key above the steps; untouched, it adds nothing to the file."""
    browser = house.browser()
    path = await built(browser, house)
    page = await browser.get(f"{path}/edit")
    form = re.search(r'<form method="post"[^>]*data-keeps>(.*?)</form>', page.text, re.DOTALL)
    assert form is not None
    before = await document_of(house, path)
    await sent(browser, path, do="settings", **fields_of(form[1]))
    assert before == await document_of(house, path)
    await sent(
        browser,
        path,
        do="settings",
        **fields_of(form[1])
        | {"window_by": "always", "daily_cap": "50", "on_reply": "hold", "holdout": "5", "frequency_messages": "1"}
        | {"frequency_per_amount": "2", "frequency_per_unit": "d", "mailboxes_by": "named"}
        | {"mailboxes_named": "ann@acme.example\n@acme.example", "stop_scope": "company"},
    )
    after = await document_of(house, path)

    assert {
        "window": "always",
        "daily_cap": 50,
        "on_reply": "hold",
        "holdout": "5%",
        "frequency_cap": {"messages": 1, "per": "2d"},
        "mailboxes": ["ann@acme.example", "@acme.example"],
        "stop_scope": "company",
    }.items() <= after.items()


def fields_of(form: str) -> dict[str, Any]:
    """Return what a browser would send of a form that nobody touches."""
    typed = dict(re.findall(r'<input id="[^"]*" name="([^"]+)" type="text" value="([^"]*)"', form))
    options = re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL)
    chosen = {name: "".join(re.findall(r'value="([^"]*)" selected', inside)[:1]) for name, inside in options}
    days = re.findall(r'name="window_days" type="checkbox" value="(\w+)" checked', form)
    return {**typed, **chosen, "window_days": days}


async def test_who_was_slower_sees_both_and_saves_on_top(house):
    """What they typed stays in the form; what the other changed is named."""
    ann, bo = house.browser("member"), house.browser("admin")
    path = await built(ann, house)
    page = await ann.get(f"{path}/edit?step=1")
    seen = re.search(r'name="revision" value="(\d+)"', page.text)
    assert seen is not None
    await sent(bo, path, do="save", position=0, step_id="intro", **{**EMAIL, "text": "Good day"})
    mine = {**EMAIL, "subject": "My subject", "do": "save", "position": 0, "step_id": "intro"}
    refused = await ann.post(f"{path}/edit", data={"revision": seen[1], **mine})

    assert refused.status_code == 409
    assert "admin@acme.example changed this draft meanwhile" in refused.text
    assert 'value="My subject"' in refused.text
    assert "Good day" in refused.text
    again = re.search(r'name="revision" value="(\d+)"', refused.text)
    assert again is not None
    await ann.post(f"{path}/edit", data={"revision": again[1], **mine})
    assert "My subject" == steps_of(await document_of(house, path))[0]["subject"]


async def test_undo_takes_the_last_change_back(house):
    """One click, one change."""
    browser = house.browser()
    path = await built(browser, house)
    draft = await draft_of(house, path)
    await browser.post(f"{path}/edit/undo", data={"revision": draft.revision})

    assert "" == steps_of(await document_of(house, path))[0]["text"]


async def test_the_file_goes_out_and_comes_in_again_as_it_was(house):
    """YAML and JSON alike."""
    browser = house.browser()
    path = await built(browser, house)
    for ending in ("yaml", "json"):
        file = await browser.get(f"{path}/file.{ending}?of=draft")
        answer = await browser.post(
            house.path("sequences/new"), data={"name": f"from {ending}"}, files={"file": (f"x.{ending}", file.content)}
        )
        other = answer.headers["location"].removesuffix("/edit")

        assert f'filename="founders.{ending}"' in file.headers["content-disposition"]
        assert (await document_of(house, path))["steps"] == (await document_of(house, other))["steps"]


async def test_a_preview_marks_what_a_lead_lacks(house):
    """By the very renderer that sends."""
    browser = house.browser()
    path = await built(browser, house)
    await house.installation.write(builders.lead, house.workspace, "ann@lead.example", first_name="Ann")
    page = await browser.get(f"{path}/try?lead=ann@lead.example")

    assert "Hi Ann" in page.text
    assert "Hello <mark>[company]</mark>" in page.text
    assert "misses company" in page.text


async def test_an_html_part_is_shown_in_a_frame_that_may_do_nothing(house):
    """With its own styles, and without scripts or remote pictures, whoever wrote it."""
    browser = house.browser()
    path = await built(browser, house)
    html = "<p style='color: red'>Hi {{ first_name }}</p><script>alert(1)</script>"
    await sent(browser, path, do="save", position=0, step_id="intro", **EMAIL, html=html)
    page = await browser.get(f"{path}/try")
    part = await browser.get(f"{path}/try/part?step=intro")
    policy = part.headers["content-security-policy"]

    assert "<iframe sandbox " in page.text
    assert "color: red" in part.text
    assert policy.startswith("default-src 'none'")
    assert policy.endswith("sandbox")


async def test_a_file_is_attached_by_uploading_it(house):
    """It stands among the step's attachments, ticked; unticked, it goes."""
    browser = house.browser()
    path = await built(browser, house)
    draft = await draft_of(house, path)
    fields = {"revision": str(draft.revision), "do": "save", "position": "0", "step_id": "intro", **EMAIL}
    await browser.post(f"{path}/edit", data=fields, files={"upload": ("offer.pdf", b"%PDF-1.7 an offer")})
    page = await browser.get(f"{path}/edit?step=1")
    attached = (await document_of(house, path))["steps"][0]["attachments"]
    await sent(browser, path, do="save", position=0, step_id="intro", **EMAIL)

    assert ["offer.pdf"] == attached
    assert 'value="offer.pdf" checked' in page.text
    assert "attachments" not in (await document_of(house, path))["steps"][0]


async def test_publishing_says_what_changes_and_who_is_affected(house):
    """Before anything happens."""
    browser = house.browser()
    path = await built(browser, house)
    await browser.post(f"{path}/publish", data={"revision": (await draft_of(house, path)).revision})
    lead = await house.installation.write(builders.lead, house.workspace, "ann@lead.example", first_name="Ann")
    await house.installation.write(builders.enrollment, house.workspace, lead, "founders")
    await browser.post(f"{path}/edit/open")
    await sent(browser, path, do="save", position=0, step_id="intro", **{**EMAIL, "text": "Good day"})
    page = await browser.get(f"{path}/publish")

    assert "1 person is on the way and stays on the version" in page.text
    assert "Good day" in page.text
    assert "against version 1" in page.text


@pytest.mark.parametrize("page", ["", "/edit", "/try", "/publish", "/file.yaml"])
async def test_a_sequence_of_another_workspace_is_not_there(house, page):
    """Whatever the page."""
    browser, stranger = house.browser(), house.browser("stranger")
    path = await built(browser, house)
    number = path.rpartition("/")[2]
    answer = await stranger.get(f"/w/other/sequences/{number}{page}")

    assert answer.status_code == 404


async def test_pausing_and_resuming_from_the_page(house):
    """The same services as the command line's."""
    browser = house.browser()
    path = await built(browser, house)
    await browser.post(f"{path}/publish", data={"revision": (await draft_of(house, path)).revision})
    await browser.post(f"{path}/do/pause")
    paused = await browser.get(path)
    await browser.post(f"{path}/do/resume")
    live = await browser.get(path)

    assert "everybody stays in place" in paused.text
    assert "founders is live." in live.text
