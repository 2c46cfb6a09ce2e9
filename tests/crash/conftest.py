"""One theatre for each store and worker."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from crash.theatre import Theatre, hasty_server

STORES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(scope="session", params=STORES)
def theatre(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """Return the servers, a prepared installation and the process that forks the product, for one store."""
    with ExitStack() as closing:
        folder, cluster = tmp_path_factory.mktemp("crash"), None
        if request.param == "postgres":
            cluster = closing.enter_context(hasty_server(folder / "server"))
        yield closing.enter_context(Theatre.open(folder, cluster))
