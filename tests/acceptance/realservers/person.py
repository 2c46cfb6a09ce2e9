"""Somebody with a mailbox and an ordinary mail program: reads, waits, answers, is away, wants no more mail.

Built on the standard library alone and on nothing of the product, so that it is a witness and not an accomplice.
"""

from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acceptance.realservers.client import imap_session, read_folder, smtp_session
from acceptance.realservers.endpoint import Endpoint
from acceptance.realservers.waiting import wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person's address, password and servers."""

    address: str
    password: str
    imap: Endpoint
    smtp: Endpoint
    ca_file: Path
    name: str = ""

    def folder(self, wire: str) -> list[EmailMessage]:
        """Return the messages of a folder (its name in modified UTF-7), oldest first."""
        with imap_session(self.imap, ca_file=self.ca_file, login=(self.address, self.password)) as session:
            return read_folder(session, wire)

    def inbox(self) -> list[EmailMessage]:
        """Return the messages of the INBOX, oldest first."""
        return self.folder("INBOX")

    def wait_for(self, *, subject: str = "", sender: str = "", count: int = 1, timeout: float = 15.0) -> EmailMessage:
        """Return the `count`th mail whose subject contains `subject` and whose From contains `sender`.

        Raises `TooLateError` if it has not arrived in the INBOX after `timeout` seconds.
        """
        what = f"mail {count} for {self.address} with subject {subject!r} from {sender!r}"
        with imap_session(self.imap, ca_file=self.ca_file, login=(self.address, self.password)) as session:
            found = wait_until(
                lambda: [mail for mail in read_folder(session, "INBOX") if _fits(mail, subject, sender)][count - 1 :],
                timeout,
                what=what,
                interval=0.1,
            )
        return found[0]

    def send(self, message: EmailMessage, *to: str, envelope_from: str | None = None) -> None:
        """Submit a message; without `to` its recipients come from its headers. Errors are those of smtplib."""
        with smtp_session(self.smtp, ca_file=self.ca_file, login=(self.address, self.password)) as session:
            session.send_message(
                message,
                from_addr=self.address if envelope_from is None else envelope_from,
                to_addrs=list(to) or None,
            )

    def write(self, to: str, subject: str, text: str) -> EmailMessage:
        """Send a new mail that belongs to no thread, and return it."""
        message = self._letter(to, subject)
        message.set_content(text)
        self.send(message)
        return message

    def answer(self, mail: EmailMessage, text: str) -> EmailMessage:
        """Answer in the thread, above the quoted original, and return the answer."""
        answer = self._letter(_answers_to(mail), _re(str(mail["Subject"] or "")))
        own_id = str(mail["Message-ID"] or "").strip()
        if own_id:
            answer["In-Reply-To"] = own_id
            answer["References"] = " ".join([*str(mail["References"] or "").split(), own_id])
        answer.set_content(f"{text}\n\nOn {mail['Date']}, {mail['From']} wrote:\n{_quote(mail)}")
        self.send(answer)
        return answer

    def answer_automatically(self, mail: EmailMessage, text: str, *, subject: str = "Automatic reply") -> EmailMessage:
        """Answer as an absence assistant does (RFC 3834 §3): marked, in the thread, with the empty envelope sender."""
        answer = self._letter(_answers_to(mail), f"{subject}: {mail['Subject']}")
        answer["Auto-Submitted"] = "auto-replied"
        if own_id := str(mail["Message-ID"] or "").strip():
            answer["In-Reply-To"] = own_id
            answer["References"] = own_id
        answer.set_content(text)
        self.send(answer, envelope_from="")
        return answer

    def unsubscribe(self, mail: EmailMessage) -> EmailMessage:
        """Send the mail that the mailto: of List-Unsubscribe asks for (RFC 2369 §3.2); LookupError if there is none."""
        for target in str(mail["List-Unsubscribe"] or "").split(","):
            link = urlsplit(target.strip().strip("<>"))
            if link.scheme == "mailto":
                # Not parse_qs: in a mailto: a plus is a plus (RFC 6068 §5).
                pairs = (field.partition("=")[::2] for field in link.query.split("&"))
                fields = {name.lower(): unquote(value) for name, value in pairs}
                return self.write(
                    unquote(link.path),
                    fields.get("subject", "unsubscribe"),
                    fields.get("body", "unsubscribe"),
                )
        raise LookupError(mail["Message-ID"])

    def _letter(self, to: str, subject: str) -> EmailMessage:
        letter = EmailMessage()
        letter["From"] = f"{self.name} <{self.address}>" if self.name else self.address
        letter["To"] = to
        letter["Subject"] = subject
        letter["Date"] = formatdate(localtime=False)
        letter["Message-ID"] = make_msgid(domain=self.address.partition("@")[2])
        return letter


def _fits(mail: EmailMessage, subject: str, sender: str) -> bool:
    return subject.lower() in str(mail["Subject"] or "").lower() and sender.lower() in str(mail["From"] or "").lower()


def _answers_to(mail: EmailMessage) -> str:
    return parseaddr(str(mail["Reply-To"] or mail["From"]))[1]


def _re(subject: str) -> str:
    return subject if subject.lower().startswith("re:") else f"Re: {subject}"


def _quote(mail: EmailMessage) -> str:
    body = mail.get_body(("plain", "html"))
    text = "" if body is None else str(body.get_content())
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
