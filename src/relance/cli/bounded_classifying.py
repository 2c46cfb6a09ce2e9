"""Classifying one message in a process that may die of it.

Rule 1: the other process has a limit on processor time and memory; what exceeds one is `other` with the reason.
Rule 2: a process that does not even notice its limit is ended and replaced.

Nothing of the command line is imported here: the other process loads this module anew.
"""

import multiprocessing
import os
import resource
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from relance.cli.json_lines import as_line
from relance.mail.classify import RULES_VERSION, Classification, Confidence, Kind, as_json
from relance.mail.classify import classify as classify_message
from relance.mail.parse import parse

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

TIME_LIMIT = 0.9  #: Seconds of processor time for one message.
PATIENCE = 5.0  #: Real seconds after which a process that noticed nothing is ended.
START_LIMIT = 30.0  #: Real seconds until a new process is ready.
MEMORY_LIMIT = 512 * 1024 * 1024  #: Bytes that a process may take beyond what it has when ready.


@dataclass(slots=True)
class BoundedClassifier:
    """Hands messages to a process that may die of them, and makes a new one when it did."""

    time_limit: float = TIME_LIMIT
    patience: float = PATIENCE
    memory_limit: int = MEMORY_LIMIT
    _process: "multiprocessing.process.BaseProcess | None" = None
    _pipe: "Connection[object, object] | None" = field(default=None)

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._end()

    def classify(self, path: str, raw: bytes) -> str:
        """Return the JSON line of one message; never raises for what the message is."""
        try:
            pipe = self._ready()
            pipe.send((path, raw))
            if pipe.poll(self.patience):
                return str(pipe.recv())
            reason = f"took longer than {self.patience:g} s"
        except (EOFError, OSError):
            reason = "took too much memory, or ended its process"
        self._end()
        return as_line(as_json(other(reason), path))

    def _ready(self) -> "Connection[object, object]":
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            return self._pipe
        self._end()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, self.time_limit, self.memory_limit), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe = ours
        if not ours.poll(START_LIMIT):
            raise EOFError
        ours.recv()
        return ours

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._pipe = self._process = None


class TooLongError(BaseException):
    """The processor time of one message is used up. No `except Exception` on the way may keep it."""


def _give_up(*_: object) -> None:
    raise TooLongError


def serve(pipe: "Connection[object, object]", time_limit: float, memory_limit: int) -> None:
    """Classify what comes through the pipe until it closes. Runs in a process of its own."""
    _limit_memory(memory_limit)
    signal.signal(signal.SIGPROF, _give_up)
    pipe.send("ready")
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            path, raw = cast("tuple[str, bytes]", pipe.recv())
            try:
                signal.setitimer(signal.ITIMER_PROF, time_limit)
                line = as_line(as_json(classify_message(parse(raw)), path))
            except TooLongError:
                line = as_line(as_json(other(f"took more than {time_limit:g} s of processor time"), path))
            except MemoryError:
                line = as_line(as_json(other("took too much memory"), path))
            except Exception as error:  # noqa: BLE001 - a fault of ours must not end a run over many messages
                line = as_line(as_json(other(f"could not be understood ({type(error).__name__})"), path))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send(line)


def _limit_memory(memory_limit: int) -> None:
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + memory_limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def other(reason: str) -> Classification:
    """Return the class of what could not be read, with the reason."""
    return Classification(kind=Kind.OTHER, confidence=Confidence.GUESS, evidence=(reason,), rules_version=RULES_VERSION)
