"""A forecast without answers is what the engine then does, send for send."""

from pathlib import Path

import pytest

from relance.core.lead import Lead
from relance.demo.preparing import Wanted, prepare
from relance.demo.turning import turn
from relance.forecast.asking import ask
from relance.forecast.question import Question
from relance.sandbox.person import Behaviour
from relance.services import forecasting

pytestmark = pytest.mark.timeout(120)


class Nobody:
    """Nobody watches."""

    def wants_to_see(self) -> bool:
        """Say no."""
        return False

    def show(self, moment: object) -> None:
        """Show nothing."""


def _people(reader, workspace_id):
    return reader.all(Lead, "leads.of_workspace", workspace_id=workspace_id)


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_engine_does_what_was_foreseen(tmp_path: Path, seed: int):
    """The sandbox's servers, people who keep silent, no faults: who gets which step, at which second, from whom."""
    demo = await prepare(Wanted(leads=90, seed=seed, directory=tmp_path))
    try:
        demo.world.faults.armed = False
        for person in await demo.installation.read(_people, demo.workspace.id):
            demo.world.population.settle(person.email, Behaviour.IGNORES)
        foreseen = await ask(demo.installation, Question(workspace_id=demo.workspace.id))
        await turn(demo, Nobody())
        came = await demo.installation.read(forecasting.sends, workspace_id=demo.workspace.id, since=foreseen.since)
    finally:
        await demo.close()

    assert 270 == len(came)
    assert came == foreseen.sends
