"""Conversations: what comes in opens them, what people do with them, and finding them again."""

from datetime import timedelta

import pytest

from relance.core.inbound import InboundKind
from relance.core.thread import Interest
from relance.services import leads, numbers
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.threads import handling, listing, reading
from relance.services.threads.listing import Filter, State
from relance.testing import letters
from relance.testing.builders import KEYS

EVERYTHING = Filter(state=State.ALL)


def written(sender, to, at):
    """Write a message of a person that answers nothing."""
    return letters.write(sender=sender, to=to, subject="Hello", text="A word by hand.", at=at)


async def threads(life, scene, wanted=None, **page):
    """Return the conversations that fit, newest first."""
    found = await life.store.read(
        listing.page, workspace_id=scene.workspace.id, wanted=wanted or Filter(), now=life.now, **page
    )
    return list(found.lines)


async def answered(life, text="Tell me more.", **scene):
    """Send one message and receive an answer to it; return the scene and the conversation."""
    made = await life.scene(**scene)
    raw = await life.send()
    await life.receive(made.box, letters.reply(raw, at=life.now, text=text))
    return made, (await threads(life, made))[0]


async def do(life, scene, what, thread, **facts):
    """Do something with a conversation."""
    ids = {"workspace_id": scene.workspace.id, "thread_id": thread.id}
    return await life.store.write(what, **ids, by="bo@acme.example", now=life.now, **facts)


async def test_an_answer_opens_a_conversation(life):
    """With its class, its person, its sequence and its mailbox."""
    scene, thread = await answered(life)

    assert ("human_reply", scene.lead.email, "q4", scene.box.address, True) == (
        thread.kind,
        thread.lead,
        thread.sequence,
        thread.mailbox,
        thread.open,
    )
    assert "Tell me more." == thread.preview


async def test_what_only_went_out_is_no_conversation(life):
    """An inbox shows who has answered."""
    scene = await life.scene()
    await life.send()

    assert [] == await threads(life, scene, EVERYTHING)


async def test_machine_mail_is_kept_but_asks_for_nobody(life):
    """An absence notice stands in the list of all, and not among what wants an answer."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am away."))

    assert [] == await threads(life, scene)
    assert ["auto_reply"] == [one.kind for one in await threads(life, scene, EVERYTHING)]


async def test_a_program_that_answers_later_does_not_hide_the_person(life):
    """The class is that of the newest message of a person."""
    scene = await life.scene()
    raw = await life.send()
    await life.receive(scene.box, letters.reply(raw, at=life.now))
    life.later(hours=1)
    await life.receive(scene.box, letters.auto_reply(raw, at=life.now, text="I am away."))
    (thread,) = await threads(life, scene)

    assert ("human_reply", life.now) == (thread.kind, thread.last_in_at)


async def test_a_conversation_is_read_from_its_beginning(life):
    """Ours in full, theirs without what they quote."""
    scene, thread = await answered(life)
    ids = {"workspace_id": scene.workspace.id}
    read = await life.store.read(reading.conversation, **ids, thread_id=thread.id)

    assert [("out", "sequence", "intro"), ("in", "human_reply", "intro")] == [
        (one.direction, one.kind, one.step) for one in read.messages
    ]
    assert "Tell me more." == read.messages[1].text
    assert read.messages[0].text


async def test_what_somebody_wrote_by_hand_finishes_it_until_the_person_writes_again(life):
    """An answer from a mail program is an answer."""
    scene, _ = await answered(life)
    raw = written(scene.box.address, scene.lead.email, life.now)
    life.later(minutes=5)
    await life.receive(scene.box, raw, folder="Sent")
    after = await threads(life, scene)
    life.later(minutes=5)
    await life.receive(scene.box, written(scene.lead.email, scene.box.address, life.now))

    assert [] == after
    assert 1 == len(await threads(life, scene))


async def test_a_conversation_sleeps_until_then_and_wakes_by_itself(life):
    """It is neither open nor done meanwhile."""
    scene, thread = await answered(life)
    await do(life, scene, handling.snooze, thread, until=life.now + timedelta(days=1))
    asleep = [len(await threads(life, scene, Filter(state=state))) for state in (State.OPEN, State.SNOOZED, State.DONE)]
    life.later(days=2)

    assert [0, 1, 0] == asleep
    assert 1 == len(await threads(life, scene))


async def test_a_message_of_the_person_wakes_it_at_once(life):
    """Nobody lets a person sleep who writes again."""
    scene, thread = await answered(life)
    await do(life, scene, handling.snooze, thread, until=life.now + timedelta(days=7))
    life.later(hours=1)
    await life.receive(scene.box, written(scene.lead.email, scene.box.address, life.now))

    assert [None] == [one.snoozed_until for one in await threads(life, scene)]


@pytest.mark.parametrize("by", [timedelta(0), timedelta(days=-1), timedelta(days=4_000)])
async def test_nobody_sleeps_into_the_past_or_for_ever(life, by):
    """A slip of the pen is refused."""
    scene, thread = await answered(life)
    with pytest.raises(RefusedError, match="at most a year"):
        await do(life, scene, handling.snooze, thread, until=life.now + by)


async def test_what_is_finished_can_be_opened_again(life):
    """Each with an event that says who."""
    scene, thread = await answered(life)
    await do(life, scene, handling.finish, thread)
    done = await threads(life, scene, Filter(state=State.DONE))
    await do(life, scene, handling.reopen, thread)

    assert 1 == len(done)
    assert 1 == len(await threads(life, scene))


async def test_conversations_are_filtered_by_what_they_are(life):
    """By class, mailbox, sequence and person in charge, and by several at once."""
    scene, thread = await answered(life)
    await do(life, scene, handling.assign, thread, assignee_id=7, name="Bo")
    fitting = [
        Filter(kind=InboundKind.HUMAN_REPLY),
        Filter(mailbox_id=thread.mailbox_id),
        Filter(sequence_id=thread.sequence_id),
        Filter(assignee_id=7),
        Filter(state=State.ALL, kind=InboundKind.HUMAN_REPLY),
        Filter(kind=InboundKind.HUMAN_REPLY, mailbox_id=thread.mailbox_id, assignee_id=7),
    ]
    others = [
        Filter(kind=InboundKind.AUTO_REPLY),
        Filter(mailbox_id=99),
        Filter(sequence_id=99),
        Filter(assignee_id=8),
        Filter(kind=InboundKind.AUTO_REPLY, assignee_id=7),
    ]

    assert [1] * len(fitting) == [len(await threads(life, scene, one)) for one in fitting]
    assert [0] * len(others) == [len(await threads(life, scene, one)) for one in others]


async def test_pages_follow_one_another_without_gap_or_repetition(life):
    """Behind the last of one begins the next, although several came in within a second."""
    scene = await life.scene()
    for n in range(5):
        email = f"p{n}@lead.example"
        await life.person(scene, email)
        await life.receive(scene.box, written(email, scene.box.address, life.now))
    found, before = [], listing.Place()
    for _ in range(4):
        page = await life.store.read(
            listing.page, workspace_id=scene.workspace.id, wanted=EVERYTHING, now=life.now, before=before, size=2
        )
        found += [one.lead for one in page.lines]
        if page.next is None:
            break
        before = page.next

    assert [f"p{n}@lead.example" for n in (4, 3, 2, 1, 0)] == found


async def test_messages_are_found_by_their_words(life):
    """Whatever the case and the accents, by the beginning of the last word, by the sender, and only here."""
    scene, thread = await answered(life, text="Votre café à Zürich m'intéresse beaucoup.")
    ids = {"workspace_id": scene.workspace.id}
    found = {
        question: [one.thread_id for one in await life.store.read(listing.find, **ids, question=question)]
        for question in ("CAFE", "zurich interesse", "intéres", "ann", "tea", "cafe tea", '"', "AND", "")
    }
    elsewhere = await life.scene(workspace="other")
    strangers = await life.store.read(listing.find, workspace_id=elsewhere.workspace.id, question="cafe")
    here = [thread.id]

    assert {
        "CAFE": here,
        "zurich interesse": here,
        "intéres": here,
        "ann": here,
        "tea": [],
        "cafe tea": [],
        '"': [],
        "AND": [],
        "": [],
    } == found
    assert [] == strangers


async def test_nothing_is_found_of_whom_was_erased(life):
    """Neither in the list nor by words nor in the conversation."""
    scene, thread = await answered(life, text="My name is Ann Example.")
    ids = {"workspace_id": scene.workspace.id}
    await life.store.write(leads.erase, **ids, email=scene.lead.email, keys=KEYS, now=life.now)
    read = await life.store.read(reading.conversation, **ids, thread_id=thread.id)

    assert [] == await life.store.read(listing.find, **ids, question="example")
    assert {None} == {read.thread.from_address, read.thread.preview, read.thread.subject}
    assert {""} == {one.text for one in read.messages}


async def test_what_is_marked_positive_is_counted_for_the_message_that_was_answered(life):
    """And no longer once the mark is taken back."""
    scene, thread = await answered(life)
    pair = {"workspace_id": scene.workspace.id, "sequence_id": scene.run.sequence_id}
    counted = []
    for interest in (Interest.POSITIVE, Interest.POSITIVE, Interest.NEGATIVE):
        await do(life, scene, handling.mark, thread, interest=interest)
        rows = await life.store.read(numbers.by_step, **pair)
        counted.append({row.step: row.positive for row in rows}["intro"])

    assert [1, 1, 0] == counted


async def test_another_workspace_has_no_such_conversation(life):
    """Ids alone open nothing."""
    scene, thread = await answered(life)
    other = await life.scene(workspace="other")
    ids = {"workspace_id": other.workspace.id, "thread_id": thread.id}

    with pytest.raises(NotFoundError):
        await life.store.read(reading.conversation, **ids)
    with pytest.raises(NotFoundError):
        await life.store.write(handling.finish, **ids, by="eve", now=life.now)
    assert [] == await threads(life, other, EVERYTHING)
    assert 1 == len(await threads(life, scene))


async def test_a_large_message_is_not_read_for_the_page(life):
    """Its words are kept apart; its bytes are read when somebody asks for them."""
    scene = await life.scene()
    sent = await life.send()
    raw = letters.reply(sent, at=life.now, text="Tell me more.\n\n> " + "x" * 70 + "\n> " * 100_000)
    await life.receive(scene.box, raw)
    (thread,) = await threads(life, scene)
    read = await life.store.read(reading.conversation, workspace_id=scene.workspace.id, thread_id=thread.id)

    assert (True, "Tell me more.") == (read.messages[-1].has_html, read.messages[-1].text)
