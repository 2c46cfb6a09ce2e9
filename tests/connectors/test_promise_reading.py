"""Nothing that may hold an answer is passed over by a read that vouches for its mailbox."""

from datetime import timedelta

from connectors.imap_mailbox import Mailbox, message
from connectors.scripted import FakeTime, connector, serving
from relance.core.defaults import FRESHNESS
from relance.testing.connector_suite import Reader
from relance.testing.moments import MONDAY


async def test_an_answer_in_a_folder_that_was_just_made_is_found():
    """The server makes its Junk folder when the first spam comes: that may be somebody's answer."""
    time = FakeTime()
    mailbox = Mailbox(folders={"INBOX": [message(1)], "Sent": []})
    async with serving(mailbox) as server:
        one = connector(imap=server, time=time)
        reader = Reader(one, MONDAY - timedelta(days=30))
        await reader.read()
        mailbox.add("Junk", message(1))
        time.now += FRESHNESS.total_seconds() + 1
        found = await reader.read()
        await one.close()

    assert [("Junk", 1)] == [(one.folder, one.uid) for one in found]
