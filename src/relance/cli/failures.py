"""From an error to one sentence on stderr that says what to do, and an exit code; never a traceback.

0: done. 1: no, or not without a person. 2: wrong use. 3: could not (server, disk, lock).
"""

import errno
import os
from pathlib import Path

import click

from relance.config import ConfigError
from relance.ports.connector import ConnectorError, LoginRefusedError, RejectedError
from relance.ports.store import CommitUnknownError, ConflictError, StoreError
from relance.ports.vault import VaultError
from relance.services.refusals import LostRaceError, RefusedError, WrongInputError

DONE = 0
NO = 1
WRONG_USE = 2
COULD_NOT = 3
INTERRUPTED = 130
TRACEBACK_VARIABLE = "RELANCE_TRACEBACK"


class NoError(Exception):
    """Refused, or not possible without a person; the sentence says why."""


class CouldNotError(Exception):
    """Something outside did not let us; the sentence says what to do."""


_FILE_REMEDIES = {
    errno.ENOENT: "correct the name, or the folder that it starts from",
    errno.ENOTDIR: "correct the name, or the folder that it starts from",
    errno.EISDIR: "name a file in it",
    errno.EACCES: "let this user read it, or name a copy that may be read",
    errno.EPERM: "let this user read it, or name a copy that may be read",
}
_CHECK_ALL = "check path, rights and disk"


def unreadable(path: Path, error: OSError, *, what: str = "") -> CouldNotError:
    """Return the error for a file that a person named and we cannot read; `what` is it, such as `the password file`."""
    remedy = _FILE_REMEDIES.get(error.errno or 0, _CHECK_ALL)
    return CouldNotError(f"{what}{' ' if what else ''}{path} cannot be read: {error.strerror or error}; {remedy}")


def explain_failure(error: BaseException) -> tuple[int, str]:
    """Return exit code and sentence for any error."""
    match error:
        case click.ClickException() | ConfigError() | WrongInputError():
            return WRONG_USE, _usage(error)
        case NoError() | RefusedError() | LoginRefusedError() | RejectedError():
            return NO, str(error)
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED, "interrupted; what was done before stays done"
        case _:
            return COULD_NOT, _trouble(error)


def _trouble(error: BaseException) -> str:
    match error:
        case CommitUnknownError():
            return f"{error}; look whether it was done before you do it again"
        case ConflictError() | LostRaceError():
            return f"somebody else changed the same thing: try again ({error})"
        case CouldNotError() | StoreError() | ConnectorError() | VaultError():
            return str(error)
        case MemoryError():
            return "there is not enough memory: give it less at once"
        case OSError():
            where = f"{os.fspath(error.filename)!s}: " if error.filename else ""
            return f"{where}{error.strerror or error}; {_CHECK_ALL}"
        case _:
            return (
                f"this is a fault of Relance ({type(error).__name__}: {error}): please report it; "
                f"{TRACEBACK_VARIABLE}=1 shows where it happened"
            )


def _usage(error: click.ClickException | ConfigError | WrongInputError) -> str:
    if not isinstance(error, click.UsageError):
        return error.format_message() if isinstance(error, click.ClickException) else str(error)
    said = error.format_message().rstrip(".")
    path = error.ctx.command_path if error.ctx else "relance"
    return f"{said}; see `{path} --help`"
