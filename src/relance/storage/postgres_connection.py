"""A connection to PostgreSQL: its settings, how its values arrive, and its errors in the port's words."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import TextLoader

from relance.ports.store import ConflictError, StoreBusyError, StoreError, StoreUnavailableError

OLDEST_SERVER = 150_000
#: Milliseconds; a function that waits longer between two statements has no business inside a transaction.
IDLE_LIMIT = 5_000
LOCK_LIMIT = 10_000  #: Milliseconds to wait for another transaction's lock.
SILENCE_LIMIT = 10_000  #: Milliseconds without an acknowledgement after which TCP gives a connection up.

_SERVER_SETTINGS: Mapping[str, str] = {
    "timezone": "UTC",
    "idle_in_transaction_session_timeout": str(IDLE_LIMIT),
    "lock_timeout": str(LOCK_LIMIT),
    "client_encoding": "UTF8",
}
_COMMITS_WAIT = """
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
"""
_DEFAULTS: Mapping[str, str | int] = {
    "connect_timeout": 10,
    "tcp_user_timeout": SILENCE_LIMIT,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "application_name": "relance",
}


_NUMBER = re.compile(r"\[Errno -?[0-9]+\] ")
#: What libpq and the server say when a connection fails, and what to do.
_REMEDIES = (
    (r"password authentication failed|no password supplied", "correct user and password in the database URL"),
    (r"role .* does not exist", "make that user, or correct its name in the database URL"),
    (r"database .* does not exist", "make it with createdb, or correct its name in the database URL"),
    (r"permission denied for database", "let this user connect to it, or name another in the database URL"),
    (r"no pg_hba.conf entry", "let this host and user in (pg_hba.conf), or correct the database URL"),
    (r"too many (clients|connections)|connection slots", "allow more connections (max_connections), or end some"),
    (r"is starting up|is shutting down|recovery", "wait a moment and try again"),
)
_NOBODY_THERE = re.compile(r"refused|timeout|resolve|translate host|No such file|No route|unreachable")
_LOOK = "look whether it runs, and whether the database URL is right"


def connection_arguments(url: str) -> dict[str, str | int]:
    """Return psycopg's keyword arguments for a URL: ours where the URL is silent. Raises StoreUnavailableError."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise StoreUnavailableError(
            f"The database URL cannot be read ({_first_line(error)}): write postgresql://USER@HOST/DATABASE"
        ) from error
    ours = " ".join(f"-c {name}={value}" for name, value in _SERVER_SETTINGS.items())
    said = {name: value for name, value in given.items() if value is not None}
    return {**_DEFAULTS, **said, "options": f"{ours} {said.get('options', '')}".strip()}


def prepare(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Make JSON arrive as text, as it does from SQLite; wait at each commit; and refuse a server that is too old.

    A server, database or role may be set to answer before a commit is on its disk: one that crashes then has forgotten
    that a message was about to leave, and it would leave again. What asks for more, a standby's word say, stays.
    """
    for name in ("json", "jsonb"):
        connection.adapters.register_loader(name, TextLoader)
    if connection.info.server_version < OLDEST_SERVER:
        raise StoreUnavailableError(f"PostgreSQL {connection.info.server_version // 10_000} is too old: 15 or newer")
    connection.execute(_COMMITS_WAIT)
    connection.commit()


@contextmanager
def connected(url: str) -> "Iterator[psycopg.Connection[tuple[object, ...]]]":
    """Connect for one piece of work, which is committed at the end. Raises StoreUnavailableError and psycopg's own."""
    arguments = connection_arguments(url)
    try:
        connection = psycopg.connect(**arguments)  # type: ignore[arg-type] # libpq's own keywords
    except psycopg.OperationalError as error:
        raise refusal(error) from error
    with connection:
        prepare(connection)
        yield connection


def refusal(error: psycopg.OperationalError) -> StoreUnavailableError:
    """Return the error for a connection that did not come about: what the server or the network says, and what to do.

    libpq gives no code here, only words; a server that speaks another language gets the general remedy.
    """
    said = _NUMBER.sub("", _first_line(error).removeprefix("connection failed: "))
    for words, remedy in _REMEDIES:
        if re.search(words, said):
            return StoreUnavailableError(f"PostgreSQL refuses the connection: {said}; {remedy}")
    remedy = "start it, or correct host and port in the database URL" if _NOBODY_THERE.search(said) else _LOOK
    return StoreUnavailableError(f"PostgreSQL does not answer: {said}; {remedy}")


def store_error(error: psycopg.Error, doing: str) -> StoreError:
    """Say what happened in the port's words; `doing` is a statement's name or a phrase such as `committing`."""
    match error:
        case errors.IntegrityError():
            return ConflictError(f"{doing}: {_first_line(error)}")
        case errors.SerializationFailure() | errors.DeadlockDetected() | errors.LockNotAvailable():
            return StoreBusyError(f"Another transaction held what {doing} needed: try again")
        case errors.QueryCanceled():
            return StoreBusyError(f"{doing} took too long and was ended: ask for less at once")
        case errors.IdleInTransactionSessionTimeout():
            return StoreBusyError(f"{doing} came too late: its transaction had been idle for {IDLE_LIMIT} ms")
        case errors.DiskFull() | errors.OutOfMemory():
            return StoreUnavailableError(f"PostgreSQL is out of space ({doing}): free some; nothing was changed")
        case errors.ReadOnlySqlTransaction() | errors.InsufficientPrivilege():
            return StoreUnavailableError(f"PostgreSQL refuses {doing} (is it the primary?): {_first_line(error)}")
        case errors.OperationalError() | errors.InterfaceError():
            return StoreUnavailableError(f"PostgreSQL does not answer ({doing}): {_first_line(error)}")
        case _:
            return StoreError(f"{doing}: {_first_line(error)}")


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
