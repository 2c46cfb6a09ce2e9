"""To whom an incoming message belongs."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relance.core.companies import company_of
from relance.core.inbound import InboundKind, Received
from relance.core.matching import (
    Candidate,
    FromOurselves,
    Match,
    MatchedBy,
    Unmatched,
    answered_too,
    match_message,
    own_copy,
)
from unit.core.making import NOW

OWN = frozenset({"me@example.com", "sales@example.com"})
INTRO = Candidate(
    attempt_id=7,
    enrollment_id=41,
    lead_id=17,
    message_ids=frozenset({"<intro@example.com>", "<rewritten@provider.example>"}),
    provider_thread_id="th1",
    trace="t-intro",
    recipient="ada@acme.example",
    lead_addresses=frozenset({"ada@acme.example", "ada.l@home.example"}),
    company="acme.example",
    at=NOW,
)
BUMP = replace(
    INTRO,
    attempt_id=8,
    message_ids=frozenset({"<bump@example.com>"}),
    trace="t-bump",
    provider_thread_id="th2",
    at=NOW + timedelta(days=3),
)
OTHER = replace(
    INTRO,
    attempt_id=9,
    enrollment_id=42,
    lead_id=18,
    message_ids=frozenset({"<other@example.com>"}),
    trace="t-other",
    provider_thread_id="th3",
    recipient="bob@acme.example",
    lead_addresses=frozenset({"bob@acme.example"}),
    at=NOW + timedelta(days=1),
)
ALL = (INTRO, BUMP, OTHER)
REPLY = Received(kind=InboundKind.HUMAN_REPLY, at=NOW, sender="stranger@elsewhere.example")


def matched(received: Received, candidates=ALL, company: str | None = None) -> tuple[int, MatchedBy] | str:
    """Return attempt and evidence, or why there is none."""
    match match_message(received, candidates, own_addresses=OWN, company=company):
        case Match(attempt_id=attempt_id, matched_by=matched_by):
            return attempt_id, matched_by
        case Unmatched(reason=reason):
            return reason
        case FromOurselves():
            return "ourselves"


@pytest.mark.parametrize(
    "changes,expected",
    [
        ({"in_reply_to": ("<bump@example.com>",)}, (8, MatchedBy.IN_REPLY_TO)),
        ({"in_reply_to": ("<rewritten@provider.example>",)}, (7, MatchedBy.IN_REPLY_TO)),
        ({"references": ("<intro@example.com>", "<bump@example.com>", "<theirs@x>")}, (8, MatchedBy.REFERENCES)),
        ({"references": ("<intro@example.com>", "<theirs@x>")}, (7, MatchedBy.REFERENCES)),
        ({"provider_thread_id": "th1"}, (7, MatchedBy.THREAD)),
        ({"sender": "ada@acme.example"}, (8, MatchedBy.SENDER)),
        ({"sender": "ada.l@home.example"}, (8, MatchedBy.SENDER)),
    ],
)
def test_a_reply_matches_by_what_it_names_and_then_by_who_sent_it(changes, expected):
    """D3: In-Reply-To, every id of References, the provider's thread, the address with its aliases."""
    assert expected == matched(replace(REPLY, **changes))


def test_stronger_evidence_wins_over_weaker():
    """Another address in the same thread answers for the person whose thread it is."""
    received = replace(
        REPLY,
        sender="bob@acme.example",
        in_reply_to=("<unknown@x>",),
        references=("<bump@example.com>",),
        provider_thread_id="th1",
    )

    assert (8, MatchedBy.REFERENCES) == matched(received)
    assert (7, MatchedBy.THREAD) == matched(replace(received, references=()))
    assert (9, MatchedBy.SENDER) == matched(replace(received, references=(), provider_thread_id=None))


def test_of_two_people_in_one_thread_the_writer_answers():
    """Both messages are among the references, and In-Reply-To names the other one's."""
    both = replace(REPLY, in_reply_to=("<bump@example.com>",), references=("<other@example.com>", "<bump@example.com>"))

    assert (8, MatchedBy.IN_REPLY_TO) == matched(replace(both, sender="ada@acme.example"))
    assert (9, MatchedBy.REFERENCES) == matched(replace(both, sender="bob@acme.example"))
    assert (8, MatchedBy.IN_REPLY_TO) == matched(replace(both, sender="assistant@elsewhere.example"))


def test_who_writes_into_anothers_thread_has_answered_too():
    """The thread is answered, and whoever wrote is a person that we wrote to as well."""
    received = replace(REPLY, sender="bob@acme.example", in_reply_to=("<bump@example.com>",))
    first = match_message(received, ALL, own_addresses=OWN)
    assert isinstance(first, Match)
    second = answered_too(received, first, ALL)
    robot = replace(received, kind=InboundKind.AUTO_REPLY)

    assert (17, 8) == (first.lead_id, first.attempt_id)
    assert second is not None
    assert (18, 9, MatchedBy.SENDER) == (second.lead_id, second.attempt_id, second.matched_by)
    assert None is answered_too(robot, first, ALL)
    assert None is answered_too(replace(received, sender="ada.l@home.example"), first, ALL)
    assert None is answered_too(replace(received, sender="assistant@elsewhere.example"), first, ALL)


@pytest.mark.parametrize(
    "kind", [InboundKind.HARD_BOUNCE, InboundKind.SOFT_BOUNCE, InboundKind.BLOCK, InboundKind.COMPLAINT]
)
def test_a_notice_matches_by_the_message_it_is_about(kind):
    """With duplicate mailings a bounce goes to the right one; and never to whoever sent the notice."""
    notice = Received(kind=kind, at=NOW, sender="ada@acme.example", original_recipients=("bob@acme.example",))

    assert (7, MatchedBy.ORIGINAL) == matched(replace(notice, original_message_id="<intro@example.com>"))
    assert (7, MatchedBy.TRACE) == matched(replace(notice, original_message_id="<x@y>", original_trace="t-intro"))
    assert (9, MatchedBy.FAILED_RECIPIENT) == matched(notice)
    assert isinstance(matched(replace(notice, original_recipients=())), str)


def test_what_was_written_by_hand_matches_by_its_recipient():
    """The mailbox's owner wrote to the person outside the thread."""
    by_hand = Received(
        kind=InboundKind.MANUAL_OUTGOING,
        at=NOW,
        sender="me@example.com",
        recipients=("me@example.com", "bob@acme.example"),
    )

    assert (9, MatchedBy.RECIPIENT) == matched(by_hand)


@given(
    st.sampled_from([k for k in InboundKind if k is not InboundKind.MANUAL_OUTGOING]),
    st.sampled_from(sorted(OWN)),
    st.sampled_from([(), ("<intro@example.com>",)]),
)
def test_a_mailbox_of_ours_is_never_a_lead(kind, sender, in_reply_to):
    """Not even when a colleague answers into the thread, or the mailbox was imported as a lead by mistake."""
    mistaken = replace(INTRO, recipient=sender, lead_addresses=frozenset({sender}))
    received = replace(REPLY, kind=kind, sender=sender, in_reply_to=in_reply_to, original_recipients=(sender,))
    found = matched(received, (mistaken,))

    assert isinstance(found, str) or found[1] is MatchedBy.IN_REPLY_TO
    assert kind not in {InboundKind.HUMAN_REPLY, InboundKind.ORDINARY, InboundKind.AUTO_REPLY} or found == "ourselves"


def test_a_colleague_matches_only_where_the_sequence_asks_for_it():
    """Same company counts if the plan says so, and never for machine mail."""
    colleague = replace(REPLY, sender="carol@acme.example")
    robot = replace(colleague, kind=InboundKind.AUTO_REPLY)
    unasked = tuple(replace(candidate, company=None) for candidate in ALL)

    assert (8, MatchedBy.COMPANY) == matched(colleague, company="acme.example")
    assert isinstance(matched(colleague, unasked, company="acme.example"), str)
    assert isinstance(matched(robot, company="acme.example"), str)
    assert isinstance(matched(colleague), str)


@given(st.permutations(ALL), st.sampled_from(["ada@acme.example", "bob@acme.example", "x@y.example"]))
def test_the_order_of_candidates_does_not_matter(candidates, sender):
    """The database may give them back in any."""
    received = replace(REPLY, sender=sender)

    assert matched(received) == matched(received, tuple(candidates))


def test_only_what_names_a_message_proves_that_it_left():
    """A person may write without having got anything; an id in a header cannot come from nowhere."""

    def proof(**changes):
        found = match_message(replace(REPLY, **changes), ALL, own_addresses=OWN)
        assert isinstance(found, Match)
        return found.proof

    assert proof(in_reply_to=("<intro@example.com>",))
    assert proof(original_trace="t-intro")
    assert not proof(sender="ada@acme.example")
    assert not proof(provider_thread_id="th1")


def test_our_own_copy_in_sent_is_recognised_by_id_or_trace():
    """What we sent ourselves was not written by hand, also where the provider rewrote the id."""
    assert INTRO is own_copy(message_id="<rewritten@provider.example>", trace=None, candidates=ALL)
    assert BUMP is own_copy(message_id="<new@provider.example>", trace="t-bump", candidates=ALL)
    assert None is own_copy(message_id="<by-hand@provider.example>", trace=None, candidates=ALL)
    assert None is own_copy(message_id=None, trace=None, candidates=ALL)


@pytest.mark.parametrize(
    "address,expected",
    [
        ("ada@mail.acme.de", "acme.de"),
        ("ada@acme.co.uk", "acme.co.uk"),
        ("ADA@ACME.DE", "acme.de"),
        ("ada@gmail.com", None),
        ("ada@gmx.net", None),
        ("ada@yahoo.co.uk", None),
        ("ada@localhost", None),
        ("ada", None),
        ("", None),
    ],
)
def test_a_company_is_a_registrable_domain_that_strangers_do_not_share(address, expected):
    """Nobody is stopped because a stranger at the same free-mail provider answered."""
    assert expected == company_of(address)
