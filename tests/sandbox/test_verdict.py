"""The verdict: what counts as written twice, and as written after an answer."""

from datetime import datetime, timedelta

from relance.sandbox.journal import Accepted, Arrived, Journal, Lost, Nature, Refused
from relance.sandbox.verdict import double_sends, sent_after_answer, totals
from sandbox.conftest import MONDAY

ANNA = "anna@shop.example"
CLARA = "clara@brightmail.example"


def accepted(
    *,
    message_id: str = "<1@x>",
    text: str = "one",
    subject: str = "s",
    marker: str | None = None,
    recipient: str = ANNA,
    at: datetime = MONDAY,
) -> Accepted:
    """Write a journal entry of an accepted message."""
    return Accepted(
        at=at,
        mailbox=CLARA,
        recipient=recipient,
        message_id=message_id,
        subject=subject,
        marker=marker,
        raw=f"Subject: {subject}\r\n\r\n{text}\r\n".encode(),
    )


def arrived(nature: Nature, at: datetime = MONDAY, folder: str = "INBOX") -> Arrived:
    """Write a journal entry of a message from Anna."""
    return Arrived(at=at, mailbox=CLARA, folder=folder, person=ANNA, nature=nature, message_id="<r@x>")


def journal_of(*entries: Accepted | Arrived | Lost | Refused) -> Journal:
    """Write a journal."""
    journal = Journal()
    for entry in entries:
        journal.add(entry)
    return journal


def test_different_steps_are_not_doubled():
    """Three steps to one person, and one step to two people, are right."""
    steps = [accepted(message_id=f"<{n}@x>", text=f"text {n}", marker=f"step {n}") for n in range(3)]
    other = accepted(message_id="<9@x>", text="text 0", marker="step 0", recipient="ben@shop.example")

    assert 0 == double_sends(journal_of(*steps, other))


def test_the_same_message_id_is_the_same_step():
    """A retry that really left twice."""
    assert 1 == double_sends(journal_of(accepted(), accepted(text="re-rendered", subject="t")))


def test_the_same_subject_and_text_are_the_same_step():
    """A second attempt under a new id, however its white space is folded."""
    assert 1 == double_sends(journal_of(accepted(), accepted(message_id="<2@x>", text=" one ")))


def test_the_same_marker_is_the_same_step():
    """A second attempt that was spun into other words."""
    one = accepted(marker="intro")
    other = accepted(message_id="<2@x>", text="two", subject="t", marker="intro")

    assert 1 == double_sends(journal_of(one, other))


def test_sameness_is_transitive():
    """Three copies of one step are two too many, whatever links them."""
    one = accepted(marker="intro")
    bridge = accepted(text="two", subject="t")
    far = accepted(message_id="<3@x>", text="two", subject="t")

    assert 2 == double_sends(journal_of(one, far, bridge))


def test_mail_to_the_worlds_own_mailboxes_is_no_step():
    """A mailbox may test itself as often as it likes."""
    assert 0 == double_sends(journal_of(accepted(recipient=CLARA), accepted(recipient=CLARA)))


def test_what_left_after_an_answer_counts_beyond_freshness_and_slack():
    """Eighty seconds after the answer was visible is allowed, the next moment is not."""
    allowed = accepted(at=MONDAY + timedelta(seconds=80))
    late = accepted(at=MONDAY + timedelta(seconds=81))

    assert 0 == sent_after_answer(journal_of(arrived(Nature.ANSWER), allowed))
    assert 1 == sent_after_answer(journal_of(arrived(Nature.ANSWER), late))
    assert 1 == sent_after_answer(journal_of(arrived(Nature.OPT_OUT, folder="Junk"), late))


def test_the_first_answer_counts():
    """A second answer does not excuse what left between them."""
    late = accepted(at=MONDAY + timedelta(hours=1))
    second = arrived(Nature.ANSWER, MONDAY + timedelta(hours=2))

    assert 1 == sent_after_answer(journal_of(arrived(Nature.ANSWER), late, second))


def test_machines_do_not_answer():
    """An out-of-office and a delay stop nobody."""
    late = accepted(at=MONDAY + timedelta(days=1))

    assert 0 == sent_after_answer(journal_of(arrived(Nature.AUTO_REPLY), arrived(Nature.DELAY), late))


def test_totals_count_people_once():
    """Two answers are one person who answered; temporary refusals are no bounces."""
    entries = (
        accepted(),
        accepted(message_id="<2@x>", text="two"),
        arrived(Nature.ANSWER),
        arrived(Nature.ANSWER),
        Lost(at=MONDAY, mailbox=CLARA, recipient=ANNA, message_id="<3@x>"),
        Refused(at=MONDAY, mailbox=CLARA, recipient="ben@shop.example", reply="550 5.1.1 no"),
        Refused(at=MONDAY, mailbox=CLARA, recipient="eva@shop.example", reply="451 4.7.1 later"),
    )
    found = totals(journal_of(*entries))

    assert (2, 1, 1, 1) == (found.accepted, found.lost, found.refused_for_good, found.refused_for_now)
    assert (1, 1, 1) == (found.people_written_to, found.people_who_answered, found.people_bounced)
