"""What an engine says of its loops, for another process to read."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from relance import app
from relance.app.loop_health import HealthReport, read_health, write_health
from relance.app.running import running_engine
from relance.config import read_config
from relance.engine.supervisor import Health

LIMIT = 20.0  #: Real seconds that a first report may take.


def test_what_was_written_is_read(tmp_path: Path):
    """Whole, with the engine and its time."""
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    loops = (
        Health(loop="poller", running=True, restarts=2, last_error="no", failing=True),
        Health(loop="walker", running=True, restarts=0, last_error=None),
    )
    write_health(tmp_path / "engine.health", loops, worker="w1", at=at)

    assert HealthReport(worker="w1", at=at, loops=loops) == read_health(tmp_path / "engine.health")
    assert ["engine.health"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"worker": "w", "at": "never", "loops": []}', '{"at": 1}'])
def test_what_cannot_be_read_is_no_report(tmp_path: Path, content: str | None):
    """The file is for people who look; nothing depends on it."""
    path = tmp_path / "engine.health"
    if content is not None:
        path.write_text(content, encoding="utf-8")

    assert read_health(path) is None


async def test_a_running_engine_reports_every_loop(tmp_path: Path):
    """As soon as it runs."""
    config = read_config(environment={}, data=str(tmp_path / "data"))
    installation = app.init_installation(config)
    await app.settle_installation(installation, timezone=None)
    async with running_engine(installation) as engine, asyncio.timeout(LIMIT):
        while (report := read_health(config.data / "engine.health")) is None:  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0.01)
        expected = {one.loop for one in engine.health()}
    await installation.close()

    assert expected == {one.loop for one in report.loops}
    assert all(one.running and not one.failing for one in report.loops)
