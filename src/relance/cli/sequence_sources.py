"""Where a command's plan comes from: a file, or the running version of a sequence."""

from datetime import UTC, datetime
from pathlib import Path

from relance.cli.failures import NoError, unreadable
from relance.core.plan_document import plan_from_document
from relance.core.sequence import Plan
from relance.ports.store import Reader
from relance.services import sequences
from relance.services.refusals import RefusedError
from relance.services.sequence_files import Broken, Reading, Sound, read_sequence_file


def read_file(file: Path) -> Reading:
    """Read a sequence file as it is today. Raises CouldNotError where that is impossible."""
    try:
        return read_sequence_file(file, today=datetime.now(UTC).date())
    except OSError as error:
        raise unreadable(file, error) from error


def plan_in_file(file: Path) -> Sound:
    """Return a file's plan, with what it attaches. Raises NoError with its first problem."""
    match read_file(file):
        case Sound() as sound:
            return sound
        case Broken(problems=problems) as broken:
            more = (
                f" (and {len(problems) - 1} more; see `relance sequence validate {file}`)" if len(problems) > 1 else ""
            )
            raise NoError(broken.sentences[0] + more)


def running_plan(reader: Reader, workspace_id: int, name: str) -> Plan:
    """Return the running version of a sequence. Raises NotFoundError and RefusedError."""
    found = sequences.by_name(reader, workspace_id, name)
    running = sequences.running_version(reader, found)
    if running is None:
        raise RefusedError(f"sequence {name!r} was never published; publish its file first")
    return plan_from_document(running.document)
