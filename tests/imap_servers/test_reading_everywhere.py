"""Reading, on every server: what comes in is handed over whole, wherever it lands, and nothing is changed by that."""

import asyncio
from datetime import timedelta

from acceptance.realservers.layouts import Role
from connectors.scripted import LIMIT
from imap_servers.site import Site, subjects
from relance.connectors.smtp_imap.mailbox_connector import LISTING_SECONDS
from relance.ports.connector import FolderRole

MANY = 60  #: More than one batch.


async def test_mail_is_found_wherever_it_lands_with_the_role_of_its_folder(site: Site):
    """INBOX, junk, archive, sent, and a folder that the owner's rules file into: each message once, with its role."""
    reader = site.reader()
    await reader.read()
    filed = site.user_folder("Customers")
    await site.do(site.owner.make, filed)
    site.time.pass_by(LISTING_SECONDS + 1)
    await site.deliver("to the inbox")
    await site.put(site.folder(Role.JUNK).wire, "to junk")
    await site.put(site.folder(Role.SENT).wire, "by hand")
    await site.put(filed, "to a folder")
    found = await reader.read()

    assert {
        ("to the inbox", FolderRole.INBOX),
        ("to junk", FolderRole.JUNK),
        ("by hand", FolderRole.SENT),
        ("to a folder", site.home(filed)[1]),
    } == {(*subjects([message]), message.role) for message in found}
    assert 4 == len(found)
    assert [] == await reader.read()


async def test_first_contact_takes_what_came_after_since_and_leaves_the_rest(site: Site):
    """Whatever else the folder holds, and whatever order it was filed in."""
    await site.put("INBOX", "last year", at=site.now() - timedelta(days=400))
    await site.put("INBOX", "today")
    await site.put("INBOX", "last month", at=site.now() - timedelta(days=40))
    reader = site.reader(since=site.now() - timedelta(days=5))

    assert ["today"] == subjects(await reader.read())
    assert [] == await reader.read()


async def test_mail_that_was_moved_before_anybody_looked_is_found_where_it_is(site: Site):
    """The owner files faster than we read: into the archive, into the bin, deep into folders of their own."""
    deep = site.user_folder("Customers", "2026", "Acme")
    for name in (site.user_folder("Customers"), site.user_folder("Customers", "2026"), deep):
        await site.do(site.owner.make, name)
    reader = site.reader()
    await reader.read()
    await site.deliver("stays", "filed", "binned")
    await site.do(site.owner.move, "filed", "INBOX", deep)
    await site.do(site.owner.move, "binned", "INBOX", site.folder(Role.TRASH).wire)

    assert {"stays", "filed", "binned"} == set(subjects(await reader.read()))


async def test_mail_that_is_moved_later_comes_again_byte_for_byte(site: Site):
    """So that whoever stores it recognises it, and nobody has to be sure that it was read before."""
    reader = site.reader()
    await reader.read()
    await site.deliver("a reply")
    (before,) = await reader.read()
    await site.do(site.owner.move, "a reply", "INBOX", site.folder(Role.TRASH).wire)
    (after,) = await reader.read()

    assert before.raw == after.raw
    assert before.folder != after.folder


async def test_what_is_gone_before_it_was_read_keeps_nothing_behind_it(site: Site):
    """Expunged in the middle and at the end: the others come, and what arrives afterwards comes too."""
    reader = site.reader()
    await reader.read()
    await site.deliver("one", "two", "three", "four")
    await site.remove("two")
    await site.remove("four")
    first = subjects(await reader.read())
    await site.deliver("five")

    assert ["one", "three"] == first
    assert ["five"] == subjects(await reader.read())


async def test_a_rebuilt_folder_is_read_again(site: Site):
    """Another UIDVALIDITY: the old numbers mean nothing, and what lies there now is handed over."""
    folder = site.user_folder("Customers")
    await site.do(site.owner.make, folder)
    await site.put(folder, "first", "second", "third")
    reader = site.reader()
    before = subjects(await reader.read())
    old = await asyncio.to_thread(site.owner.uid_validity, folder)
    await asyncio.sleep(1.01)  # Cyrus and Courier number by the second
    await site.do(site.owner.rebuild, folder)
    await site.put(folder, "fourth")
    after = subjects(await reader.read())

    assert old != await asyncio.to_thread(site.owner.uid_validity, folder)
    assert ["first", "second", "third"] == before
    assert ["fourth"] == after
    assert [] == await reader.read()


async def test_three_days_without_us_lose_nothing(site: Site):
    """More than one batch came, and the owner filed some of it elsewhere: everything comes, in order."""
    folder = site.user_folder("Customers")
    await site.do(site.owner.make, folder)
    await site.deliver("before")
    reader = site.reader()
    await reader.read()
    came = [f"message {number:03}" for number in range(MANY)]
    await site.put("INBOX", *came[:-2], at=site.now() - timedelta(days=2))
    await site.deliver(*came[-2:])
    await site.do(site.owner.move, came[5], "INBOX", folder)
    await site.do(site.owner.move, came[7], "INBOX", site.folder(Role.TRASH).wire)
    site.time.pass_by(3 * 24 * 3600.0)
    found = await reader.read()
    inbox = subjects([message for message in found if message.role is FolderRole.INBOX])

    assert set(came) == set(subjects(found))
    assert [each for each in came if each not in {came[5], came[7]}] == inbox


async def test_reading_marks_nothing_as_read(site: Site):
    r"""\Seen is the owner's, in every folder and for every size."""
    reader = site.reader()
    await reader.read()
    await site.deliver("small")
    await site.deliver("large", size=200_000)
    await site.put(site.folder(Role.JUNK).wire, "junk")
    found = await reader.read()
    seen = [await asyncio.to_thread(site.owner.seen, name) for name in ("INBOX", site.folder(Role.JUNK).wire)]

    assert 3 == len(found)
    assert [[], []] == seen


async def test_fifty_megabytes_are_cut_and_hold_nobody_up(site: Site):
    """The beginning is handed over as cut, what lies behind it whole, and nothing comes twice."""
    reader = site.reader()
    await reader.read()
    await site.deliver("ahead")
    await site.deliver("enormous", size=50_000_000)
    await site.deliver("behind")
    found = await reader.read()

    assert [("ahead", False), ("enormous", True), ("behind", False)] == [
        (*subjects([message]), message.truncated) for message in found
    ]
    assert len(found[1].raw) <= 1024 * 1024
    assert [] == await reader.read()


async def test_what_no_notification_told_is_found_by_the_next_read(site: Site):
    """IDLE listens to the INBOX alone: what goes elsewhere, or comes while nobody listens, is found all the same."""
    reader = site.reader()
    await reader.read()
    await site.put(site.folder(Role.JUNK).wire, "to junk")
    await site.deliver("in silence")

    assert {"to junk", "in silence"} == set(subjects(await reader.read()))


async def test_a_folder_with_a_strange_name_is_read_under_its_own_name(site: Site):
    """Letters outside ASCII, a space: modified UTF-7 and quoting, both ways."""
    await site.do(site.owner.make, site.user_folder("Gr&APYA3w-e und Preis"))
    reader = site.reader()
    await reader.read()
    await site.put(site.user_folder("Gr&APYA3w-e und Preis"), "filed")
    (found,) = await reader.read()

    assert site.home(site.user_folder("Größe und Preis"))[0] == found.folder


async def test_new_mail_rings(site: Site):
    """By IDLE or, where the server has none, by asking: once for beginning to listen, and for every arrival."""
    rings = asyncio.Queue[None]()
    watching = asyncio.ensure_future(site.connect(poll_seconds=0.01).watch(lambda: rings.put_nowait(None)))
    try:
        async with asyncio.timeout(LIMIT):
            await rings.get()
            for word in ("once", "twice"):
                await site.deliver(word)
                while rings.empty() and not watching.done():
                    site.time.pass_by(1.0)
                    await asyncio.sleep(0.01)
                await rings.get()
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
