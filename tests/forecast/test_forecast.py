"""What a forecast says of a small installation, and that asking changes nothing."""

from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

from forecast.founders import MONDAY, SEQUENCE, Founders
from relance.app.copying import copy_of
from relance.core.attempt import Attempt
from relance.core.enrollment import Enrollment
from relance.core.sequence import Window
from relance.forecast.answer import Limit
from relance.forecast.asking import relief
from relance.services import enrollments
from relance.services.refusals import NotFoundError, RefusedError
from relance.testing.fake_checker import FakeChecker


def per_day(found):
    """Return how many leave on each day."""
    return {day: used.total() for day, used in found.days.items()}


async def test_everybody_gets_every_step_within_the_caps(founders: Founders):
    """Ten people, three steps, two mailboxes of four a day: nobody is left, and no day holds more than eight."""
    found = await founders.ask()

    assert 30 == len(found.sends)
    assert 30 == len({(send.email, send.step) for send in found.sends})
    assert 8 == max(per_day(found).values())
    assert {"completed": 10} == found.courses[0].ended
    assert {} == found.courses[0].unfinished
    assert found.done_at == found.courses[0].done_at is not None


async def test_asking_changes_nothing(founders: Founders):
    """Neither a row nor a file of the installation is touched, and a second answer is the first."""

    def rows(reader):
        people = enrollments.chosen(reader, workspace_id=1, sequence_name=None, email=None)
        return people, [
            reader.all(Attempt, "attempts.of_enrollment", workspace_id=1, enrollment_id=p.id) for p in people
        ]

    data = founders.installation.config.data
    before, files = await founders.installation.read(rows), sorted(path.name for path in data.iterdir())

    first = await founders.ask(reply_rate=0.5, bounce_rate=0.2)
    second = await founders.ask(reply_rate=0.5, bounce_rate=0.2)

    assert first == second
    assert before == await founders.installation.read(rows)
    assert files == sorted(path.name for path in data.iterdir())
    assert all(isinstance(each, Enrollment) for each in before[0])


async def test_who_waits_behind_full_mailboxes_is_the_bottleneck(founders: Founders):
    """Ten people and eight places a day: two wait on the first day, and more mailboxes end it sooner."""
    found = await founders.ask()
    (bottleneck,) = found.bottlenecks
    more = await relief(founders.installation, founders.question(), found)

    assert (Limit.DAILY_CAP, "default") == (bottleneck.limit, bottleneck.pool)
    assert date(2026, 11, 30) <= bottleneck.until
    assert 2 == bottleneck.most
    assert more is not None
    assert 1 == more.mailboxes
    assert found.done_at is not None
    assert more.done_at < found.done_at


async def test_with_room_for_everybody_nothing_is_a_bottleneck(founders: Founders):
    """Other caps, supposed: ten on each day of a step, nobody waits, and no relief is offered."""
    found = await founders.ask(daily_cap=20)

    assert {10} == set(per_day(found).values())
    assert [] == found.bottlenecks
    assert None is await relief(founders.installation, founders.question(), found)


async def test_more_mailboxes_can_be_supposed(founders: Founders):
    """Four mailboxes of four a day write to ten people at once; they are like the one connected last."""
    found = await founders.ask(mailboxes=4)

    assert {10} == set(per_day(found).values())
    assert 4 == found.mailboxes
    assert {"ours.example"} == {send.mailbox.partition("@")[2] for send in found.sends}


async def test_fewer_mailboxes_than_there_are_is_refused(founders: Founders):
    """The sentence says how many there are."""
    with pytest.raises(RefusedError, match="2 mailboxes already"):
        await founders.ask(mailboxes=1)


async def test_another_window_can_be_supposed(founders: Founders):
    """On Tuesdays only, every message leaves on a Tuesday."""
    tuesdays = Window(timezone="Europe/Berlin", days=frozenset({1}))

    found = await founders.ask(window=tuesdays)

    assert {1} == {send.planned_at.weekday() for send in found.sends}
    assert 30 == len(found.sends)


async def test_who_answers_or_bounces_gets_nothing_more(founders: Founders):
    """All answer, or none exists: one or two messages each, and the courses say why."""
    answered = await founders.ask(reply_rate=1.0)
    bounced = await founders.ask(bounce_rate=1.0)

    assert {"replied": 10} == answered.courses[0].ended
    assert 10 <= len(answered.sends) < 30
    assert {"bounced": 10} == bounced.courses[0].ended
    assert [] == bounced.sends


async def test_a_forecast_ends_where_it_was_told_to(founders: Founders):
    """After one day the first eight are under way and nobody is done."""
    found = await founders.ask(days=1)

    assert 8 == len(found.sends)
    assert {"active": 10} == found.courses[0].unfinished
    assert None is found.done_at
    assert (found.until - MONDAY).days <= 1


async def test_an_unknown_sequence_is_named(founders: Founders):
    """Asking about what is not there is refused."""
    with pytest.raises(NotFoundError, match="'autumn'"):
        await founders.ask(sequence="autumn")


@pytest.mark.postgres
async def test_both_databases_foresee_the_same(founders: Founders, founders_over_postgres: Founders):
    """The same people over PostgreSQL: as many on each day. The gaps differ, for they follow from ids."""
    over_sqlite, over_postgres = await founders.ask(), await founders_over_postgres.ask()

    assert per_day(over_sqlite) == per_day(over_postgres)
    assert over_sqlite.courses[0].ended == over_postgres.courses[0].ended


async def test_what_is_attached_is_foreseen_without_being_read(founders: Founders, tmp_path: Path):
    """Its content stays behind when the state is copied, and nobody is held for want of it."""
    offer = b"%PDF-1.7" * 1000
    (tmp_path / "offer.pdf").write_bytes(offer)
    await founders.publish(SEQUENCE.replace('company }}."}', 'company }}.", attachments: [offer.pdf]}', 1), tmp_path)
    await founders.enroll(tmp_path, 12)
    found = await founders.ask()
    copy = await copy_of(founders.installation)
    ids = {"workspace_id": 1, "sha256": sha256(offer).hexdigest()}
    there = await founders.installation.read(lambda reader: reader.one(int, "attachments.is_kept", **ids))
    copied = await copy.read(lambda reader: reader.one(int, "attachments.is_kept", **ids))
    await copy.close()

    assert 12 * 3 == sum(per_day(found).values())
    assert {} == found.courses[0].unfinished
    assert (1, None) == (there, copied)


async def test_addresses_are_supposed_to_be_right_and_nobody_is_asked(founders: Founders, tmp_path: Path):
    """A forecast asks no name server, and lets nobody wait for an answer that it cannot have."""
    founders.installation.addresses = checker = FakeChecker()
    both = "verification: rcpt\nmatch_provider: prefer\n"
    await founders.publish(SEQUENCE.replace("steps:", f"{both}steps:", 1), tmp_path)
    await founders.enroll(tmp_path, 12)
    found = await founders.ask()

    assert 12 * 3 == sum(per_day(found).values())
    assert {} == found.courses[0].unfinished
    assert [] == checker.asked
