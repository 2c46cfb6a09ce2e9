"""The settings of an installation: flag, then environment, then relance.toml, then default.

Rule 1: a value that makes no sense is refused before anything happens, named with its place; nothing is guessed.
Rule 2: an unknown key of relance.toml is refused, so that a slip of the pen is never silently ignored.
"""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
DEFAULT_DATA = Path("relance-data")
TOML_NAME = "relance.toml"
#: A worker that died is succeeded after this long; it must outlast a slow write, and a pause of the machine is longer.
LEASE_SECONDS = 30.0
_LEASE_LEAST, _LEASE_MOST = 1.0, 300.0
DEFAULT_BIND = "127.0.0.1:8025"
_PORT_MOST = 65_535
_DATABASE_SCHEMES = ("postgresql://", "postgres://")


class ConfigError(Exception):
    """A setting is wrong. The sentence names it, its place, and what to write instead."""


class LogLevel(StrEnum):
    """From which weight on a log line is written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """How log lines look."""

    CONSOLE = "console"  #: For a person.
    JSON = "json"  #: One object a line, for a collector.


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings, complete."""

    data: Path = DEFAULT_DATA  #: Database, key, engine lock, opt-out log and relance.toml.
    database_url: str | None = None  #: PostgreSQL; None: SQLite in the data directory.
    master_key_file: Path = DEFAULT_DATA / "master.key"
    workspace: str = "default"  #: The workspace that commands work on.
    workspace_place: str | None = None  #: Where it was named, in words; None: nowhere.
    log_level: LogLevel = LogLevel.INFO
    log_format: LogFormat = LogFormat.CONSOLE
    lease_seconds: float = LEASE_SECONDS  #: For how long a worker owns its shards without renewing that.
    bind: str | None = None  #: HOST:PORT where the console listens; None: `DEFAULT_BIND`, if nobody else does.
    base_url: str | None = None  #: Where people reach the console and unsubscribe; None: only on this machine.
    name_server: str | None = None  #: `address` or `address:port`, for MX records; None: those of the host.

    @property
    def database_path(self) -> Path:
        """The SQLite file."""
        return self.data / "relance.db"

    @property
    def database(self) -> str | Path:
        """Where the state is: a URL or a path."""
        return self.database_url or self.database_path

    @property
    def engine_lock(self) -> Path:
        """Held by the engine of this database; over PostgreSQL further ones have `engine-2.lock` and so on.

        It lies where the SQLite file does, also if that is a link into another data directory.
        """
        data = self.data if self.database_url else self.database_path.resolve().parent
        return data / "engine.lock"

    @property
    def generation_file(self) -> Path:
        """Which state of the database was the newest; no backup contains it."""
        return self.data / "generation.json"

    @property
    def opt_out_log(self) -> Path:
        """Opt-outs, kept outside the database."""
        return self.data / "optouts.log"


#: Settings that relance.toml may hold. Each is RELANCE_NAME in the environment.
TOML_KEYS = (
    "database_url",
    "master_key_file",
    "workspace",
    "log_level",
    "log_format",
    "lease_seconds",
    "name_server",
    "bind",
    "base_url",
)


def read_config(
    *,
    environment: Mapping[str, str],
    data: str | None = None,
    workspace: str | None = None,
    bind: str | None = None,
    directory: Path | None = None,
) -> Config:
    """Return the settings; `data`, `workspace` and `bind` are flags.

    Relative paths start at `directory`, or where we are.
    Raises ConfigError.
    """
    sources = _Sources(
        flags={"data": ("--data", data), "workspace": ("--workspace", workspace), "bind": ("--bind", bind)},
        environment=environment,
    )
    here = directory or Path()
    folder = here / sources.read("data", _path, DEFAULT_DATA)
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"data ({sources.place('data')}) is {folder}, which is a file: name a directory")
    sources.add_file(folder / TOML_NAME)
    key_file = sources.read("master_key_file", _path, None)
    if key_file is not None and sources.place("master_key_file").startswith(str(folder)):
        key_file = folder / key_file  # a file speaks about its own folder, not about where somebody stands
    return Config(
        data=folder,
        database_url=sources.read("database_url", _database_url, None),
        master_key_file=here / key_file if key_file is not None else folder / "master.key",
        workspace=sources.read("workspace", _name, "default"),
        workspace_place=sources.place("workspace") if sources.has("workspace") else None,
        log_level=sources.read("log_level", LogLevel, LogLevel.INFO),
        log_format=sources.read("log_format", LogFormat, LogFormat.CONSOLE),
        lease_seconds=sources.read("lease_seconds", _lease, LEASE_SECONDS),
        name_server=sources.read("name_server", _name_server, None),
        bind=sources.read("bind", _bind, None),
        base_url=sources.read("base_url", _base_url, None),
    )


class _Sources:
    """Looks a setting up, the stronger place first, and remembers where it was found."""

    def __init__(self, *, flags: Mapping[str, tuple[str, str | None]], environment: Mapping[str, str]) -> None:
        self._flags = flags
        self._environment = environment
        self._file: Mapping[str, object] = {}
        self._file_path = Path(TOML_NAME)

    def add_file(self, path: Path) -> None:
        """Read relance.toml, if it is there. Raises ConfigError."""
        self._file_path = path
        try:
            self._file = tomllib.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} cannot be read: {error}") from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f'{path} is not TOML: {error}; write lines such as workspace = "default"') from error
        for key in self._file:
            if key not in TOML_KEYS:
                near = difflib.get_close_matches(key, TOML_KEYS, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(TOML_KEYS)}"
                raise ConfigError(f"{path} has the unknown setting {key!r}: {hint}")

    def place(self, name: str) -> str:
        """Return where the setting was found, in words."""
        flag, given = self._flags.get(name, ("", None))
        if given is not None:
            return flag
        variable = f"RELANCE_{name.upper()}"
        return variable if self._environment.get(variable) else str(self._file_path)

    def has(self, name: str) -> bool:
        """Whether the setting is given anywhere."""
        return self._given(name) is not None

    def _given(self, name: str) -> object:
        given: object = self._flags.get(name, ("", None))[1]
        if given is None:
            given = self._environment.get(f"RELANCE_{name.upper()}") or None
        return self._file.get(name) if given is None else given

    def read(self, name: str, convert: "Callable[[str], T]", default: T) -> T:
        """Return one setting, converted. Raises ConfigError naming it and its place."""
        given = self._given(name)
        if given is None:
            return default
        if not isinstance(given, str):
            raise ConfigError(f"{name} ({self.place(name)}) is {given!r}: write it as text in quotes")
        try:
            return convert(given)
        except ValueError as error:
            kinds = convert if isinstance(convert, type) and issubclass(convert, StrEnum) else ()
            remedy = f"use one of {', '.join(kinds)}" if kinds else str(error)
            shown = "wrong" if name == "database_url" else repr(given)  # a URL may hold a password
            raise ConfigError(f"{name} ({self.place(name)}) is {shown}: {remedy}") from error


def _path(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise ValueError("name a path")
    return Path(text).expanduser()


def _database_url(text: str) -> str:
    if not text.startswith(_DATABASE_SCHEMES):
        raise ValueError("write postgresql://USER@HOST/DATABASE, or leave it out to use SQLite")
    return text


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError("name a workspace, such as default")
    return text.strip()


def _name_server(text: str) -> str:
    host, colon, port = text.partition(":")
    right = port.isdigit() and 0 < int(port) <= _PORT_MOST if colon else True
    try:
        IPv4Address(host)
    except ValueError:
        right = False
    if not right:
        raise ValueError("write the IPv4 address of a name server, such as 192.0.2.53 or 127.0.0.1:5353")
    return text


def _bind(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > _PORT_MOST or (":" in host and not host.startswith("[")):
        raise ValueError(f"write HOST:PORT, such as {DEFAULT_BIND} or [::1]:8025")
    return f"{host or '0.0.0.0'}:{port}"  # noqa: S104 - an empty host means everywhere, as in other servers


def _base_url(text: str) -> str:
    parts = urlsplit(text.strip())
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment or parts.username:
        raise ValueError("write the address people see, such as https://relance.example.com")
    if parts.path.strip("/"):
        raise ValueError("it stands at the root of a host name of its own: leave the path out")
    return f"{parts.scheme}://{parts.netloc}"


def _lease(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _LEASE_LEAST <= seconds <= _LEASE_MOST:
        raise ValueError(f"write seconds between {_LEASE_LEAST:g} and {_LEASE_MOST:g}, such as {LEASE_SECONDS:g}")
    return seconds
