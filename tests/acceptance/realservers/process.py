"""A server process in a group of its own, which ends with the test that started it.

The kernel tells the server when the thread that started it is gone (`setpriv --pdeathsig`), so that a killed test run
leaves nothing behind. Start servers from the main thread.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path


class StartError(RuntimeError):
    """A server ended or stayed silent while it should have started; the text holds the end of its log."""


class Server:
    """One started server and every process it started itself."""

    def __init__(self, name: str, command: Sequence[str | Path], *, log: Path, privileges: Sequence[str] = ()) -> None:
        """Start `command` (a program that stays in the foreground); `privileges` are options of setpriv(1)."""
        self.name = name
        self.log = log
        self._output = log.with_suffix(".out")
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                ["/usr/bin/setpriv", *privileges, "--pdeathsig", "TERM", "--", *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a group of its own: what it forks can be ended with it
                cwd="/",
            )

    @property
    def pid(self) -> int:
        """The process id of the leader, which is also the id of its group."""
        return self._process.pid

    def ended(self) -> bool:
        """Say whether the leader has ended. It is not reaped, so that its id stays its own until `stop`."""
        if self._process.returncode is not None:
            return True
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def complain_if_ended(self) -> None:
        """Raise `StartError` with the end of the log if the server is not there any more."""
        if self.ended():
            raise StartError(f"{self.name} ended while starting:\n{self.last_words()}")

    def last_words(self, lines: int = 30) -> str:
        """Return the end of what the server printed and logged."""
        text = [
            line
            for path in (self._output, self.log)
            if path.exists()
            for line in path.read_text("utf-8", "replace").splitlines()
        ]
        return "\n".join(text[-lines:])

    def stop(self) -> None:
        """Kill the server with its whole group: its files are thrown away, so it has nothing to save. Twice is once.

        The leader is reaped last, so that the group's id cannot belong to anybody else meanwhile.
        """
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
