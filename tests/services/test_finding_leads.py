"""Who matches a filter: page after page, everybody once, whichever index they come from."""

from datetime import timedelta
from typing import Any

import pytest

from relance.core.enrollment import Enrollment
from relance.services import enrollments, lead_lists, lead_search, leads
from relance.services.lead_filters import Filter, from_words, to_words
from relance.services.lead_lines import Line, lines_of
from relance.services.lead_search import Match, Page, find
from relance.services.refusals import NotFoundError, WrongInputError
from relance.testing import builders, letters
from services.life import Life, Scene

PEOPLE = ("ann@lead.example", "anton@lead.example", "bea@other.example", "cid@lead.example", "dora@third.example")


@pytest.fixture
async def scene(life: Life) -> Scene:
    """Return five people: ann, anton and bea in q4, anton in q5 too; cid and dora in nothing; ann and cid on a list."""
    scene = await life.scene(email=PEOPLE[0])

    def write(tx: Any) -> None:
        acme = scene.workspace
        made = {email: builders.lead(tx, acme, email) for email in PEOPLE}
        builders.published(tx, acme, builders.plan(name="q5"))
        builders.enrollment(tx, acme, [made[email] for email in PEOPLE[1:3]])
        builders.enrollment(tx, acme, made[PEOPLE[1]], "q5")
        chosen = [made[PEOPLE[0]].id, made[PEOPLE[3]].id]
        lead_lists.put(tx, workspace_id=acme.id, name=" friends  of ours ", lead_ids=chosen, now=life.now)

    await life.store.write(write)
    return scene


async def page(life: Life, scene: Scene, limit: int = 50, after: int | None = None, **words: str) -> Page:
    """Return one page."""
    return await life.store.read(
        find,
        workspace_id=scene.workspace.id,
        asked=from_words(words),
        now=life.now,
        limit=limit,
        after=after,
    )


async def everybody(life: Life, scene: Scene, limit: int = 50, **words: str) -> list[Line]:
    """Return the lines of every page, one page after the other."""
    found: list[Match] = []
    after: int | None = None
    while True:
        one = await page(life, scene, limit, after, **words)
        found += one.matches
        after = one.after
        if after is None:
            return await life.store.read(lines_of, workspace_id=scene.workspace.id, matches=found, now=life.now)


def names(lines: list[Line]) -> list[str]:
    """Return who that is, in short."""
    return [line.person.email.partition("@")[0] for line in lines]


async def run_of(life: Life, scene: Scene, email: str, sequence: str = "q4") -> int:
    """Return the id of a person's run."""

    def read(reader: Any) -> int:
        lead = leads.by_email(reader, scene.workspace.id, email)
        return builders.enrollment_of(reader, scene.workspace, lead, sequence).id

    return await life.store.read(read)


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
@pytest.mark.parametrize(
    "words, expected",
    [
        ({}, ["dora", "cid", "bea", "anton", "ann"]),
        ({"text": "an"}, ["ann", "anton"]),
        ({"text": "ANN@"}, ["ann"]),
        ({"text": "a%"}, []),
        ({"text": "@lead.example"}, ["cid", "anton", "ann"]),
        ({"list": "friends of ours"}, ["cid", "ann"]),
        ({"list": "friends of ours", "text": "c"}, ["cid"]),
        ({"list": "friends of ours", "status": "active"}, ["ann"]),
        ({"list": "nobody's"}, []),
        ({"status": "none"}, ["dora", "cid"]),
        ({"status": "none", "text": "@third.example"}, ["dora"]),
        ({"sequence": "q4"}, ["bea", "anton", "ann"]),
        ({"sequence": "q5"}, ["anton"]),
        ({"sequence": "q4", "step": "intro", "text": "a"}, ["ann", "anton"]),
        ({"step": "bump"}, []),
        ({"status": "active"}, ["anton", "bea", "anton", "ann"]),
        ({"status": "active", "sequence": "q5"}, ["anton"]),
        ({"status": "paused"}, []),
        ({"replied": "yes"}, []),
        ({"replied": "no", "sequence": "q5"}, ["anton"]),
    ],
)
async def test_everybody_who_matches_is_found_once(life, scene, limit, words, expected):
    """However short the pages are: a page begins where the last one ended."""
    assert expected == names(await everybody(life, scene, limit, **words))


async def test_a_reason_is_why_somebody_stopped_or_is_held_or_waits(life, scene):
    """The lead's own reason stands on its row, a shared one on the mailbox; both are found."""

    def write(tx: Any) -> None:
        ids = {"workspace_id": scene.workspace.id, "now": life.now}
        stopped, paused = ids_of["bea"], ids_of["anton"]
        enrollments.stop(tx, **ids, enrollment_id=stopped, cause="by hand")
        row = builders.enrollment_of(tx, scene.workspace, leads.by_email(tx, scene.workspace.id, PEOPLE[0]))
        until = life.now + timedelta(hours=1)
        reason = {"reason": "lead_hold", "now": life.now, "read_revision": row.revision, "until": until}
        tx.run("enrollments.put_off", workspace_id=scene.workspace.id, id=row.id, **reason)
        other = builders.mailbox(tx, scene.workspace, "cy@acme.example")
        tx.run("mailboxes.put_off", workspace_id=scene.workspace.id, id=other.id, until=until, reason="daily_cap")
        held = tx.one(Enrollment, "enrollments.get", workspace_id=scene.workspace.id, id=paused)
        pinned = {"mailbox_id": other.id, "variants": {}, "read_revision": held.revision}
        tx.run("enrollments.pin", workspace_id=scene.workspace.id, id=paused, **pinned)

    ids_of = {name: await run_of(life, scene, f"{name}@{domain}") for name, domain in _DOMAINS.items()}
    await life.store.write(write)

    assert ["bea"] == names(await everybody(life, scene, reason="manual"))
    assert ["ann"] == names(await everybody(life, scene, reason="lead_hold"))
    assert ["anton"] == names(await everybody(life, scene, reason="daily_cap"))
    assert ["anton"] == names(await everybody(life, scene, mailbox="cy@acme.example"))
    assert [] == names(await everybody(life, scene, reason="gap"))
    [line] = await everybody(life, scene, mailbox="cy@acme.example")
    assert line.run is not None
    assert ("daily_cap", "cy@acme.example") == (line.run.waits_for, line.run.mailbox)


_DOMAINS = {"ann": "lead.example", "anton": "lead.example", "bea": "other.example"}


async def test_who_answered_is_found(life, scene):
    """By their own small index."""
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))

    assert 1 == len(await everybody(life, scene, replied="yes"))


async def test_a_page_looks_at_a_bounded_number_and_says_where_to_go_on(life, scene, monkeypatch):
    """Where few of many match, a page may be empty and yet not the last."""
    monkeypatch.setattr(lead_search, "LOOKED_AT", 2)

    first = await page(life, scene, 1, step="last")

    assert ((), True) == (first.matches, first.after is not None)
    assert [] == names(await everybody(life, scene, 1, step="last"))


async def test_another_workspace_is_another_world(life, scene):
    """Nobody finds other people's leads, whatever they ask."""
    other = await life.scene(email="eve@lead.example", workspace="rival")

    assert ["eve"] == names(await everybody(life, other))
    assert ["eve"] == names(await everybody(life, other, status="active"))
    assert ["eve"] == names(await everybody(life, other, text="@lead.example"))
    assert [] == names(await everybody(life, other, list="friends of ours"))
    with pytest.raises(NotFoundError):
        await page(life, other, sequence="q5")
    with pytest.raises(NotFoundError):
        await page(life, other, mailbox=scene.box.address)


async def test_lists_are_named_without_reading_who_is_on_them(life, scene):
    """Each once, by name."""
    lead = await life.store.write(builders.lead, scene.workspace, "new@lead.example")

    def write(tx: Any) -> tuple[int, int, int]:
        ids = {"workspace_id": scene.workspace.id, "lead_ids": [lead.id]}
        put = lead_lists.put(tx, **ids, name="b", now=life.now)
        again = lead_lists.put(tx, **ids, name="b", now=life.now)
        return put, again, lead_lists.take_off(tx, **ids, name="friends of ours")

    assert (1, 0, 0) == await life.store.write(write)
    assert ["b", "friends of ours"] == await life.store.read(lead_lists.names, scene.workspace.id)
    assert ["b"] == await life.store.read(lead_lists.of_lead, scene.workspace.id, lead.id)


@pytest.mark.parametrize(
    "words",
    [{"status": "sleeping"}, {"replied": "maybe"}, {"status": "none", "sequence": "q4"}, {"text": "x" * 400}],
)
def test_a_filter_that_can_mean_nothing_is_refused(words):
    """With what would be right."""
    with pytest.raises(WrongInputError):
        from_words(words)


def test_a_filter_is_written_as_it_is_read():
    """So that it can be saved and linked to."""
    asked = Filter(status="held", sequence="q4", reason="missing_value", replied=False, text="an", list="a b")

    assert asked == from_words(to_words(asked))


def test_words_of_others_are_left_alone():
    """An address line says more than the filter."""
    assert Filter(status="held") == from_words({"status": " HELD ", "after": "17", "step": " "})
