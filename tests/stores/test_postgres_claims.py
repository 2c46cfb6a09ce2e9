"""Two workers over one PostgreSQL never dispatch the same enrollment."""

import asyncio
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from relance.storage.postgres import PostgresStore

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 30, 9, 2, tzinfo=UTC)
LIMIT = 30
PEOPLE = 40
FILL = """
    INSERT INTO workspaces (id, uid, name, wrapped_key, created_at) VALUES (1, 'u', 'w', '', now());
    INSERT INTO sequences (workspace_id, id, name, status, version, created_at) VALUES (1, 1, 's', 'live', 1, now());
    INSERT INTO sequence_versions (workspace_id, sequence_id, version, document, digest, created_at)
        VALUES (1, 1, 1, '{}', 'd', now());
    INSERT INTO leads (workspace_id, id, email, created_at)
        SELECT 1, n, n || '@example.com', now() FROM generate_series(1, 40) n;
    INSERT INTO enrollments (workspace_id, id, uid, sequence_id, version, lead_id, status, step, step_kind,
                             step_counter, next_due_at, created_at)
        SELECT 1, n, 'e' || n, 1, 1, n, 'active', 'intro', 'email', 1,
               timestamptz '2026-11-30T08:00:00Z' + n * interval '1 second', now() FROM generate_series(1, 40) n;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What a claim is made of."""

    id: int
    step_counter: int
    ready_at: datetime


@pytest.fixture
async def store(schema_url):
    """Return a PostgreSQL store with forty people who are due."""
    with psycopg.connect(schema_url, autocommit=True) as connection:
        connection.execute(FILL)
    opened = PostgresStore(schema_url)
    yield opened
    await opened.close()


def earliest(tx):
    """Return the most due lead that nobody else looks at."""
    return tx.one(Ready, "enrollments.earliest_of_pool", workspace_id=1, sequence_id=1, lane="", now=NOW)


def claim(tx, ready, worker):
    """Lock it for this worker and return how many rows that changed."""
    return tx.run(
        "enrollments.claim",
        workspace_id=1,
        id=ready.id,
        step_counter=ready.step_counter,
        worker=worker,
        lock_expires_at=NOW + timedelta(seconds=30),
        now=NOW,
    )


async def test_transactions_that_claim_at_once_see_different_rows(store):
    """Each holds its row until it commits; the others skip it and do not wait."""
    all_have_one = threading.Barrier(4, timeout=LIMIT)

    def hold(tx, worker):
        ready = earliest(tx)
        all_have_one.wait()
        assert 1 == claim(tx, ready, worker)
        return ready.id

    claimed = await asyncio.gather(*(store.write(hold, f"w{n}") for n in range(4)))

    assert [1, 2, 3, 4] == sorted(claimed)


async def test_workers_that_race_through_a_backlog_claim_everyone_once(store):
    """Nobody is claimed twice and nobody is left."""

    def take(tx, worker):
        ready = earliest(tx)
        return ready and claim(tx, ready, worker) and ready.id

    async def work(worker):
        mine: list[int] = []
        while taken := await store.write(take, worker):
            mine.append(taken)
        return mine

    claimed = [taken for mine in await asyncio.gather(*(work(f"w{n}") for n in range(6))) for taken in mine]

    assert list(range(1, PEOPLE + 1)) == sorted(claimed)


async def test_a_claim_of_a_row_that_moved_changes_nothing(store):
    """Whoever read it before it was claimed finds it taken, and its revision has grown."""
    ready = await store.write(earliest)

    assert [1, 0] == [await store.write(claim, ready, worker) for worker in ("a", "b")]
