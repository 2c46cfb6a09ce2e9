"""Whoever the mailbox belongs to, with a mail program of their own: the standard library's client.

What the owner does is what rules need to happen on a server: messages filed, moved, removed, folders made and rebuilt.
"""

import imaplib
import re
import ssl
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from acceptance.realservers.client import quoted
from acceptance.realservers.endpoint import Endpoint, Security

TIMEOUT = 20.0


class Owner:
    """One connection, opened when first needed. Every method returns when the server has said yes."""

    def __init__(self, endpoint: Endpoint, *, ca_file: Path, username: str, password: str) -> None:
        """Connect nowhere yet."""
        self._endpoint = endpoint
        self._ca_file = ca_file
        self._login = (username, password)
        self._session: imaplib.IMAP4 | None = None

    def put(self, folder: str, raw: bytes, *, at: datetime | None = None, flags: str = "") -> None:
        """File a message as mail programs and filters do; `folder` is in modified UTF-7."""
        date = imaplib.Time2Internaldate(at) if at else ""
        self._do(lambda session: session.append(quoted(folder), flags, date, raw))

    def make(self, folder: str) -> None:
        """Make a folder and subscribe to it."""
        self._do(lambda session: session.create(quoted(folder)))
        self._do(lambda session: session.subscribe(quoted(folder)))

    def move(self, subject: str, source: str, target: str) -> None:
        """Move a message by its subject: copied, marked as deleted, expunged."""
        uid = self._find(subject, source)
        self._do(lambda session: session.uid("COPY", uid, quoted(target)))
        self._remove(uid)

    def copy(self, subject: str, source: str, target: str) -> None:
        """Put a message into another folder as well; on Gmail, label it."""
        uid = self._find(subject, source)
        self._do(lambda session: session.uid("COPY", uid, quoted(target)))

    def remove(self, subject: str, folder: str) -> None:
        """Delete a message for good."""
        self._remove(self._find(subject, folder))

    def rebuild(self, folder: str) -> None:
        """Remove a folder and make it anew, which gives it another UIDVALIDITY."""
        self._do(lambda session: session.select("INBOX"))
        self._do(lambda session: session.delete(quoted(folder)))
        self.make(folder)

    def uid_validity(self, folder: str) -> int:
        """Return the number under which the folder's UIDs count."""
        answer = self._do(lambda session: session.status(quoted(folder), "(UIDVALIDITY)"))
        found = re.search(rb"UIDVALIDITY (\d+)", answer[0])
        assert found, answer
        return int(found[1])

    def seen(self, folder: str) -> list[str]:
        r"""Return the UIDs of the messages in a folder that bear \Seen."""
        self._do(lambda session: session.select(quoted(folder), readonly=True))
        return self._do(lambda session: session.uid("SEARCH", "SEEN"))[0].decode().split()

    def close(self) -> None:
        """Log out."""
        if self._session is not None:
            self._session.shutdown()
            self._session = None

    def _find(self, subject: str, folder: str) -> str:
        self._do(lambda session: session.select(quoted(folder)))
        uids = self._do(lambda session: session.uid("SEARCH", "SUBJECT", quoted(subject)))[0].decode().split()
        assert 1 == len(uids), (subject, folder, uids)
        return str(uids[0])

    def _remove(self, uid: str) -> None:
        self._do(lambda session: session.uid("STORE", uid, "+FLAGS.SILENT", r"(\Deleted)"))
        self._do(lambda session: session.expunge())

    def _do(self, act: Callable[[imaplib.IMAP4], tuple[str, Sequence[bytes | None]]]) -> list[bytes]:
        if self._session is None:
            self._session = self._connect()
        status, answer = act(self._session)
        assert "OK" == status, answer
        return [each or b"" for each in answer]

    def _connect(self) -> imaplib.IMAP4:
        context = ssl.create_default_context(cafile=str(self._ca_file))
        host, port = self._endpoint.host, self._endpoint.port
        session: imaplib.IMAP4
        if self._endpoint.security is Security.TLS:
            session = imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=TIMEOUT)
        else:
            session = imaplib.IMAP4(host, port, timeout=TIMEOUT)
            if self._endpoint.security is Security.STARTTLS:
                session.starttls(context)
        session.login(*self._login)
        return session
