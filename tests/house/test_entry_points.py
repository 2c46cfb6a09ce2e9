"""What an installation announces exists: the command, and every connector."""

from importlib.metadata import distribution

import pytest

ANNOUNCED = list(distribution("relance").entry_points)


@pytest.mark.parametrize("point", ANNOUNCED, ids=lambda point: f"{point.group}:{point.name}")
def test_each_entry_point_loads(point):
    """A renamed function is noticed here and not by the first user."""
    loaded = point.load()

    assert callable(loaded) or callable(loaded.connect)


def test_the_command_and_the_first_connector_are_announced():
    """Other connectors arrive as packages of their own, by the same group."""
    names = {(point.group, point.name) for point in ANNOUNCED}

    assert {("console_scripts", "relance"), ("relance.connectors", "smtp_imap")} <= names
