"""A server process in a group of its own, which ends with the test run that started it.

Beside each server stands a keeper: a shell that reads from a pipe of ours. When we are gone, whatever the reason, the
pipe ends and the keeper kills the group. (A death signal of the kernel would not do: it is lost when a server changes
its user, and reaches no children.)
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

KEEPER = 'read -r _; kill -s KILL -- "-$1"'


class StartError(RuntimeError):
    """A server ended or stayed silent while it should have started; the text holds the end of its log."""


class Server:
    """One started server and every process it started itself."""

    def __init__(self, name: str, command: Sequence[str | Path], *, log: Path) -> None:
        """Start `command`, a program that stays in the foreground and writes to `log`."""
        self.name = name
        self.log = log
        self._output = log.with_suffix(".out")
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a group of its own: what it forks can be ended with it
                cwd="/",
            )
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", KEEPER, "keeper", str(self.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # not in our group: a signal for us must not reach it
            cwd="/",
        )

    @property
    def pid(self) -> int:
        """The process id of the leader, which is also the id of its group."""
        return self._process.pid

    def complain_if_ended(self) -> None:
        """Raise `StartError` with the end of the log if the server is not there any more.

        The leader is not reaped by the look, so that its id stays its own until `stop`.
        """
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
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

        The keeper goes first and the leader is reaped last, so that nobody signals a group that is not ours any more.
        """
        if self._process.returncode is not None:
            return
        self._keeper.kill()
        self._keeper.communicate()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
