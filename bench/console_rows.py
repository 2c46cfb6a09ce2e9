"""The rows of a large installation, as SQL that makes them by itself: written once for both databases.

Of N leads each is in two sequences and got two messages in each; every second one wrote back twice. So there are
2 N enrollments, 4 N messages out and N in, N / 2 conversations; the messages are spread over ninety days, the numbers
over a year. Everything belongs to workspace 1, with 200 mailboxes and 20 sequences that are there already.
"""

from collections.abc import Iterator
from enum import StrEnum


class Dialect(StrEnum):
    """Whose SQL it is."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


class ROWS:
    """Where rows begin."""

    @staticmethod
    def first_incoming(leads: int) -> int:
        """Return the id of the first message that came in."""
        return 4 * leads + 1


_SPREAD = 90 * 86_400
_RAW = b"From: bo@ours.example\r\nSubject: A question\r\n\r\nHello, do you like tea?\r\n".hex()

LEADS = """
    INSERT INTO leads (workspace_id, id, email, fields, created_at)
    SELECT 1, i, 'p' || i || '@lead' || (i % 5000) || '.example',
        ('{"first_name": "Ann", "company": "Lead ' || (i % 5000) || '"}'){json}, {at:i % 7776000}
    FROM {series:leads}
"""
LISTS = """
    INSERT INTO lead_lists (workspace_id, list, lead_id, added_at)
    SELECT 1, 'list ' || (i % 20), i, {at:i % 7776000} FROM {series:leads}
"""
TOUCHES = """
    INSERT INTO touches (workspace_id, lead_id, at, source, detail)
    SELECT 1, i, {at:i % 7776000}, 'leads.csv', 'added' FROM {series:leads}
"""
ENROLLMENTS = """
    INSERT INTO enrollments (workspace_id, id, uid, sequence_id, version, lead_id, status, stop_reason, step, step_kind,
        step_counter, next_due_at, last_sent_at, replied_at, mailbox_id, created_at, ended_at)
    SELECT 1, i, 'u' || i, 1 + i % 10 + CASE WHEN i > {leads} THEN 10 ELSE 0 END, 1, (i - 1) % {leads} + 1,
        CASE i % 4 WHEN 0 THEN 'stopped' WHEN 1 THEN 'completed' WHEN 2 THEN 'active' ELSE 'paused' END,
        CASE WHEN i % 4 = 0 THEN 'replied' END, 'last', 'email', 3,
        CASE WHEN i % 4 > 1 THEN {at:-(i % 1000000)} END, {at:i % 7776000},
        CASE WHEN i % 4 = 0 THEN {at:i % 7776000} END, 1 + i % 200, {at:7776000},
        CASE WHEN i % 4 < 2 THEN {at:i % 7776000} END
    FROM {series:twice}
"""
HISTORY = """
    INSERT INTO enrollment_history (workspace_id, enrollment_id, at, from_status, to_status, event, cause, step,
        step_counter)
    SELECT 1, i, {at:7776000}, NULL, 'active', 'lead.enrolled', 'enrolled', 'intro', 1 FROM {series:twice}
"""
ATTEMPTS = """
    INSERT INTO attempts (workspace_id, id, enrollment_id, lead_id, sequence_id, mailbox_id, step, version,
        step_counter, variant, status, message_id, trace, recipient, subject, opens_thread, planned_at, holds_slot,
        slot_day, slot_hour, sent_at, sent_copy_at, created_at)
    SELECT 1, i, (i + 1) / 2, ((i + 1) / 2 - 1) % {leads} + 1,
        1 + (i + 1) / 2 % 10 + CASE WHEN (i + 1) / 2 > {leads} THEN 10 ELSE 0 END, 1 + (i + 1) / 2 % 200,
        CASE WHEN i % 2 = 1 THEN 'intro' ELSE 'bump' END, 1, 2 - i % 2, 'a', 'sent', '<a' || i || '@ours.example>',
        't' || i, 'p' || (((i + 1) / 2 - 1) % {leads} + 1) || '@lead.example', 'A question', {bool:i % 2 = 1},
        {at:i % 7776000}, {bool:1 = 1}, '2026-11-01', '2026-11-01T09', {at:i % 7776000}, {at:i % 7776000}, {at:7776000}
    FROM {series:four}
"""
OUT = """
    INSERT INTO messages (workspace_id, id, mailbox_id, direction, kind, at, received_at, folder, message_id,
        to_address, subject, content_key, raw, lead_id, enrollment_id, attempt_id, rules_version, confidence)
    SELECT 1, id, mailbox_id, 'out', 'sequence', sent_at, sent_at, '', message_id, recipient, subject, 'k' || id, {raw},
        lead_id, enrollment_id, id, 0, 'certain'
    FROM attempts
"""
IN = """
    INSERT INTO messages (workspace_id, id, mailbox_id, direction, kind, at, received_at, folder, message_id,
        from_address, to_address, subject, new_text, content_key, raw, lead_id, enrollment_id, attempt_id, matched_by,
        rules_version,
        confidence)
    SELECT 1, 4 * {leads} + i, 1 + (i + 1) / 2 * 2 % 200, 'in',
        CASE (i + 1) / 2 % 10 WHEN 0 THEN 'auto_reply' WHEN 1 THEN 'unsubscribe' ELSE 'human_reply' END,
        {at:i % 7776000}, {at:i % 7776000}, 'INBOX', '<i' || i || '@lead.example>',
        'p' || ((i + 1) / 2 * 2) || '@lead.example', 'bo@ours.example', 'Re: A question',
        'Thank you for the offer, let us speak of rare' || (i % 1000) || ' on Friday.', 'i' || i, {raw},
        (i + 1) / 2 * 2,
        (i + 1) / 2 * 2, (i + 1) / 2 * 4, 'In-Reply-To', 1, 'certain'
    FROM {series:leads}
"""
THREADS = """
    INSERT INTO threads (workspace_id, id, mailbox_id, lead_id, enrollment_id, sequence_id, kind, from_address, subject,
        preview, last_in_at, open, assignee_id)
    SELECT 1, i, 1 + i * 2 % 200, i * 2, i * 2, 1 + i * 2 % 10,
        CASE i % 10 WHEN 0 THEN 'auto_reply' WHEN 1 THEN 'unsubscribe' ELSE 'human_reply' END,
        'p' || (i * 2) || '@lead.example', 'Re: A question', 'Thank you for the offer', {at:i * 2 % 7776000},
        {bool:i % 50 = 0}, CASE WHEN i % 70 = 0 THEN 1 END
    FROM {series:half}
"""
WORDS = {
    Dialect.SQLITE: """
        INSERT INTO message_words (rowid, words)
        SELECT 4 * {leads} + i,
            'workspace1x thank you for the offer let us speak of rare' || (i % 1000) || ' on friday p' || i
        FROM {series:leads}
    """,
    Dialect.POSTGRES: """
        INSERT INTO message_words (workspace_id, message_id, words)
        SELECT 1, 4 * {leads} + i, array_to_tsvector(ARRAY['thank', 'you', 'for', 'the', 'offer', 'let', 'us', 'speak',
            'of', 'rare' || (i % 1000), 'on', 'friday', 'p' || i])
        FROM {series:leads}
    """,
}
EVENTS = """
    INSERT INTO events (workspace_id, at, name, detail, lead_id, enrollment_id, attempt_id, mailbox_id, sequence_id)
    SELECT 1, sent_at, 'step.accepted', 'step accepted', lead_id, enrollment_id, id, mailbox_id, sequence_id
    FROM attempts
"""
SUPPRESSIONS = """
    INSERT INTO suppressions (workspace_id, kind, value, scope, reason, source, created_at)
    SELECT 1, 'address', 'gone' || i || '@lead.example', 'workspace', 'unsubscribed', 'a message', {at:i}
    FROM {series:hundredth}
"""
NUMBERS = """
    INSERT INTO numbers (workspace_id, scope, scope_id, day, part, variant, contacted, sent, replied, positive, auto,
        bounced, opted_out)
    SELECT 1, 'sequence', 1 + i % 20, {day:i / 20}, '', '', 100, 250, 20, 4, 9, 2, 1 FROM {series:7300}
    UNION ALL
    SELECT 1, 'step', 1 + i % 20, {day:i / 60}, CASE i / 20 % 3 WHEN 0 THEN 'intro' WHEN 1 THEN 'bump' ELSE 'last' END,
        'a', 30, 80, 7, 1, 3, 1, 1 FROM {series:21900}
    UNION ALL
    SELECT 1, 'mailbox', 1 + i % 200, {day:i / 200}, '', '', 10, 25, 2, 1, 1, 0, 0 FROM {series:73000}
    UNION ALL
    SELECT 1, 'pair', 1 + i % 20, {day:i / 4000}, CAST(1 + i / 20 % 200 AS TEXT), '', 1, 2, 1, 0, 0, 0, 0
    FROM {series:360000}
"""
STANDING = """
    INSERT INTO standing (workspace_id, sequence_id, version, step, status, people)
    SELECT 1, 1 + i % 20, 1, 'last', CASE i / 20 % 4 WHEN 0 THEN 'stopped' WHEN 1 THEN 'completed' WHEN 2 THEN 'active'
        ELSE 'paused' END, {leads} / 40 FROM {series:80}
"""


def statements(dialect: Dialect, leads: int, now: float) -> Iterator[str]:
    """Yield the statements that fill a database, in their order."""
    for text in (
        LEADS, LISTS, TOUCHES, ENROLLMENTS, HISTORY, ATTEMPTS, OUT, IN, THREADS, WORDS[dialect], EVENTS, SUPPRESSIONS,
        NUMBERS, STANDING,
    ):  # fmt: skip
        yield _written(text, dialect, leads, now)
    if dialect is Dialect.POSTGRES:
        for table in ("leads", "enrollments", "attempts", "messages", "threads"):
            yield f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"


def _written(text: str, dialect: Dialect, leads: int, now: float) -> str:
    """Put what is in braces into one database's own words."""
    sizes = {"leads": leads, "twice": 2 * leads, "four": 4 * leads, "half": leads // 2, "hundredth": leads // 100}
    written = text.replace("{leads}", str(leads)).replace("{json}", "::jsonb" if dialect is Dialect.POSTGRES else "")
    written = written.replace("{raw}", f"'\\x{_RAW}'::bytea" if dialect is Dialect.POSTGRES else f"x'{_RAW}'")
    while "{" in written:
        before, _, rest = written.partition("{")
        if not rest.startswith(("at:", "day:", "bool:", "series:")):
            written = f"{before}\x01{rest}"  # a brace of JSON
            continue
        kind, _, rest = rest.partition(":")
        inside, _, after = rest.partition("}")
        written = before + _MAKERS[kind](inside, dialect, sizes, now) + after
    return written.replace("\x01", "{")


def _at(seconds: str, dialect: Dialect, _: dict[str, int], now: float) -> str:
    """Return the instant so many seconds ago."""
    if dialect is Dialect.POSTGRES:
        return f"to_timestamp({now} - ({seconds}))"
    return f"strftime('%Y-%m-%dT%H:%M:%f000Z', {now} - ({seconds}), 'unixepoch')"


def _day(days: str, dialect: Dialect, _: dict[str, int], now: float) -> str:
    """Return the day so many days ago."""
    if dialect is Dialect.POSTGRES:
        return f"to_char(to_timestamp({now} - 86400 * ({days})) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    return f"strftime('%Y-%m-%d', {now} - 86400 * ({days}), 'unixepoch')"


def _bool(condition: str, dialect: Dialect, _: dict[str, int], __: float) -> str:
    """Return whether something holds."""
    return f"({condition})" if dialect is Dialect.POSTGRES else f"({condition}) + 0"


def _series(size: str, dialect: Dialect, sizes: dict[str, int], _: float) -> str:
    """Return the numbers from 1 on; days and places in cycles begin at nought."""
    most = sizes[size] if size in sizes else int(size)
    first = 1 if size in sizes else 0
    last = most if size in sizes else most - 1
    if dialect is Dialect.POSTGRES:
        return f"generate_series({first}::bigint, {last}::bigint) AS n (i)"
    counting = f"WITH RECURSIVE n (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last})"
    return f"({counting} SELECT i FROM n) AS n"


_MAKERS = {"at": _at, "day": _day, "bool": _bool, "series": _series}
