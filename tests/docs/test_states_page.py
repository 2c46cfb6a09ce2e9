"""The page about states is what the tables say."""

import subprocess
import sys
from pathlib import Path

from relance.core.attempt import AttemptStatus
from relance.core.enrollment import EnrollmentStatus, StopReason
from relance.core.sequence import SequenceStatus

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "states.md"


def test_the_page_is_up_to_date():
    """A transition changed without `make states` is refused."""
    command = [sys.executable, "scripts/write_states.py", "--check"]

    assert 0 == subprocess.run(command, check=False, cwd=ROOT).returncode


def test_the_page_explains_every_state():
    """A status that `explain` prints can be looked up."""
    lines = PAGE.read_text().splitlines()
    states = [state for kind in (EnrollmentStatus, StopReason, AttemptStatus, SequenceStatus) for state in kind]

    assert [] == [state for state in states if not any(line.startswith(f"| `{state.value}` | ") for line in lines)]
