"""What a person can choose above the steps, in words; the values are those of a sequence file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One question with its answers; the first answer is the default."""

    label: str
    answers: tuple[tuple[str, str], ...]
    hint: str | None = None


OPTIONS: Final[Mapping[str, Option]] = {
    "stop_scope": Option(
        label="A reply ends",
        answers=(
            ("lead", "every enrollment of the person"),
            ("enrollment", "this enrollment alone"),
            ("company", "those of the whole company"),
        ),
    ),
    "on_auto_reply": Option(
        label="After an auto-reply",
        answers=(("continue", "go on"), ("hold_until_return", "wait until the person is back")),
    ),
    "on_manual_reply": Option(label="When one of us writes by hand", answers=(("stop", "stop"), ("continue", "go on"))),
    "on_note": Option(label="When a note is added", answers=(("pause", "pause"), ("continue", "go on"))),
    "on_unknown": Option(
        label="When nobody knows whether a message left",
        answers=(("wait", "wait for a person"), ("assume_sent", "take it as sent")),
    ),
    "order": Option(
        label="Whose turn is it",
        answers=(
            ("follow_ups_first", "follow-ups first"),
            ("new_leads_first", "new people first"),
            ("most_due_first", "whoever has been due for longest"),
        ),
    ),
    "rotation": Option(
        label="Which mailbox opens the next conversation",
        answers=(
            ("least_recent", "the one that has sent nothing for longest"),
            ("least_loaded", "the one that has used the least of its cap"),
            ("weighted", "by the mailboxes' weights"),
        ),
    ),
    "delivery": Option(
        label="Messages", answers=(("send", "are sent"), ("record_only", "are only recorded; nothing leaves"))
    ),
    "verification": Option(
        label="Check an address before the first message",
        answers=(("off", "no"), ("mx", "whether its domain takes mail"), ("rcpt", "whether its server knows it")),
    ),
    "match_provider": Option(
        label="Write from a mailbox at the person's own provider",
        answers=(("off", "no"), ("prefer", "where one is free"), ("only", "always")),
    ),
    "send_time": Option(
        label="Wait for the hour at which the person reads mail",
        answers=(("off", "no"), ("opens", "by what they opened before")),
    ),
}
