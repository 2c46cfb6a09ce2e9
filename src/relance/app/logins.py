"""Where a mailbox's secret comes from: sealed in the database, or printed by a command at each login."""

import asyncio
import os
import signal
from dataclasses import dataclass
from enum import StrEnum

from relance.ports.connector import LoginRefusedError

COMMAND_LIMIT = 20.0  #: Real seconds that a password or token command may take.
COMMAND_CACHED = 30.0  #: Real seconds for which its answer is used again.
COMMAND_BYTES = 65_536


class SecretKind(StrEnum):
    """Where a mailbox's secret comes from."""

    PASSWORD = "password"  # noqa: S105 - a kind, not a password
    PASSWORD_COMMAND = "password_command"  # noqa: S105 - a kind, not a password
    OAUTH_TOKEN_COMMAND = "oauth_token_command"  # noqa: S105 - a kind, not a password


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What is sealed for a mailbox: the password itself, or the command that prints it at each login."""

    kind: SecretKind
    value: str


#: Key of a mailbox's settings that is ours and not the connector's: how to log in, without the secret.
LOGIN = "login"


async def run_secret_command(command: str, *, what: str, limit: float = COMMAND_LIMIT) -> str:
    """Run a shell command and return the first line it prints. Raises LoginRefusedError with what to do."""
    process = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(limit):
            printed, complaint = await process.communicate()
    except TimeoutError as error:
        raise LoginRefusedError(f"{what} gave no answer in {limit:g} s: run it by hand", temporary=True) from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    said = complaint.decode("utf-8", "replace").strip().splitlines()
    if process.returncode != 0:
        why = f"{process.returncode}: {said[-1][:200]}" if said else str(process.returncode)
        raise LoginRefusedError(f"{what} failed with exit code {why}: run it by hand and repair it")
    lines = printed[:COMMAND_BYTES].decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].strip():
        raise LoginRefusedError(f"{what} printed nothing: it must print the secret on its first line")
    return lines[0].rstrip("\r\n")
