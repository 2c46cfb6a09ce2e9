"""Forecasts for pages: asked of the command itself, in a process of its own."""

import pytest

from relance.app import init_installation, settle_installation
from relance.app.foreseeing import Foreseer
from relance.config import Config
from relance.services.refusals import RefusedError


@pytest.fixture
async def installation(tmp_path):
    """Return a new installation."""
    made = init_installation(Config(data=tmp_path / "data", master_key_file=tmp_path / "data" / "master.key"))
    await settle_installation(made, timezone=None)
    yield made
    await made.close()


async def test_a_forecast_has_the_facts_of_the_command(installation):
    """Only options that the command has are asked."""
    found = await Foreseer(installation)("default", {"days": "3", "nonsense": "1"})

    assert (0, [], []) == (found["sends"], found["days"], found["sequences"])


async def test_what_the_command_refuses_is_refused_in_its_words(installation):
    """A page shows the sentence as it is."""
    with pytest.raises(RefusedError, match="there is no sequence 'lost'"):
        await Foreseer(installation)("default", {"sequence": "lost"})
