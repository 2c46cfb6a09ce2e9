"""The product as a person uses it: its command line, each command a process of its own, over one data directory.

Rule 1: nothing here imports `relance`; what is known is known from what the commands print.
Rule 2: an engine that was started ends with the test, and with pytest itself if that dies.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acceptance.realservers.process import KEEPER

COMMAND = Path(sys.executable).with_name("relance")
COMMAND_LIMIT = 60.0  #: Real seconds that one command may take; most take one.
DRAIN_LIMIT = 30.0  #: Real seconds between SIGTERM and the end of an engine.
TAIL = 6_000  #: Characters of an engine's log in the message of a failed test.


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one command said."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def facts(self) -> dict[str, Any]:
        """The one JSON object that was printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The JSON Lines that were printed."""
        return [json.loads(line) for line in self.out.splitlines()]


class Engine:
    """A running `relance run`."""

    def __init__(self, command: Sequence[str | Path], *, environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", KEEPER, "keeper", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        if error is not None:
            error.add_note(f"the engine's log ends with:\n{self.log.read_text('utf-8', 'replace')[-TAIL:]}")

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code, minus the signal that ended it, or None while it runs."""
        return self._process.poll()

    @property
    def running(self) -> bool:
        """Whether the process is still there."""
        return self.code is None

    def kill(self) -> None:
        """End it as a power cut does: SIGKILL, with everything it started. Twice is once."""
        if self._keeper.returncode is None:
            self._keeper.kill()
            self._keeper.communicate()
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def thaw(self) -> None:
        """Let it go on after a freeze."""
        self.signal(signal.SIGCONT)

    def freeze(self) -> None:
        """Stop it without ending it, as a machine does that swaps or sleeps."""
        self.signal(signal.SIGSTOP)

    def terminate(self, limit: float = DRAIN_LIMIT) -> int:
        """Ask it to drain, and return its exit code."""
        self.signal(signal.SIGTERM)
        return self.wait(limit)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, and wait for nothing."""
        self._process.send_signal(number)

    def wait(self, limit: float) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        return self._process.wait(limit)

    def said(self) -> str:
        """Return everything it has written so far, to both outputs."""
        return self.log.read_text("utf-8", "replace")


class Product:
    """One installation: a data directory, and a database in it or elsewhere."""

    def __init__(self, folder: Path, *, database_url: str | None = None, command: Sequence[str | Path] = ()) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "engine.log"
        self._command = list(command) or [COMMAND]
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("RELANCE_")}
        self._environment |= {"RELANCE_DATA": str(self.data), "RELANCE_LOG_FORMAT": "json"}
        # A cache of compiled modules beside the tests' folders: without one, each command compiles the whole product.
        self._environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder.parent / "pycache")}
        if database_url is not None:
            self._environment["RELANCE_DATABASE_URL"] = database_url

    def ask(self, *words: str, code: int | None = 0, environment: Mapping[str, str] | None = None) -> Answer:
        """Run one command to its end and return what it said; AssertionError unless its exit is `code` (None: any)."""
        done = subprocess.run(
            [*self._command, *words],
            env={**self._environment, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_LIMIT,
            check=False,
        )
        answer = Answer(words=words, code=done.returncode, out=done.stdout, err=done.stderr)
        assert code in {None, answer.code}, f"relance {' '.join(words)} gave {answer.code}:\n{answer.out}\n{answer.err}"
        return answer

    def facts(self, *words: str, code: int = 0) -> dict[str, Any]:
        """Run a command that prints one JSON object."""
        return self.ask(*words, "--json", code=code).facts

    def rows(self, *words: str, code: int | None = 0) -> list[dict[str, Any]]:
        """Run a command that prints JSON Lines."""
        return self.ask(*words, "--json", code=code).rows

    def engine(self, *words: str) -> Engine:
        """Start `relance run`; its output is added to one log for all engines of this installation."""
        return Engine([*self._command, "run", *words], environment=self._environment, log=self.log)

    def worker(self, number: int, *, lease_seconds: str) -> Engine:
        """Start `relance worker`, with a log of its own."""
        environment = {**self._environment, "RELANCE_LEASE_SECONDS": lease_seconds}
        log = self.folder / f"worker-{number}.log"
        return Engine([*self._command, "worker"], environment=environment, log=log)

    def engine_pid(self) -> int | None:
        """Return the process that holds, or held last, the engine's lock."""
        lock = self.data / "engine.lock"
        return int((lock.read_text("utf-8").split() or ["0"])[0]) if lock.exists() else None

    @contextmanager
    def beside_an_engine(self) -> Iterator[Engine]:
        """Run an engine for the length of the block, and let it drain at the end."""
        with self.engine() as engine:
            yield engine
            assert 0 == engine.terminate()

    # --- what most stories need -----------------------------------------------------------------------------------

    def connect(self, address: str, *, smtp: str, imap: str, password: str, ca_file: Path | None, **more: str) -> None:
        """Add a mailbox that may send as fast as it can; `more` are further options, `daily_cap="40"`."""
        options = {"min_gap": "0", "max_gap": "0", "daily_cap": "500", "hourly_cap": "500", **more}
        words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
        if ca_file is not None:
            words += ["--ca-file", str(ca_file)]
        self.ask(
            *("mailbox", "add", address, "--smtp", smtp, "--imap", imap, "--no-ramp"),
            *("--password-env", "BOX_PASSWORD", *words),
            environment={"BOX_PASSWORD": password},
        )

    def publish(self, name: str, steps: str, *, head: str = "window: always") -> None:
        """Write a sequence file of these steps and publish it."""
        path = self.folder / f"{name}.yaml"
        path.write_text(f"name: {name}\n{head}\nsteps:\n{steps}", encoding="utf-8")
        self.ask("sequence", "publish", str(path))

    def import_leads(self, addresses: Iterable[str], *words: str, code: int = 0) -> dict[str, Any]:
        """Import people by a CSV file, each with a first name and a company made from the address."""
        path = self.folder / "leads.csv"
        rows = [f"{each},{each.partition('@')[0].partition('.')[0].title()},{each} Ltd" for each in addresses]
        path.write_text("\n".join(["email,first_name,company", *rows, ""]), encoding="utf-8")
        return self.facts("lead", "import", str(path), *words, code=code)

    def status_of(self, address: str, *, sequence: str = "") -> tuple[str, str | None]:
        """Return status and stop reason of somebody's only enrollment (in `sequence`)."""
        words = ["--sequence", sequence] if sequence else []
        (one,) = self.facts("explain", address, *words)["enrollments"]
        return one["status"], one["stop_reason"]

    def unfinished(self) -> list[dict[str, Any]]:
        """Return the enrollments that have not ended."""
        ended = {"completed", "stopped", "blocked", "suppressed", "holdout"}
        return [row for row in self.rows("enrollment", "list") if row["status"] not in ended]
