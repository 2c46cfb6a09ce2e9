"""Under CI a skip is a failure; elsewhere it says how to run the test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from peers import PEERS

ROOT = Path(__file__).resolve().parents[2]
INNER = """
import pytest

def test_needs_a_server(require):
    require("nonesuch")

@pytest.mark.skipif(True, reason="an excuse")
def test_has_an_excuse():
    pass
"""


def run_inner(folder: Path, ci: str) -> subprocess.CompletedProcess[str]:
    """Run two tests that would be skipped, in a session of their own."""
    (folder / "test_inner.py").write_text(INNER)
    preparation = folder / "conftest.py"
    preparation.write_text(
        "import peers\npeers.PEERS = {'nonesuch': peers.Peer(program='nonesuch', remedy='buy one')}\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "conftest", str(folder)]
    return subprocess.run(
        [*command, "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT / "tests",
        env=environment | {"CI": ci},
    )


def test_a_missing_server_skips_with_its_remedy(tmp_path):
    """A developer without Dovecot sees what is not tested and how to change that."""
    done = run_inner(tmp_path, ci="")

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "2 skipped" in done.stdout
    assert "buy one" in done.stdout


def test_ci_skips_nothing(tmp_path):
    """A green CI means that every test ran, whoever wanted to skip it."""
    done = run_inner(tmp_path, ci="true")

    assert 1 == done.returncode, done.stdout + done.stderr
    assert "1 failed, 1 error in" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_has_a_remedy(name):
    """Nobody is told that something is missing without being told how to get it."""
    assert "install" in PEERS[name].remedy
