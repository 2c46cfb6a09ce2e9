"""Forecasts for pages and programs: `relance forecast` in a process of its own, so that the engine is not held up.

Rule 1: one at a time: playing a year over a copy of the state takes a core and its memory.
Rule 2: one that takes too long is ended, and so is one whose asker has left.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from relance.app.clocks import SystemClock
from relance.app.installation import Installation
from relance.services.refusals import RefusedError

_LONGEST: Final = 120.0  #: Real seconds.
#: What may be asked: the options of `relance forecast` that take a value.
OPTIONS: Final = frozenset({"days", "mailboxes", "daily-cap", "window", "reply-rate", "bounce-rate"})


class Foreseer:
    """Asks one forecast at a time."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._busy = asyncio.Lock()

    async def __call__(self, workspace: str, question: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the facts of `relance forecast --json`; `question` has its options, and `sequence`.

        Raises RefusedError with what the command says.
        """
        if self._busy.locked():
            raise RefusedError("another forecast is being played; try again in a minute")
        async with self._busy:
            return await self._asked(self._command(workspace, question))

    async def of_lead(self, workspace: str, email: str) -> Mapping[str, Any]:
        """Return the facts of `relance explain --forecast --json`: what one person will be sent if nobody answers.

        Raises RefusedError with what the command says.
        """
        if self._busy.locked():
            raise RefusedError("another forecast is being played; try again in a minute")
        async with self._busy:
            return await self._asked([*self._program(workspace, "explain"), "--forecast", "--", email])

    def _command(self, workspace: str, question: Mapping[str, str]) -> list[str]:
        command = self._program(workspace, "forecast")
        command += [f"--{name}={question[name]}" for name in sorted(OPTIONS & question.keys())]
        return [*command, "--", question["sequence"]] if question.get("sequence") else command

    def _program(self, workspace: str, command: str) -> list[str]:
        """Return a command over this installation, at its moment."""
        data = str(self._installation.config.data)
        program = [sys.executable, "-m", "relance", "--data", data, "--workspace", workspace, "--json", command]
        if not isinstance(self._installation.clock, SystemClock):
            program.append(f"--from={self._installation.clock.now().isoformat()}")
        return program

    async def _asked(self, command: list[str]) -> Mapping[str, Any]:
        config = self._installation.config
        environment = {**os.environ, "RELANCE_MASTER_KEY_FILE": str(config.master_key_file)}
        if config.database_url is not None:
            environment["RELANCE_DATABASE_URL"] = config.database_url
        process = await asyncio.create_subprocess_exec(
            *command,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            said, complaint = await asyncio.wait_for(process.communicate(), _LONGEST)
        except TimeoutError:
            raise RefusedError("the forecast took too long; ask for fewer days, or for one sequence") from None
        finally:
            with suppress(ProcessLookupError):
                process.kill()
        if process.returncode != 0:
            sentence = complaint.decode(errors="replace").strip().rpartition("\n")[2].removeprefix("relance: ")
            raise RefusedError(sentence or "the forecast could not be made; `relance doctor` may say why")
        found: Mapping[str, Any] = json.loads(said)
        return found
