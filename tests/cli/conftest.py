"""Shells over installations, and a world of mail servers to connect to."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.shell import Shell
from relance.config import TOML_KEYS
from relance.sandbox.clock import SandboxClock
from relance.sandbox.faults import NO_FAULTS
from relance.sandbox.world import World

SEQUENCE = """\
name: autumn
window: always
steps:
  - id: intro
    kind: email
    subject: "A question about {{ company | default: 'your company' }}"
    text: "{Hi|Hello} {{ first_name }}, who looks after travel?"
  - {id: bump, kind: email, after: 3d, text: "Did you see my question, {{ first_name }}?"}
"""
LEADS = "email,first name,company\ncarol@example.org,Carol,Acme\ndave@example.org,Dave,\n"

OpenWorld = Callable[[], Awaitable[World]]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    """Whoever runs the tests may have an installation of their own."""
    for name in (*(key.upper() for key in TOML_KEYS), "DATA", "TRACEBACK"):
        monkeypatch.delenv(f"RELANCE_{name}", raising=False)


@pytest.fixture
def bare(tmp_path: Path) -> Shell:
    """Return a shell where nothing was set up yet."""
    return Shell(data=tmp_path / "data")


@pytest.fixture
def shell(bare: Shell) -> Shell:
    """Return a shell over a fresh installation."""
    bare.ok("init")
    return bare


@pytest.fixture
def filled(shell: Shell, tmp_path: Path) -> Shell:
    """Return a shell over an installation with two leads on a list and a published sequence."""
    (tmp_path / "leads.csv").write_text(LEADS, encoding="utf-8")
    (tmp_path / "autumn.yaml").write_text(SEQUENCE, encoding="utf-8")
    shell.ok("lead", "import", tmp_path / "leads.csv", "--list", "autumn")
    shell.ok("sequence", "publish", tmp_path / "autumn.yaml")
    return shell


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Return running mail servers without faults."""
    made = World(
        clock=SandboxClock(datetime(2026, 11, 30, 8, tzinfo=UTC)),
        seed=1,
        faults=NO_FAULTS,
        mailboxes=3,
        directory=tmp_path / "world",
    )
    await made.start()
    yield made
    await made.stop()
