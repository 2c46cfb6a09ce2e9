"""What `relance explain` says of everybody, against the servers' log, and what `relance doctor` finds in the records.

Both are asked after a death before the restart, and in the end.

Rule 1: nothing is said to be sent that no server accepted.
Rule 2: nothing that a server accepted is denied: it is said to be sent, or on its way, or not known.
        Except while an older state is read back, and of whoever it is said of that a person has to look.
Rule 3: how somebody stands is told as it is written.
Rule 4: at no moment do the records contradict each other.
"""

import asyncio
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crash.harness_clock import WorldClock
from crash.scenario import PEOPLE
from relance.app import open_installation
from relance.config import Config, LogLevel
from relance.core.attempt import AttemptStatus
from relance.ports.clock import Clock
from relance.ports.generation import Generation
from relance.ports.store import Reader
from relance.sandbox.journal import Accepted
from relance.services import invariants, recovering
from relance.services.explaining import explain
from relance.services.sending.forgotten import HOLD_REASON
from relance.services.situations import Keys
from relance.services.workspaces import Installation

_LEFT = {AttemptStatus.SENT, AttemptStatus.NOT_DELIVERED}
_PERHAPS = {AttemptStatus.IN_FLIGHT, AttemptStatus.UNKNOWN}
_WALKING = {"active", "waiting"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What was said at one moment, and what servers had accepted by then."""

    when: str
    explain: Mapping[str, Mapping[str, Any]]  #: By person, in the shape of `services.explaining.explain`.
    doctor: Sequence[str]  #: What is amiss, in words.
    forgetful: bool  #: An older state was put back, and has not been read back yet.
    accepted: tuple[Accepted, ...]


def ask(reader: Reader, keys: Keys, clock: Clock, newest: Generation | None) -> dict[str, Any]:
    """Return what both commands say, under the names of the fields of `Explained`.

    `newest`: what is kept beside the database.
    """
    now = clock.now()
    said = {
        person: explain(reader, workspace_id=1, email=person, sequence_name=None, keys=keys, now=now)
        for person in PEOPLE
    }
    found = [
        str(one)
        for part in invariants.stretches(reader, workspace_id=1)
        for one in invariants.look(reader, part, workspace_id=1, keys=keys, now=now)
    ]
    found_here = reader.one(Installation, "installation.get")
    older = newest is not None and found_here is not None and found_here.generation < newest.number
    return {"explain": said, "doctor": found, "forgetful": older or bool(recovering.recovering(reader))}


async def ask_after_a_death(data: Path, database_url: str | None, clock: WorldClock) -> dict[str, Any]:
    """Ask as the command does when no engine lives: of a copy, so that the next finds its files as they were left."""
    copied = data.with_name(f"{data.name} as it was left")
    await asyncio.to_thread(shutil.copytree, data, copied)
    key = copied / "master.key"
    config = Config(data=copied, master_key_file=key, database_url=database_url, log_level=LogLevel.ERROR)
    installation = open_installation(config)
    try:
        return await installation.read(ask, installation.keys, clock, installation.generation.read())
    finally:
        await installation.close()
        await asyncio.to_thread(shutil.rmtree, copied)


def contradictions(explained: Explained, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Return what was said and is not so, and what is amiss; `rows` are how everybody stands, if known."""
    for broken in explained.doctor:
        yield f"doctor: {explained.when}: {broken}"
    for person, said in explained.explain.items():
        accepted = {str(each.marker) for each in explained.accepted if each.recipient == person}
        attempts = [attempt for one in said["enrollments"] for attempt in one["attempts"]]
        words = f"{explained.when}, of {person}: {[one['summary'] for one in said['enrollments']]}"
        told = {attempt["step"] for attempt in attempts if attempt["status"] in _LEFT}
        perhaps = {attempt["step"] for attempt in attempts if attempt["status"] in _PERHAPS}
        for step in told - accepted:
            yield f"explained: {step} is said to be sent, and no server has it; {words}"
        doubted = explained.forgetful or any(one["hold_reason"] == HOLD_REASON for one in said["enrollments"])
        for step in accepted - told - perhaps if not doubted else ():
            yield f"explained: {step} is denied, and a server has it; {words}"
        for one in said["enrollments"]:
            if one["status"] in _WALKING and one["step"] in accepted - perhaps and not explained.forgetful:
                yield f"explained: {one['step']} is said to be next, and a server has it; {words}"
        row = rows.get(person)
        stands = [(one["status"], one["stop_reason"]) for one in said["enrollments"]]
        if row is not None and (row["status"], row["reason"]) not in stands:
            yield f"explained: {person} stands as {(row['status'], row['reason'])}; {words}"
