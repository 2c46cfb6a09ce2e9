"""A PostgreSQL server of one test's own, which can be brought back to an earlier point, as an operator would do it."""

import fcntl
import json
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from acceptance.realservers import wait_until
from postgres_server import ALIVE, START_LIMIT, STATE, Databases, as_other_user, ensure_server, run, stop_server


class Cluster:
    """A server in a folder of its own; a context manager, and stopped by its watch if this process dies."""

    def __init__(self, binaries: Path, folder: Path, *settings: str) -> None:
        """Take an empty folder's place; `settings`, such as `fsync=off`, are the caller's choice."""
        folder.mkdir()
        self._settings = settings
        self._folder = folder
        self._binaries = binaries
        self._alive = (folder / ALIVE).open("a")
        fcntl.flock(self._alive, fcntl.LOCK_EX)

    def __enter__(self) -> Self:
        self.url = ensure_server(self._binaries, self._folder, *self._settings)
        self._home = Path(json.loads((self._folder / STATE).read_text())["home"])
        self._options = (self._home / "data" / "postmaster.opts").read_text()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop_server(self._folder)
        self._alive.close()

    @property
    def databases(self) -> Databases:
        """Makes databases on it."""
        return Databases(admin_url=self.url, session_dir=self._folder)

    @property
    def pid(self) -> int:
        """Its first process, whose children are its connections."""
        return int((self._home / "data" / "postmaster.pid").read_text().split()[0])

    def save(self) -> None:
        """Keep the state as it is, with the server stopped meanwhile: a cold base backup."""
        self._stop("fast")
        shutil.copytree(self._home / "data", self._home / "saved", copy_function=_copy_with_owner)
        self._give(self._home / "saved")
        self._start()

    def crash(self) -> None:
        """Let it die, and come back at the same place: whoever was connected is not any more."""
        self._stop("immediate")
        self._start()

    def put_back(self, *, new_timeline: bool) -> None:
        """Bring the server back to the saved state; `new_timeline`: as archive recovery does, else by copying alone."""
        self._stop("immediate")
        shutil.rmtree(self._home / "data")
        (self._home / "saved").rename(self._home / "data")
        if new_timeline:
            self._recover_from_archive()
        self._start()

    def promote(self) -> None:
        """Let the same state go on as another timeline, as after a failover that lost nothing."""
        self._stop("fast")
        self._recover_from_archive()
        self._start()

    def _recover_from_archive(self) -> None:
        data = self._home / "data"
        (data / "recovery.signal").touch()
        with (data / "postgresql.auto.conf").open("a") as settings:
            settings.write("restore_command = 'false'\n")
        self._give(data)

    def _stop(self, mode: str) -> None:
        self._control("-m", mode, "stop")

    def _start(self) -> None:
        options = " ".join(word.strip('"') for word in self._options.split()[1:] if word.strip('"'))
        options = options.replace(f"-D {self._home / 'data'}", "")
        self._control("-l", str(self._home / "log"), "-o", options, "start")
        wait_until(self._takes_writes, START_LIMIT, what="the end of recovery")

    def _takes_writes(self) -> bool:
        with psycopg.connect(self.url) as connection:
            return connection.execute("SELECT NOT pg_is_in_recovery()").fetchone() == (True,)

    def _control(self, *words: str) -> None:
        data = str(self._home / "data")
        command = [f"{self._binaries}/pg_ctl", "-D", data, "-w", "-t", str(START_LIMIT), *words]
        run([*as_other_user(), *command], self._home)

    def _give(self, tree: Path) -> None:
        """Let the tree belong to whom the server runs as."""
        owner = (self._home / "password").stat()
        for path in (tree, *tree.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid)


def _copy_with_owner(source: str, target: str) -> str:
    shutil.copy2(source, target)
    return target
