"""Setting up on a machine that lacks something ends in one sentence that says what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from house.house_rules import ROOT


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with what setting up reads, so that no test touches this clone's .venv."""
    for folder in ("scripts", "requirements"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def bootstrap(clone: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script as a Python without site-packages, hence without pip."""
    command = [sys.executable, "-S", str(clone / "scripts" / "bootstrap.py"), *arguments]
    given = {"PATH": os.environ["PATH"], "RELANCE_NO_APT": "1", **environment}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=given, cwd=clone)


def test_a_python_without_venv_gets_the_command_that_brings_it(clone: Path):
    """Debian keeps the means to make virtual environments in a package of its own."""
    crippled = clone / "crippled"
    crippled.mkdir()
    (crippled / "ensurepip.py").write_text("raise ImportError('Debian took it out')\n")

    done = bootstrap(clone, "run", PYTHONPATH=str(crippled))

    assert 3 == done.returncode, done.stderr
    assert "apt-get install python3-venv" in done.stderr
    assert 1 == len(done.stderr.strip().splitlines())
    assert not (clone / ".venv").exists()


def test_an_unknown_wish_is_answered_with_the_usage(clone: Path):
    """Exit 2 means wrong use, here as in the product."""
    done = bootstrap(clone, "everything")

    assert 2 == done.returncode
    assert "bootstrap.py run" in done.stdout


def test_make_names_every_command_it_offers():
    """`make` alone helps."""
    done = subprocess.run(["make", "-s"], check=False, capture_output=True, text=True, cwd=ROOT)  # noqa: S607 - from PATH

    assert 0 == done.returncode
    assert {"make demo", "make test", "make check"} <= {line.strip()[:10].strip() for line in done.stdout.splitlines()}
