"""One theatre for each store and worker."""

from collections.abc import Iterator

import pytest

from crash.theatre import Theatre, hasty_server
from postgres_cluster import Cluster

STORES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a PostgreSQL server that may be killed."""
    with hasty_server(tmp_path_factory.mktemp("postgres") / "server") as cluster:
        yield cluster


@pytest.fixture(scope="session", params=STORES)
def theatre(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """Return the servers, a prepared installation and the process that forks the product, for one store."""
    cluster = request.getfixturevalue("server") if request.param == "postgres" else None
    with Theatre.open(tmp_path_factory.mktemp("crash"), cluster) as opened:
        yield opened
