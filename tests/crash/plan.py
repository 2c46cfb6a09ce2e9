"""What is to go wrong in one run, as a value that can be printed, read back and run again."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

ANYBODY = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """A place of `relance.ports.faultpoints`, when it is passed for the n-th time in one life of the process."""

    place: str
    passing: int = 1
    worker: int = 1  #: Whose life, where there are several; `ANYBODY` of a `Stop` is who comes by first.

    def __str__(self) -> str:
        whose = {ANYBODY: " of anybody", 1: ""}.get(self.worker, f" of worker {self.worker}")
        return f"{self.place} #{self.passing}{whose}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A place where a process is stopped until others have all of its work, and so many turns of time longer."""

    at: At
    turns: int = 0

    def __str__(self) -> str:
        return f"{self.at} for {self.turns}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """The state is kept as one death leaves it, and put back after a later one."""

    kept: int  #: After which death, counted from 1.
    back: int
    aside: bool = False  #: The newer state can be looked into when the older takes its place (SQLite).
    again: int = 0  #: After this death, later than `back`, it is put back once more.


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All faults of one run. Numbers of occasions count from 1 over the whole run; times are minutes of the world."""

    workers: int = 1  #: Processes that share one database (PostgreSQL).
    stops: tuple[Stop, ...] = ()  #: Each stops one process past its lease (PostgreSQL).
    away: int = 2  #: Turns of time until a worker that was killed is started again, if others go on meanwhile.
    kills: tuple[At, ...] = ()  #: Each ends one life of the process: that of them which the life reaches first.
    in_order: bool = False  #: Each life dies of the next of them, wherever it passes the others.
    dots: Mapping[str, str] = field(
        default_factory=dict
    )  #: `keeps 1`, a domain's n-th final dot → DataFate, or `kill`.
    pushes: Mapping[int, str] = field(default_factory=dict)  #: News for an idling client → PushFate.
    sent_copies: Mapping[int, int] = field(default_factory=dict)  #: Copy of the server's own → minutes late.
    sent_stops_at: int | None = None  #: From which copy on the server files none.
    patient: bool = False  #: Servers wait for ever for a client that says nothing, which no real one does.
    copies: str = "some"  #: Whose servers file what they send: `some` (one of the two), `all` or `none`.
    rewrites_ids: bool = False  #: The servers replace Message-IDs.
    clock_jumps: Mapping[int, int] = field(
        default_factory=dict
    )  #: Jump of time → minutes that the host's clock is off.
    spurious_wakes: tuple[int, ...] = ()  #: Jumps of time before which every loop is woken for nothing, twice.
    refused_imap: tuple[int, int] | None = None  #: From which minute on reading is refused, and for how many.
    full_disk: tuple[int, int] | None = None  #: From which write of the log on the disk is full, and for how many.
    cut_database: tuple[At, ...] = ()  #: Where the database ends every connection (PostgreSQL).
    restart_database: tuple[At, ...] = ()  #: Where the database server is killed and comes back (PostgreSQL).
    put_back: PutBack | None = None
    poison: bool = False  #: A message that breaks the product's reading comes in just before every answer.
    without: tuple[str, ...] = ()  #: Guards of the product that are taken out; see `guards.py`.

    def __str__(self) -> str:
        usual = asdict(type(self)())
        return json.dumps({name: value for name, value in asdict(self).items() if value != usual[name]})

    @property
    def needs_crew(self) -> bool:
        """Whether processes share their work, or lose it while they live."""
        return self.workers > 1 or bool(self.stops)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote."""
        facts: dict[str, Any] = json.loads(text)
        for name in ("kills", "cut_database", "restart_database"):
            facts[name] = tuple(At(**each) for each in facts.get(name, ()))
        facts["stops"] = tuple(Stop(at=At(**each["at"]), turns=each["turns"]) for each in facts.get("stops", ()))
        facts["put_back"] = PutBack(**facts["put_back"]) if facts.get("put_back") else None
        for name in ("pushes", "sent_copies", "clock_jumps"):
            facts[name] = {int(key): value for key, value in facts.get(name, {}).items()}
        for name in ("refused_imap", "full_disk"):
            facts[name] = tuple(facts[name]) if facts.get(name) else None
        for name in ("spurious_wakes", "without"):
            facts[name] = tuple(facts.get(name, ()))
        return cls(**facts)


def everybody(place: str, workers: int) -> tuple[At, ...]:
    """Name a place for each worker: which of them comes by depends on who owns which mailbox."""
    return tuple(At(place=place, worker=1 + number) for number in range(workers))


def first_stopped(place: str, *, turns: int) -> tuple[Stop, ...]:
    """Stop who comes by first."""
    return (Stop(at=At(place=place, worker=ANYBODY), turns=turns),)
