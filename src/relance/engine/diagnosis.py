"""What a connector's no means: the person's trouble, the mailbox's, or our own last look."""

from datetime import datetime, timedelta

from relance.core import backoff, defaults
from relance.core.failure import AddressRejected, Failure, MailboxTrouble, TryLater, Withdrawn
from relance.core.mailbox import Mailbox, MailboxStatus
from relance.mail.bounce_reasons import reason_of
from relance.mail.bounce_taxonomy import BounceReason
from relance.ports.connector import (
    ConnectorError,
    LoginRefusedError,
    MailboxUnreachableError,
    NotReleasedError,
    RejectedError,
    TransactionLostError,
)

#: A quota that the server says is used up lasts until its next day at the latest.
QUOTA_REST = timedelta(hours=6)
_PERMANENT = 500  #: Reply codes from here on are final (RFC 5321 §4.2.1).
_CLOSES = 421  #: The server closes the connection, whatever it was asked (RFC 5321 §3.8).


def failure_of(error: ConnectorError, *, mailbox: Mailbox, now: datetime) -> Failure:
    """Say whose trouble a definite failure is, and how long it lasts."""
    rest = now + backoff.mailbox_rest(mailbox.consecutive_failures + 1)
    match error:
        case RejectedError():
            return _rejected(error, rest=rest, now=now)
        case LoginRefusedError(temporary=True):
            return MailboxTrouble(reason="smtp_login_refused", response=str(error), status=None, until=rest)
        case LoginRefusedError():
            return MailboxTrouble(
                reason="smtp_login_refused", response=str(error), status=MailboxStatus.AUTH_ERROR, until=rest
            )
        case MailboxUnreachableError():
            return MailboxTrouble(
                reason="smtp_unreachable",
                response=str(error),
                status=MailboxStatus.UNREACHABLE,
                until=rest,
                person_named=isinstance(error, TransactionLostError),
            )
        case NotReleasedError():
            return Withdrawn(reason="not_released")
        case _:
            return TryLater(reason="refused", response=str(error))


def _rejected(error: RejectedError, *, rest: datetime, now: datetime) -> Failure:
    named = error.enhanced is None or error.text.startswith(error.enhanced)
    response = f"{error.code} {error.text}" if named else f"{error.code} {error.enhanced} {error.text}"
    verdict = reason_of(error.enhanced, str(error.code), error.text)
    too_big = verdict.reason == BounceReason.TOO_BIG and error.code >= _PERMANENT
    if error.stage == "MAIL" and not too_big:  # its size is announced there (RFC 1870): the message's trouble
        return MailboxTrouble(reason="sender_refused", response=response, status=None, until=rest)
    match verdict.kind:
        case "block" if verdict.reason == "quota":
            return MailboxTrouble(reason="quota", response=response, status=None, until=now + QUOTA_REST)
        case "block":
            return MailboxTrouble(
                reason="blocked", response=response, status=None, until=max(rest, now + defaults.BLOCK_REST)
            )
        case "hard" if verdict.hard and error.code >= _PERMANENT:
            return AddressRejected(reason=verdict.reason, response=response)
        case _ if error.code == _CLOSES:
            return MailboxTrouble(
                reason="smtp_unreachable",
                response=response,
                status=MailboxStatus.UNREACHABLE,
                until=rest,
                person_named=True,
            )
        case _:
            return TryLater(reason=verdict.reason, response=response)
