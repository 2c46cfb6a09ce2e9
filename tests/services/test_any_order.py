"""Whatever happens in whatever order: nobody gets a step twice, nothing leaks, every row tells a true story."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from relance.ports.store import Store
from relance.storage.opening import open_store
from services.machine import LifeMachine
from store_places import postgres_place, sqlite_place


def test_any_order_over_sqlite(tmp_path):
    """The rules of `services.machine`, over a fresh database for every life."""
    template = sqlite_place(tmp_path)

    class OverSqlite(LifeMachine):
        async def open(self) -> Store:
            self.folder = Path(tempfile.mkdtemp(dir=tmp_path))
            return open_store(Path(shutil.copy(template, self.folder / "life.db")))

        async def close(self, store: Store) -> None:
            await store.close()
            shutil.rmtree(self.folder)

    run_state_machine_as_test(OverSqlite, settings=settings(max_examples=60, stateful_step_count=20, deadline=None))


@pytest.mark.postgres
def test_any_order_over_postgres(postgres_databases):
    """Fewer lives, the same rules."""

    class OverPostgres(LifeMachine):
        async def open(self) -> Store:
            self.mine = postgres_place(postgres_databases)
            return open_store(self.mine)

        async def close(self, store: Store) -> None:
            await store.close()
            postgres_databases.drop(self.mine)

    few = settings(max_examples=4, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    run_state_machine_as_test(OverPostgres, settings=few)
