"""A shell for tests: runs the command line in this process, or in one of its own, and keeps what it said."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relance.cli.main import run

PROGRAM = "from relance.cli.main import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def facts(self) -> Any:
        """The one JSON object on stdout."""
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """The JSON objects on stdout, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def complaint(self) -> str:
        """The only sentence on stderr."""
        lines = self.err.splitlines()
        assert 1 == len(lines), self.err
        assert "Traceback" not in self.err
        return lines[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Runs commands over one data directory."""

    data: Path

    def run(self, *arguments: object) -> Said:
        """Run a command in this process."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = run(["--data", str(self.data), *map(str, arguments)])
        return Said(code=code, out=out.getvalue(), err=err.getvalue())

    def ok(self, *arguments: object) -> Said:
        """Run a command that must succeed."""
        said = self.run(*arguments)
        assert (0, "") == (said.code, said.err), said
        return said

    def process(self, *arguments: object, stdin: bytes = b"", **settings: Any) -> Said:
        """Run a command in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "--data", str(self.data), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
            **settings,
        )
        return Said(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())
