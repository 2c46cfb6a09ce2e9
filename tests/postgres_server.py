"""One PostgreSQL server for a whole test session, and an empty database for each test.

Rule 1: whoever needs the server first starts it, under a file lock; every xdist worker uses that one.
Rule 2: the process that owns the session's folder stops it, or `postgres_watch` does once that process is gone;
        nothing else is ever stopped.
Rule 3: it runs with PostgreSQL's own durability settings, because durability is among the things tested.

PostgreSQL refuses to run as root: there, every program of it goes through `setpriv` as another user.
"""

import contextlib
import fcntl
import itertools
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

START_LIMIT = 60
"""Seconds that `pg_ctl` may take to start or stop the server."""

STATE = "postgres.json"
ALIVE = "alive"
"""The file in a session's folder whose lock its owner holds while it lives."""

ADMIN = "relance"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """Makes and drops databases on one server."""

    admin_url: str
    session_dir: Path

    def create(self, template: str = "template0") -> str:
        """Make a new database, a copy of `template`, and return its URL."""
        name = f"relance_t{os.getpid()}_{next(_numbers)}_{secrets.token_hex(3)}"
        self._execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)),
        )
        return self.url(name)

    def drop(self, url: str) -> None:
        """Drop the database behind `url`, whoever is still connected."""
        name = str(conninfo_to_dict(url)["dbname"])
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def template(self, name: str, fill: Callable[[str], None]) -> str:
        """Return a template database that `fill(url)` prepared, once per session, for `create(template=…)`.

        `fill` must close its connections: a database in use cannot be copied.
        """
        full = f"relance_template_{name}_{self.session_dir.name}"
        with locked(self.session_dir / f"template-{name}.lock"):
            ready = self.session_dir / f"template-{name}.ready"
            if not ready.exists():
                self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(full)))
                self._execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(full)))
                fill(self.url(full))
                ready.write_text(full)
        return full

    def drop_templates(self) -> None:
        """Drop the templates that this session prepared; a server of our own takes them along when it ends."""
        for ready in self.session_dir.glob("template-*.ready"):
            self.drop(self.url(ready.read_text()))

    def url(self, database: str) -> str:
        """Return the URL of a database on this server."""
        base, _, query = self.admin_url.partition("?")
        return base.rpartition("/")[0] + "/" + database + (f"?{query}" if query else "")

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            connection.execute(statement)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes for the length of the block."""
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def ensure_server(binaries: Path, session_dir: Path, *settings: str) -> str:
    """Start the session's server if nobody has, and return the URL of its maintenance database."""
    with locked(session_dir / "postgres.lock"):
        state = session_dir / STATE
        if not state.exists():
            state.write_text(json.dumps(_start(binaries, settings)))
            _watch(session_dir)
        return str(json.loads(state.read_text())["url"])


def stop_server(session_dir: Path) -> None:
    """Stop the server that this session started, and remove its data; do nothing if it started none."""
    state = session_dir / STATE
    if not state.exists():
        return
    facts = json.loads(state.read_text())
    home = Path(facts["home"])
    data = home / "data"
    pid_file = data / "postmaster.pid"
    stop = [*as_other_user(), f"{facts['binaries']}/pg_ctl", "-D", str(data), "-m", "immediate"]
    subprocess.run([*stop, "-t", str(START_LIMIT), "stop"], check=False, capture_output=True, cwd=home)
    if pid_file.exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
    shutil.rmtree(home, ignore_errors=True)
    state.unlink()


def _watch(session_dir: Path) -> None:
    """Leave a process behind that stops the server if the session's owner cannot."""
    script = Path(__file__).with_name("postgres_watch.py")
    command = [sys.executable, str(script), str(session_dir)]
    devnull = subprocess.DEVNULL
    watch = subprocess.Popen(command, stdin=devnull, stdout=devnull, stderr=devnull, start_new_session=True)
    (session_dir / "watch.pid").write_text(str(watch.pid))
    watch.returncode = 0  # it outlives us on purpose: nobody waits for it, and nobody shall be warned of that


def _start(binaries: Path, settings: tuple[str, ...] = ()) -> dict[str, str]:
    prefix = as_other_user()
    home = Path(tempfile.mkdtemp(prefix="relance-pg-"))
    data, password_file, log = home / "data", home / "password", home / "log"
    password = secrets.token_urlsafe(18)
    password_file.write_text(password)
    if prefix:
        owner = _other_user()
        for path in (home, password_file):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    initdb = [f"{binaries}/initdb", "-D", str(data), "-U", ADMIN, f"--pwfile={password_file}"]
    run([*prefix, *initdb, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"], home)
    for _ in range(5):  # a free port may be taken before the server binds it
        port = _free_port()
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home} -c max_connections=200"
        options += "".join(f" -c {setting}" for setting in settings)
        start = [f"{binaries}/pg_ctl", "-D", str(data), "-w", "-t", str(START_LIMIT), "-l", str(log), "-o", options]
        try:
            run([*prefix, *start, "start"], home)
        except RuntimeError:
            if "could not bind" not in log.read_text(errors="replace"):
                raise
        else:
            url = f"postgresql://{ADMIN}:{password}@127.0.0.1:{port}/postgres"
            return {"url": url, "home": str(home), "binaries": str(binaries)}
    message = f"PostgreSQL found no free port in five tries; its log is {log}"
    raise RuntimeError(message)


def run(command: list[str], home: Path) -> None:
    """Run a program of PostgreSQL to its end; its own words become the error."""
    with (home / "output").open("a+") as output:
        done = subprocess.run(command, check=False, stdout=output, stderr=output, cwd=home, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            output.seek(0)
            log = home / "log"
            words = output.read() + (log.read_text(errors="replace") if log.exists() else "")
            message = f"{command[0]} failed:\n{words[-2000:]}"
            raise RuntimeError(message)


def as_other_user() -> list[str]:
    """Return what to put before a program of PostgreSQL, which refuses to run as root."""
    if os.geteuid() != 0:
        return []
    owner = _other_user()
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups", "--"]


def _other_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
