"""The port's errors with what this connector knows in addition; nothing else leaves it."""

import re

from relance.connectors.smtp_imap.imap_parser import Code
from relance.ports.connector import LoginRefusedError, MailboxUnreachableError, ReadingFailedError

# RFC 5530: the server's own trouble, not the password's nor the folder's.
TEMPORARY_CODES = frozenset({"UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "CONTACTADMIN", "OVERQUOTA"})
#: It has enough of us for the moment; no message is to blame.
CROWDED_CODES = frozenset({"LIMIT", "INUSE"})
CROWDED_WORDS = re.compile(
    r"too many|simultaneous|number of connections|rate limit|bandwidth limit|throttl|exceeded command", re.IGNORECASE
)
#: The same said in words: Gmail (`[ALERT] Too many simultaneous connections`), Exchange (`User is authenticated but not
#: connected`), and servers older than the codes. A person who is asked for a password that is right loses a day.
TEMPORARY_WORDS = re.compile(
    r"too many|simultaneous|number of connections|connection limit|rate limit|bandwidth limit|throttl|exceeded command"
    r"|try (?:again )?later|temporar|unavailable|overload|not connected|internal (?:server )?error|timed? ?out|busy",
    re.IGNORECASE,
)
#: Whatever the words beside them: these are about the password or the account.
PERMANENT_CODES = frozenset({"AUTHENTICATIONFAILED", "AUTHORIZATIONFAILED", "EXPIRED", "PRIVACYREQUIRED"})


class UnreachableError(MailboxUnreachableError):
    """No usable connection came about. `step`: `resolve`, `connect`, `tls` or `greeting`."""

    def __init__(self, message: str, *, step: str) -> None:
        super().__init__(message)
        self.step = step


class WireLostError(Exception):
    """The connection closed, went silent or spoke no IMAP. Never leaves this package: callers say what it means."""


class LostError(ReadingFailedError):
    """The IMAP connection was lost in the middle of something. Connect again, then read again."""


class RefusedError(ReadingFailedError):
    """The IMAP server answered NO or BAD; the connection is still good."""

    def __init__(self, doing: str, *, kind: str, code: Code | None, text: str) -> None:
        super().__init__(f"the IMAP server refused to {doing}: {text or kind}")
        self.kind = kind
        self.code = code.name if code else None
        self.text = text

    @property
    def is_crowded(self) -> bool:
        """Tell whether the server asks to be left in peace for a while, whatever the command was."""
        return self.code in CROWDED_CODES or CROWDED_WORDS.search(self.text) is not None


def login_refusal(server: str, code: str | None, text: str) -> LoginRefusedError:
    """Return the error for a refused login."""
    temporary = code in TEMPORARY_CODES or (code not in PERMANENT_CODES and TEMPORARY_WORDS.search(text) is not None)
    advice = "try again later" if temporary else "check user name and password or token"
    return LoginRefusedError(
        f"{server} refused the login ({text or 'without a reason'}): {advice}", temporary=temporary
    )
