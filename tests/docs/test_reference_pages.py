"""The pages of the reference that code writes are what the code says now."""

import subprocess
import sys

from docs.pages import ROOT


def test_the_written_pages_are_up_to_date():
    """A command, gate or default changed without `make reference` is refused."""
    command = [sys.executable, "scripts/write_reference.py", "--check"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)
