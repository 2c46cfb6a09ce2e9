"""What composing one message costs: our builder beside the standard library's EmailMessage, in the same run.

Run: `.venv/bin/python bench/compose.py [MESSAGES]`. Prints microseconds for one message, the best of five rounds.
"""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage

from relance.mail.compose import Draft, compose

ORACLE = policy.SMTP.clone(max_line_length=998)
TEXT = "Grüß Gott Ann,\n\n" + "ein Satz, wie er in jeder Nachricht dieser Art steht, und noch einer dahinter.\n" * 12
HTML = f"<p>{TEXT}</p>"
DRAFT = Draft(
    from_address="bea@relay.test",
    from_name="Bea Müller, Büro",
    to_address="ann@lead.test",
    to_name="Ann Lee",
    subject="Re: Eine Frage zu Lee & Söhne",
    text=TEXT,
    html=HTML,
    message_id="<0123456789abcdef0123456789abcdef@relay.test>",
    date=datetime(2026, 12, 1, 9, 0, tzinfo=UTC),
    in_reply_to="<fedcba9876543210fedcba9876543210@relay.test>",
    references=("<fedcba9876543210fedcba9876543210@relay.test>",),
    list_unsubscribe=("mailto:bea@relay.test?subject=unsubscribe",),
    headers=(("X-Trace-Ref", "0123456789abcdef0123456789abcdef"),),
)


def by_the_standard_library() -> bytes:
    """Build the same message the usual way."""
    message = EmailMessage(policy=ORACLE)
    message["From"] = Address(DRAFT.from_name or "", addr_spec=DRAFT.from_address)
    message["To"] = Address(DRAFT.to_name or "", addr_spec=DRAFT.to_address)
    message["Subject"] = DRAFT.subject
    message["Date"] = DRAFT.date
    message["Message-ID"] = DRAFT.message_id
    message["In-Reply-To"] = DRAFT.in_reply_to
    message["References"] = " ".join(DRAFT.references)
    message["List-Unsubscribe"] = f"<{DRAFT.list_unsubscribe[0]}>"
    for name, value in DRAFT.headers:
        message[name] = value
    message.set_content(DRAFT.text, cte="quoted-printable")
    message.add_alternative(DRAFT.html, subtype="html", cte="quoted-printable")
    return message.as_bytes()


def microseconds(build: Callable[[], bytes], messages: int) -> float:
    """Time one message; the best of five rounds, for other work on the machine only ever adds."""
    rounds = []
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(messages):
            build()
        rounds.append((time.perf_counter() - started) / messages)
    return min(rounds) * 1e6


def main() -> None:
    """Print both figures and their ratio."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    ours = microseconds(lambda: compose(DRAFT), messages)
    theirs = microseconds(by_the_standard_library, messages)
    print(f"relance.mail.compose  {ours:8.1f} µs a message of {len(compose(DRAFT))} bytes")
    print(f"email.message         {theirs:8.1f} µs a message of {len(by_the_standard_library())} bytes")
    print(f"ratio                 {theirs / ours:8.1f}")


if __name__ == "__main__":
    main()
