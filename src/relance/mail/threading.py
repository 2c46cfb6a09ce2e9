"""What makes a follow-up appear under the message it follows: its subject and its References (RFC 5322 §3.6.4)."""

import re
from collections.abc import Sequence

MAX_REFERENCES = 20  #: Ids in a References header.
MAX_CHARACTERS = 4_000  #: Of all ids together: some gateways refuse long headers.

_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,995}>")
_REPLY_PREFIXES = re.compile(
    r"(?:\s*(?:re|aw|antw|sv|vs|odp|回复|答复|返信)\s*(?:\[\d{1,3}\]|\(\d{1,3}\))?\s*[:\uff1a])+\s*",
    re.IGNORECASE,
)


def reply_subject(original_subject: str) -> str:
    """Put `Re: ` before a subject, once, however many reply prefixes it already has."""
    found = _REPLY_PREFIXES.match(original_subject)
    rest = original_subject[found.end() :] if found else original_subject
    return f"Re: {rest.strip()}".rstrip()


def references_for(previous_references: Sequence[str], previous_message_id: str) -> tuple[str, ...]:
    """Return the References of an answer to the message that had these, oldest first.

    The first id (the thread's root) and the newest ones stay when the chain grows too long. What is no id in angle
    brackets, as broken software sends it, is left out.
    """
    chain = [each for each in dict.fromkeys(previous_references) if _MESSAGE_ID.fullmatch(each)]
    if _MESSAGE_ID.fullmatch(previous_message_id):
        chain = [each for each in chain if each != previous_message_id] + [previous_message_id]
    if not chain:
        return ()
    root, rest = chain[0], chain[1:]
    newest: list[str] = []
    room = MAX_CHARACTERS - len(root)
    for each in reversed(rest[-(MAX_REFERENCES - 1) :]):
        room -= len(each) + 1
        if room < 0 and newest:
            break
        newest.append(each)
    return (root, *reversed(newest))
