"""To which enrollment an incoming message belongs, and the evidence for it.

Rule 1: what names a message of ours comes before what names a person: In-Reply-To, References (the newest first, so
        that the second reply of a thread matches too), the provider's thread, the original in a notice.
Rule 2: a notice (a bounce, a complaint) never matches by who sent it: that is a server. It may match by the address it
        is about, if nothing else names the message.
Rule 3: a mailbox of ours is never a lead, whatever it writes and into whatever thread.
Rule 4: among several, the attempt that was sent last; but where ids name messages to several people, the writer's own.
Rule 5: a person who writes into somebody else's thread has answered too, besides whoever the thread belongs to.
Rule 6: everything that is looked at belongs to one workspace; that is the caller's duty.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from relance.core.inbound import HUMAN, NOTICES, InboundKind, Received


class MatchedBy(StrEnum):
    """What the evidence is, in the words that `explain` prints."""

    IN_REPLY_TO = "In-Reply-To"
    REFERENCES = "References"
    THREAD = "the provider's thread"
    ORIGINAL = "the original's Message-ID"
    TRACE = "our header in the original"
    FAILED_RECIPIENT = "the failed recipient"
    SENDER = "the sender's address"
    RECIPIENT = "the recipient's address"
    COMPANY = "the sender's company"


#: Evidence that names one message of ours: it proves that this message left.
PROOFS = frozenset({MatchedBy.IN_REPLY_TO, MatchedBy.REFERENCES, MatchedBy.ORIGINAL, MatchedBy.TRACE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An attempt that the message may be about: found by id, trace, thread, address or company."""

    attempt_id: int
    enrollment_id: int
    lead_id: int
    message_ids: frozenset[str]  #: Ours, the one seen on the wire, and the provider's.
    provider_thread_id: str | None
    trace: str
    recipient: str
    lead_addresses: frozenset[str] = frozenset()  #: Every address by which this person is known.
    company: str | None = None  #: Of the recipient; None where one domain is many people's, and unless the plan asks.
    at: datetime  #: When it was sent or, if that is unknown, begun or planned.


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """It belongs there."""

    enrollment_id: int
    attempt_id: int
    lead_id: int
    recipient: str  #: The address that the attempt was written to.
    matched_by: MatchedBy
    evidence: str  #: The id or address that matched.

    @property
    def proof(self) -> bool:
        """Whether the message names one of ours and so proves that it left."""
        return self.matched_by in PROOFS


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """It belongs to nobody that we wrote to."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FromOurselves:
    """A mailbox of ours wrote it."""


def match_message(
    received: Received,
    candidates: Collection[Candidate],
    *,
    own_addresses: Collection[str],
    company: str | None = None,
) -> Match | Unmatched | FromOurselves:
    """Return where the message belongs.

    `own_addresses` are those of every mailbox of the workspace, aliases included. `company` is the sender's, None if
    its domain is many people's (`relance.core.companies`).
    """
    if received.sender in own_addresses and received.kind not in NOTICES | {InboundKind.MANUAL_OUTGOING}:
        return FromOurselves()
    newest_first = sorted(candidates, key=lambda candidate: (candidate.at, candidate.attempt_id), reverse=True)
    fitting = [
        _match(candidate, matched_by, evidence)
        for matched_by, evidence, fits in _evidence(received, own_addresses, company)
        for candidate in newest_first
        if fits(candidate)
    ]
    if not fitting:
        return Unmatched(reason="it names no message of ours and nobody that we wrote to")
    writers = {candidate.lead_id for candidate in candidates if _written_to(received.sender)(candidate)}
    own = (match for match in fitting if match.lead_id in writers and match.proof)
    return next(own, fitting[0]) if received.kind in HUMAN else fitting[0]


def answered_too(received: Received, match: Match, candidates: Collection[Candidate]) -> Match | None:
    """Return the writer's own last attempt, where a person wrote into the thread of somebody else; else None."""
    if received.kind not in HUMAN:
        return None
    theirs = [candidate for candidate in candidates if _written_to(received.sender)(candidate)]
    if not theirs or any(candidate.lead_id == match.lead_id for candidate in theirs):
        return None
    newest = max(theirs, key=lambda candidate: (candidate.at, candidate.attempt_id))
    return _match(newest, MatchedBy.SENDER, received.sender)


def _match(candidate: Candidate, matched_by: MatchedBy, evidence: str) -> Match:
    return Match(
        enrollment_id=candidate.enrollment_id,
        attempt_id=candidate.attempt_id,
        lead_id=candidate.lead_id,
        recipient=candidate.recipient,
        matched_by=matched_by,
        evidence=evidence,
    )


def own_copy(*, message_id: str | None, trace: str | None, candidates: Iterable[Candidate]) -> Candidate | None:
    """Return the attempt of which a message in a Sent folder is our own copy, not something written by hand."""
    return next(
        (
            candidate
            for candidate in candidates
            if message_id in candidate.message_ids or (trace is not None and trace == candidate.trace)
        ),
        None,
    )


_Evidence = tuple[MatchedBy, str, Callable[[Candidate], bool]]


def _evidence(received: Received, own_addresses: Collection[str], company: str | None) -> Iterator[_Evidence]:
    """Yield what may match, the strongest first."""
    for message_id in received.in_reply_to:
        yield MatchedBy.IN_REPLY_TO, message_id, _named(message_id)
    for message_id in reversed(received.references):
        yield MatchedBy.REFERENCES, message_id, _named(message_id)
    if received.provider_thread_id is not None:
        thread = received.provider_thread_id
        yield MatchedBy.THREAD, thread, lambda candidate: candidate.provider_thread_id == thread
    if received.original_message_id is not None:
        yield MatchedBy.ORIGINAL, received.original_message_id, _named(received.original_message_id)
    if received.original_trace is not None:
        trace = received.original_trace
        yield MatchedBy.TRACE, trace, lambda candidate: candidate.trace == trace
    if received.kind in NOTICES:
        yield from _addressed(MatchedBy.FAILED_RECIPIENT, received.original_recipients, own_addresses)
    elif received.kind is InboundKind.MANUAL_OUTGOING:
        yield from _addressed(MatchedBy.RECIPIENT, received.recipients, own_addresses)
    elif received.kind is not InboundKind.WARMUP:
        yield from _addressed(MatchedBy.SENDER, (received.sender,), own_addresses)
        if company is not None and received.kind in HUMAN:
            yield MatchedBy.COMPANY, company, lambda candidate: candidate.company == company


def _addressed(matched_by: MatchedBy, addresses: Iterable[str], own_addresses: Collection[str]) -> Iterator[_Evidence]:
    for address in addresses:
        if address not in own_addresses:
            yield matched_by, address, _written_to(address)


def _named(message_id: str) -> Callable[[Candidate], bool]:
    return lambda candidate: message_id in candidate.message_ids


def _written_to(address: str) -> Callable[[Candidate], bool]:
    return lambda candidate: address == candidate.recipient or address in candidate.lead_addresses
