"""An answer that a person wrote in a conversation, and what became of it: sent once, like everything that is sent.

Rule 1: until it is due it can be taken back; what has begun cannot.
Rule 2: only `unknown` and `sent` block another try, and unknown is settled by proof or by a person, never by a guess.
Rule 3: it goes `sent` from everywhere once there is proof that it left.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from relance.core.transitions import IllegalTransitionError
from relance.core.values import replace


class AnswerStatus(StrEnum):
    """Where an answer stands; legal moves are `ANSWER_TRANSITIONS`."""

    WAITING = "waiting"  #: Goes out at due_at; until then its author may take it back.
    IN_FLIGHT = "in_flight"  #: Body and dot may be on the wire until release_by.
    SENT = "sent"  #: The server said yes, or it was found.
    UNKNOWN = "unknown"  #: May or may not have left; the answerer looks for it, or a person says.
    FAILED = "failed"  #: Definitely not sent, and given up; its author may send it again.
    WITHDRAWN = "withdrawn"  #: Taken back before it began.


#: For so long an answer can be taken back.
UNDO: Final = timedelta(seconds=10)
#: Definite failures after which an answer is given up.
TRIES_AT_MOST: Final = 5
#: Characters of an answer, and of a quotation below it.
LONGEST: Final = 100_000
QUOTED_AT_MOST: Final = 20_000

_S = AnswerStatus
ANSWER_TRANSITIONS: Final[Mapping[AnswerStatus, frozenset[AnswerStatus]]] = {
    _S.WAITING: frozenset({_S.IN_FLIGHT, _S.WITHDRAWN, _S.FAILED, _S.SENT}),
    _S.IN_FLIGHT: frozenset({_S.WAITING, _S.SENT, _S.UNKNOWN, _S.FAILED}),
    _S.UNKNOWN: frozenset({_S.SENT, _S.WAITING, _S.FAILED}),
    _S.FAILED: frozenset({_S.WAITING, _S.SENT}),
    _S.WITHDRAWN: frozenset({_S.SENT}),
    _S.SENT: frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One message by hand to one person."""

    workspace_id: int
    id: int
    thread_id: int
    mailbox_id: int
    lead_id: int
    attempt_id: int | None = None  #: The message of ours that the conversation is about.
    status: AnswerStatus
    author: str  #: Who wrote it, as the record names them.
    recipient: str
    subject: str
    text: str
    in_reply_to: str | None = None
    reference_ids: tuple[str, ...] = ()
    message_id: str
    trace: str
    wire_message_id: str | None = None
    due_at: datetime
    release_by: datetime | None = None
    began_at: datetime | None = None
    sent_at: datetime | None = None
    settled_by: str | None = None
    next_look_at: datetime | None = None
    looks: int = 0
    tries: int = 0
    error: str | None = None
    sent_copy_at: datetime | None = None
    revision: int = 0
    created_at: datetime


def change_answer(answer: Answer, to: AnswerStatus, **changes: Any) -> Answer:  # noqa: ANN401  # its other fields
    """Move an answer and return it with the changes. Raises IllegalTransitionError; ValueError without its times."""
    if to not in ANSWER_TRANSITIONS[answer.status]:
        raise IllegalTransitionError(f"answer {answer.id} is {answer.status} and cannot become {to}")
    moved = replace(answer, status=to, **changes)
    if to not in {AnswerStatus.IN_FLIGHT, AnswerStatus.UNKNOWN}:
        moved = replace(moved, release_by=None, next_look_at=None)
    if to is AnswerStatus.IN_FLIGHT and (moved.release_by is None or moved.began_at is None):
        raise ValueError("an answer in flight needs release_by: the dot leaves before it or not at all")
    if to is AnswerStatus.SENT and moved.sent_at is None:
        raise ValueError("a sent answer needs sent_at")
    return moved
