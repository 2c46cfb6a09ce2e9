"""What both databases refuse, whatever the code above believes. Plain SQL on purpose."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import apsw
import psycopg
import pytest

from postgres_server import Databases
from store_places import postgres_place

Rows = list[tuple[Any, ...]]
Run = Callable[[str], Rows]
REFUSED = (apsw.ConstraintError, psycopg.IntegrityError)
T = "'2026-11-30T09:00:00.000000Z'"


@pytest.fixture(scope="module")
def connection(postgres_databases: Databases) -> Iterator[psycopg.Connection]:
    """Return a connection to a PostgreSQL database with its schema."""
    url = postgres_place(postgres_databases)
    with psycopg.connect(url, autocommit=True) as opened:
        yield opened
    postgres_databases.drop(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Return a function that runs one statement and returns its rows, on each kind of database, over two workspaces.

    A statement that is refused is undone alone. What the test did is undone after it.
    """
    if request.param == "postgres":
        postgres: psycopg.Connection = request.getfixturevalue("connection")

        def run_postgres(statement: str) -> Rows:
            with postgres.transaction():
                cursor = postgres.execute(statement)
                return cursor.fetchall() if cursor.description else []

        with postgres.transaction(force_rollback=True):
            fill(run_postgres, no_bytes="''::bytea", one_byte="'x'::bytea")
            yield run_postgres
    else:
        lite = apsw.Connection(str(request.getfixturevalue("sqlite_path")))
        lite.pragma("foreign_keys", 1)

        def run_sqlite(statement: str) -> Rows:
            return lite.execute(statement).fetchall()

        fill(run_sqlite, no_bytes="x''", one_byte="x'78'")
        yield run_sqlite
        lite.close()


def fill(run: Run, *, no_bytes: str, one_byte: str) -> None:
    """Make two workspaces with a lead, a mailbox and a live sequence each; every id is the workspace's number."""
    for n in (1, 2):
        run(
            "INSERT INTO workspaces (id, uid, name, wrapped_key, created_at) "
            f"VALUES ({n}, 'u{n}', 'w{n}', {no_bytes}, {T})",
        )
        run(f"INSERT INTO leads (workspace_id, id, email, created_at) VALUES ({n}, {n}, 'a@example.com', {T})")
        run(
            "INSERT INTO mailboxes (workspace_id, id, provider, login, address, status, shard, created_at) "
            f"VALUES ({n}, {n}, 'smtp_imap', 'm{n}', 'm{n}@example.com', 'active', 0, {T})",
        )
        run(
            "INSERT INTO sequences (workspace_id, id, name, status, version, created_at) "
            f"VALUES ({n}, {n}, 's', 'live', 1, {T})",
        )
        run(
            "INSERT INTO sequence_versions (workspace_id, sequence_id, version, document, digest, created_at) "
            f"VALUES ({n}, {n}, 1, '{{}}', 'd', {T})",
        )
        run(
            "INSERT INTO attachments (workspace_id, sha256, content, created_at) "
            f"VALUES ({n}, '{'a' * 64}', {one_byte}, {T})",
        )


def insert(table: str, **values: str) -> str:
    """Write an INSERT; values are SQL."""
    return f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(values.values())})"


def enrollment(**changed: str) -> str:
    """Write the INSERT of an active enrollment, changed."""
    values = {
        "workspace_id": "1",
        "id": "1",
        "uid": "'e1'",
        "sequence_id": "1",
        "version": "1",
        "lead_id": "1",
        "status": "'active'",
        "step": "'intro'",
        "step_kind": "'email'",
        "step_counter": "1",
        "next_due_at": T,
        "created_at": T,
    }
    return insert("enrollments", **{**values, **changed})


def attempt(**changed: str) -> str:
    """Write the INSERT of a reserved attempt, changed."""
    values = {
        "workspace_id": "1",
        "enrollment_id": "1",
        "lead_id": "1",
        "sequence_id": "1",
        "mailbox_id": "1",
        "step": "'intro'",
        "version": "1",
        "step_counter": "1",
        "variant": "'a'",
        "status": "'reserved'",
        "message_id": "'<1@example.com>'",
        "trace": "'t'",
        "recipient": "'a@example.com'",
        "opens_thread": "TRUE",
        "planned_at": T,
        "holds_slot": "TRUE",
        "slot_day": "'2026-11-30'",
        "slot_hour": "'2026-11-30T09'",
        "created_at": T,
    }
    return insert("attempts", **{**values, **changed})


ENDED = {"ended_at": T, "next_due_at": "NULL"}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"status": "'waiting'", "step_kind": "'wait'"},
        {"status": "'paused'"},
        {"status": "'held'", "hold_reason": "'missing_value:company'"},
        {"status": "'completed'", **ENDED},
        {"status": "'stopped'", "stop_reason": "'replied'", **ENDED},
        {"status": "'blocked'", "stop_reason": "'step_ceiling'", **ENDED},
        {"status": "'suppressed'", **ENDED},
        {"status": "'holdout'", **ENDED},
        {"lock_holder": "'w'", "lock_expires_at": T},
    ],
)
def test_each_status_is_accepted_with_its_columns(run, changed):
    """The CHECKs say no to nothing that the rules allow."""
    run(enrollment(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "'sleeping'"},
        {"status": "'stopped'", **ENDED},
        {"status": "'blocked'", **ENDED},
        {"stop_reason": "'replied'"},
        {"status": "'completed'", "stop_reason": "'replied'", **ENDED},
        {"status": "'held'"},
        {"status": "'completed'", "next_due_at": "NULL"},
        {"status": "'completed'", "ended_at": T},
        {"status": "'completed'", "skip_until": T, **ENDED},
        {"status": "'completed'", "lock_holder": "'w'", "lock_expires_at": T, **ENDED},
        {"ended_at": T},
        {"next_due_at": "NULL"},
        {"status": "'waiting'", "next_due_at": "NULL"},
        {"status": "'paused'", "next_due_at": "NULL"},
        {"status": "'held'", "hold_reason": "'replied'", "next_due_at": "NULL"},
        {"status": "'stopped'", "stop_reason": "'bored'", **ENDED},
        {"lock_holder": "'w'"},
        {"lock_expires_at": T},
        {"step_counter": "0"},
        {"step_kind": "'telepathy'"},
        {"version": "2"},
        {"lead_id": "2"},
        {"mailbox_id": "2"},
        {"sequence_id": "2"},
        {"consecutive_failures": "-1"},
    ],
)
def test_a_status_without_its_columns_is_refused(run, changed):
    """A bug above becomes an error here and not a lead in limbo; no row points into another workspace."""
    with pytest.raises(REFUSED):
        run(enrollment(**changed))


def test_a_lead_is_in_a_sequence_once(run):
    """Two imports that race enroll once."""
    run(enrollment())

    with pytest.raises(REFUSED):
        run(enrollment(id="2", uid="'e2'"))
    run(enrollment(workspace_id="2", id="2", sequence_id="2", lead_id="2"))


IN_FLIGHT = {"status": "'in_flight'", "release_by": T, "began_at": T}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        IN_FLIGHT,
        {**IN_FLIGHT, "status": "'unknown'"},
        {"status": "'sent'", "sent_at": T},
        {"status": "'failed'"},
        {"status": "'voided'"},
        {"status": "'not_delivered'", "mailbox_id": "NULL"},
    ],
)
def test_each_attempt_is_accepted_with_its_columns(run, changed):
    """The CHECKs say no to nothing that the rules allow."""
    run(enrollment())
    run(attempt(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "'lost'"},
        {"sent_at": T},
        {"status": "'sent'"},
        {"status": "'in_flight'", "release_by": T},
        {"status": "'in_flight'", "began_at": T},
        {"status": "'unknown'"},
        {"enrollment_id": "9"},
        {"lead_id": "2"},
        {"mailbox_id": "2"},
        {"mailbox_id": "NULL"},
        {"status": "'not_delivered'"},
        {"version": "2"},
        {"message_id": "''"},
        {"step_counter": "0"},
    ],
)
def test_an_attempt_without_its_columns_is_refused(run, changed):
    """`sent` has its time and `reserved` proves that nothing left."""
    run(enrollment())
    with pytest.raises(REFUSED):
        run(attempt(**changed))


def test_a_step_counter_is_attempted_once(run):
    """The right to send one step once, also after the first one ended."""
    run(enrollment())
    run(attempt(status="'failed'"))

    with pytest.raises(REFUSED):
        run(attempt(message_id="'<2@example.com>'"))


@pytest.mark.parametrize("first", [{}, IN_FLIGHT, {**IN_FLIGHT, "status": "'unknown'"}])
def test_an_enrollment_has_one_open_attempt(run, first):
    """Reserved, in flight and unknown all keep the next step from being reserved."""
    run(enrollment())
    run(attempt(**first))
    with pytest.raises(REFUSED):
        run(attempt(step_counter="2", message_id="'<2@example.com>'"))
    run(attempt(step_counter="2", message_id="'<2@example.com>'", status="'voided'"))


def test_a_message_id_is_used_once(run):
    """An answer to it belongs to one attempt."""
    run(enrollment())
    run(attempt(status="'failed'"))

    with pytest.raises(REFUSED):
        run(attempt(step_counter="2"))


def test_a_mailbox_is_connected_once_in_the_whole_installation(run):
    """Two workspaces would each take its full cap; a removed one may come back."""
    again = insert(
        "mailboxes",
        workspace_id="2",
        id="3",
        provider="'smtp_imap'",
        login="'m1'",
        address="'m1@example.com'",
        status="'active'",
        shard="0",
        created_at=T,
    )
    with pytest.raises(REFUSED):
        run(again)
    run("UPDATE mailboxes SET status = 'removed' WHERE workspace_id = 1")
    run(again)


def test_identities_are_unique_where_they_are_present(run):
    """Many leads have no external id; two with the same one are one person. Colleagues share a phone."""
    ids = itertools.count(10)

    def lead(n, **more):
        return insert("leads", workspace_id="1", id=f"{next(ids)}", email=f"'{n}@example.com'", created_at=T, **more)

    run(lead("colleague", phone="'+4930'"))
    run(lead("another", phone="'+4930'"))
    for identity in ("external_id", "linkedin_url"):
        run(lead(f"none-{identity}"))
        run(lead(f"first-{identity}", **{identity: "'+4930'"}))
        with pytest.raises(REFUSED):
            run(lead(f"second-{identity}", **{identity: "'+4930'"}))


@pytest.mark.parametrize("used, change", [("1", "-2"), ("0", "-1")])
def test_usage_never_goes_below_nothing(run, used, change):
    """Giving a slot back twice would let a mailbox send more than its cap."""
    run(insert("usage", workspace_id="1", scope="'mailbox_day'", scope_id="1", bucket="'2026-11-30'", used=used))

    with pytest.raises(REFUSED):
        run(f"UPDATE usage SET used = used + {change}")


HISTORY = insert(
    "enrollment_history",
    workspace_id="1",
    enrollment_id="1",
    at=T,
    to_status="'active'",
    event="'lead.enrolled'",
    cause="'c'",
    step="'intro'",
    step_counter="1",
)


@pytest.mark.parametrize(
    "table, made, changed",
    [
        ("events", insert("events", workspace_id="1", at=T, name="'lead.enrolled'", detail="'d'"), "detail = ''"),
        ("enrollment_history", HISTORY, "cause = ''"),
        ("opt_outs", insert("opt_outs", workspace_id="1", digest="'d'", reason="'r'", at=T), "digest = 'x'"),
        ("sequence_versions", None, "document = '[]'"),
        ("attachments", None, "created_at = created_at"),
        ("notes", insert("notes", workspace_id="1", lead_id="1", at=T, author="'o'", text="'hello'"), "text = 'bye'"),
        ("attempts", attempt(), "step_counter = 2"),
        (
            "messages",
            insert(
                "messages",
                workspace_id="1",
                mailbox_id="1",
                direction="'in'",
                kind="'other'",
                folder="'INBOX'",
                at=T,
                received_at=T,
                content_key="'k'",
                rules_version="1",
                confidence="'guess'",
            ),
            "direction = 'out'",
        ),
    ],
)
def test_what_is_append_only_refuses_to_change_and_to_go(run, table, made, changed):
    """Whoever asks later finds what was written then."""
    run(enrollment())
    if made:
        run(made)

    with pytest.raises(REFUSED, match="append-only"):
        run(f"UPDATE {table} SET {changed}")
    with pytest.raises(REFUSED, match="append-only"):
        run(f"DELETE FROM {table}")


def test_a_note_can_be_emptied_and_moved_to_the_lead_it_was_merged_into(run):
    """Erasing a person takes the words and leaves the fact."""
    run(insert("leads", workspace_id="1", id="7", email="'b@example.com'", created_at=T))
    run(insert("notes", workspace_id="1", lead_id="1", at=T, author="'o'", text="'hello'"))
    run("UPDATE notes SET lead_id = 7")
    run("UPDATE notes SET text = ''")


def test_the_same_message_is_stored_once_in_a_mailbox(run):
    """A folder that is read again after a lost cursor brings nothing twice."""

    def message(mailbox):
        return insert(
            "messages",
            workspace_id=mailbox,
            mailbox_id=mailbox,
            direction="'in'",
            kind="'human_reply'",
            at=T,
            received_at=T,
            folder="'INBOX'",
            content_key="'k'",
            rules_version="1",
            confidence="'certain'",
        )

    run(message("1"))
    run(message("2"))
    with pytest.raises(REFUSED):
        run(message("1"))


@pytest.mark.parametrize(
    "changed, domain",
    [("'a@example.com'", "example.com"), ("'\"odd@local\"@sub.example.com'", "sub.example.com")],
)
def test_a_lead_knows_its_domain(run, changed, domain):
    """It is what follows the last @, and `stop_scope: company` finds it by an index."""
    run("UPDATE leads SET email = 'moved@example.org' WHERE workspace_id = 1")
    run(insert("leads", workspace_id="1", id="9", email=changed, created_at=T))
    found = run(f"SELECT count(*) FROM leads WHERE workspace_id = 1 AND id = 9 AND domain = '{domain}'")

    assert 1 == found[0][0]


@pytest.mark.parametrize(
    "due, skip, ready",
    [("09", None, "09"), ("09", "11", "11"), ("11", "09", "11"), (None, None, None)],
)
def test_a_row_is_ready_at_the_later_of_its_two_times(run, due, skip, ready):
    """The due time never slides, and a deferral orders claims."""

    def at(hour):
        return f"'2026-11-30T{hour}:00:00.000000Z'" if hour else "NULL"

    ended = {} if due else {"status": "'completed'", "ended_at": T}
    run(enrollment(next_due_at=at(due), skip_until=at(skip), **ended))
    condition = f"ready_at = {at(ready)}" if ready else "ready_at IS NULL"

    assert 1 == run(f"SELECT count(*) FROM enrollments WHERE {condition}")[0][0]


def test_an_attempt_is_about_the_person_of_its_enrollment(run):
    """Whom it was sent to and whose run it moves can never come apart."""
    run(enrollment())
    run(insert("leads", workspace_id="1", id="9", email="'b@example.com'", created_at=T))
    with pytest.raises(REFUSED):
        run(attempt(lead_id="9"))


@pytest.mark.parametrize("column", ["from_status", "to_status"])
def test_history_knows_only_the_statuses_of_the_rules(run, column):
    """What it says happened can be replayed."""
    run(enrollment())
    entry = {
        "workspace_id": "1",
        "enrollment_id": "1",
        "at": T,
        "from_status": "'active'",
        "to_status": "'paused'",
        "event": "'enrollment.paused'",
        "cause": "'a person'",
        "step": "'intro'",
        "step_counter": "1",
    }
    run(insert("enrollment_history", **entry))
    with pytest.raises(REFUSED):
        run(insert("enrollment_history", **{**entry, column: "'asleep'"}))
