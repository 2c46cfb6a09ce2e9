"""Gmail over IMAP: folders are labels, everything is in All Mail as well, and by that nothing is doubled or lost."""

import pytest

from imap_servers.site import Site, subjects
from relance.ports.connector import FetchedMessage, FolderRole

on_gmail = pytest.mark.parametrize("site", ["fake_gmail"], indirect=True)


@on_gmail
async def test_what_bears_several_labels_is_handed_over_once(site: Site):
    """In the INBOX and under a label of the owner's: out of the INBOX, and not again out of All Mail."""
    label = site.user_folder("Customers")
    await site.do(site.owner.make, label)
    reader = site.reader()
    await reader.read()
    await site.deliver("one", "the other")
    await site.do(site.owner.copy, "one", "INBOX", label)
    found = await reader.read()

    assert ["one", "the other"] == subjects(found)
    assert {FolderRole.INBOX} == {message.role for message in found}


@on_gmail
async def test_mail_that_a_filter_archives_at_once_is_found_in_all_mail(site: Site):
    """It never was in the INBOX, and no notification told of it."""
    assert site.all_mail
    reader = site.reader()
    await reader.read()
    await site.put(site.all_mail, "skipped the inbox")

    assert [("skipped the inbox", FolderRole.ALL)] == [
        (*subjects([message]), message.role) for message in await reader.read()
    ]


@on_gmail
async def test_what_was_handed_over_and_not_kept_is_handed_over_again(site: Site):
    """Whoever reads may fail before it has stored a batch: that All Mail has it too must not hide it."""
    reader = site.reader()
    await reader.read()
    await site.deliver("a reply")
    async for _ in reader.connector.read(dict(reader.cursors), since=reader.since):
        break

    assert ["a reply"] == subjects(await reader.read())


@on_gmail
async def test_what_was_kept_before_all_mail_was_reached_may_come_twice_but_never_less(site: Site):
    """A read that ended after the INBOX: All Mail brings the same bytes once more, which whoever stores them knows."""
    reader = site.reader()
    await reader.read()
    await site.deliver("a reply")
    first: list[FetchedMessage] = []
    async for batch in reader.connector.read(dict(reader.cursors), since=reader.since):
        reader.cursors[batch.cursor.folder] = batch.cursor
        first += batch.messages
        break
    again = await reader.read()

    assert {FolderRole.ALL} == {message.role for message in again}
    assert [message.raw for message in first] == [message.raw for message in again]
