"""What people and mailboxes hold after a story, read with the standard library: steps, threads, copies, flags."""

import re
from collections.abc import Iterable, Sequence
from email.message import EmailMessage
from email.utils import parseaddr

from acceptance.realservers import RealImap, Role
from acceptance.realservers.client import imap_session, quoted

#: Each step of a test's sequence says its name in its text; a quoted line does not count.
_STEP = re.compile(r"^This is step (\w+)\.", re.MULTILINE)
_FLAGS = re.compile(rb"FLAGS \(([^)]*)\)")


def three_steps(*, after: str = "5s") -> str:
    """Return the steps `intro`, `bump` and `last` of a sequence file, all in one thread."""
    follow_ups = "".join(
        f"  - id: {name}\n    kind: email\n    after: {after}\n"
        f'    text: "Hello {{{{ first_name }}}},\\n\\nThis is step {name}.\\n"\n'
        for name in ("bump", "last")
    )
    return one_step() + follow_ups


def one_step(name: str = "intro") -> str:
    """Return the first step of a sequence file."""
    return (
        f'  - id: {name}\n    kind: email\n    subject: "A question about {{{{ company }}}}"\n'
        f'    text: "Hello {{{{ first_name }}}},\\n\\nThis is step {name}.\\n"\n'
    )


def step_of(mail: EmailMessage) -> str | None:
    """Return which step a message is, or None if it is none of ours."""
    body = mail.get_body(("plain",))
    found = _STEP.search("" if body is None else str(body.get_content()).replace("\r\n", "\n"))
    return found.group(1) if found else None


def steps_in(mails: Iterable[EmailMessage]) -> list[str]:
    """Return the steps among some messages, in their order."""
    return [step for mail in mails if (step := step_of(mail)) is not None]


def assert_one_thread(mails: Sequence[EmailMessage]) -> None:
    """Each follow-up names the message before it, and all of them, in order (RFC 5322 §3.6.4)."""
    ids = [str(mail["Message-ID"]).strip() for mail in mails]
    assert [None, *ids[:-1]] == [mail["In-Reply-To"] and str(mail["In-Reply-To"]).strip() for mail in mails]
    assert [ids[:n] for n in range(len(ids))] == [str(mail["References"] or "").split() for mail in mails]
    subject = str(mails[0]["Subject"])
    assert [subject, *[f"Re: {subject}"] * (len(mails) - 1)] == [str(mail["Subject"]) for mail in mails]


def sent_copies(world: RealImap, *addresses: str) -> list[tuple[str, str]]:
    """Return recipient and Message-ID of every step in the Sent folders, sorted."""
    return sorted(
        to_and_id(mail) for address in addresses for mail in world.folder(address, Role.SENT) if step_of(mail)
    )


def to_and_id(mail: EmailMessage) -> tuple[str, str]:
    """Return a message's recipient, without the name, and its Message-ID."""
    return parseaddr(str(mail["To"]))[1], str(mail["Message-ID"]).strip()


def flags_by_id(world: RealImap, address: str, wire: str = "INBOX") -> dict[str, set[str]]:
    """Return Message-ID → flags of everything in a folder, looked at without changing them."""
    found: dict[str, set[str]] = {}
    with imap_session(world.imap(), ca_file=world.ca_file, login=(address, world.password(address))) as session:
        status, answer = session.select(quoted(wire), readonly=True)
        assert status == "OK", answer
        if answer == [b"0"]:
            return found
        _, parts = session.uid("FETCH", "1:*", "(FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")
        for part in parts:
            if isinstance(part, tuple):
                flags = _FLAGS.search(part[0])
                assert flags is not None, part
                found[part[1].decode("ascii").partition(":")[2].strip()] = set(flags[1].decode("ascii").split())
    return found
