"""`relance sequence`: files in, versions published, previews looked at, and a sequence paused, resumed or archived."""

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from relance.app import Installation
from relance.cli.crowding import list_stale
from relance.cli.failures import DONE, NO, NoError
from relance.cli.previews import preview, test
from relance.cli.printing import complain, print_line
from relance.cli.sequence_sources import read_file
from relance.cli.session import Group, session
from relance.cli.stats import stats
from relance.core import plan_document
from relance.core.sequence import Sequence, Version
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.ports.store import Reader
from relance.services import approving, sequences
from relance.services.sequence_files import Broken, Sound
from relance.services.sequence_files.writing import as_json, as_yaml, file_document


@click.group(cls=Group)
def sequence() -> None:
    """Keep sequences, and the files they come from."""


sequence.add_command(preview)
sequence.add_command(test)
sequence.add_command(list_stale)
sequence.add_command(stats)


@sequence.command()
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> int:
    """Say everything that is wrong with a sequence file; needs no installation."""
    current = session()
    match read_file(file):
        case Sound(plan=plan):
            facts = {"file": str(file), "valid": True, "name": plan.name, "steps": len(plan.steps), "problems": []}
            current.printer.facts(
                facts, f"{file} is a sound sequence: {plan.name}, {counted(len(plan.steps), 'step')}."
            )
            return DONE
        case Broken() as broken:
            return _refuse(broken)


@sequence.command()
@click.argument("file", type=click.Path(path_type=Path))
def publish(file: Path) -> int:
    """Freeze a file as the next version; whoever is enrolled stays on theirs."""
    current = session()
    found = read_file(file)
    if isinstance(found, Broken):
        return _refuse(found)
    plan = found.plan

    async def write(installation: Installation, workspace: Workspace) -> sequences.Published:
        now = installation.clock.now()
        return await installation.write(
            sequences.publish, workspace_id=workspace.id, plan=plan, contents=found.contents, now=now
        )

    done = current.run(write)
    if done.unsigned:
        complain(
            f"relance: a text asks for sender_signature, which {counted(len(done.unsigned), 'mailbox', 'mailboxes')} "
            f"cannot give; whoever {done.unsigned[0]} should write to is held; "
            f"use `relance mailbox set {done.unsigned[0]} --signature-file FILE`"
        )
    said = "is published" if done.changed else "was published already, word for word"
    if done.awaits_approval:
        said += f", and waits for approval: `relance sequence approve {done.name}`"
    current.printer.facts(
        {
            "name": done.name,
            "version": done.version,
            "changed": done.changed,
            "awaits_approval": done.awaits_approval,
            "unsigned": done.unsigned,
            "not_connected": done.not_connected,
        },
        f"{done.name} version {done.version} {said}.",
    )
    if done.not_connected:
        complain(
            f"relance: warning: {done.name} names what nobody has connected: {', '.join(done.not_connected)}; connect "
            "each with `relance mailbox add`, or correct the file and publish again"
        )
    return DONE


@sequence.command()
@click.argument("file", type=click.Path(path_type=Path))
def diff(file: Path) -> int:
    """Show what publishing the file would change against the running version; exit 1 if the file is broken."""
    current = session()
    found = read_file(file)
    if isinstance(found, Broken):
        return _refuse(found)
    plan = found.plan

    async def read(installation: Installation, workspace: Workspace) -> Version | None:
        return await installation.read(_running, workspace.id, plan.name)

    running = current.run(read)
    lines = _diff_lines(running, plan_document.document_of(plan))
    facts = {
        "name": plan.name,
        "running_version": running.version if running else None,
        "changed": bool(lines),
        "diff": lines,
    }
    if running is None:
        sentence = f"{plan.name} was never published; publishing makes version 1."
    elif not lines:
        sentence = f"{plan.name} version {running.version} says the same: publishing changes nothing."
    else:
        sentence = "\n".join(lines)
    current.printer.facts(facts, sentence)
    return DONE


@sequence.command("list")
def list_sequences() -> None:
    """List every sequence, with how many stand where."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Mapping[str, object]]:
        return await installation.read(_rows, workspace.id)

    current.printer.rows(
        current.run(read),
        ("name", "status", "version", "enrollments", "last_skip_reason", "skip_until"),
        empty="There is no sequence yet; publish a file.",
    )


@sequence.command()
@click.argument("name")
def show(name: str) -> None:
    """Show a sequence and its running version."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> Mapping[str, object]:
        return await installation.read(_facts, workspace.id, name)

    facts = current.run(read)
    current.printer.facts(facts, json.dumps(facts, indent=2, ensure_ascii=False, default=str))


@sequence.command()
@click.argument("name")
@click.option("--version", type=click.IntRange(min=1), metavar="N", help="Another version than the running one.")
@click.option("--as", "form", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
def export(name: str, version: int | None, form: str) -> None:
    """Write a version as a sequence file to standard output; publishing that file changes nothing."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> Version:
        found = await installation.read(sequences.by_name, workspace.id, name)
        wanted = version or found.version
        if not wanted:
            raise NoError(f"sequence {name!r} was never published; publish its file first")
        return await installation.read(sequences.version_of, workspace.id, name, wanted)

    document = file_document(plan_document.plan_from_document(current.run(read).document))
    print_line((as_yaml(document) if form == "yaml" else as_json(document)).rstrip("\n"))


@sequence.command()
@click.argument("name")
def pause(name: str) -> None:
    """Freeze everyone of a sequence in place."""
    _switch(sequences.pause, name, "is paused", "was not live")


@sequence.command()
@click.argument("name")
def resume(name: str) -> None:
    """Let everyone go on from the identical step."""
    _switch(sequences.resume, name, "is live", "was live already")


@sequence.command()
@click.argument("name")
def approve(name: str) -> None:
    """Let the version that waits for approval take people along from now on."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> approving.Approved:
        now = installation.clock.now()
        return await installation.write(
            approving.approve, workspace_id=workspace.id, name=name, by="an operator", now=now
        )

    done = current.run(write)
    current.printer.facts(
        {"name": done.name, "version": done.version, "status": done.status},
        f"{done.name} version {done.version} is approved; the sequence is {done.status}.",
    )


@sequence.command()
@click.argument("name")
@click.option("--stop-active", is_flag=True, help="End the enrollments that are unfinished.")
def archive(name: str, stop_active: bool) -> None:
    """End a sequence; refused while enrollments are unfinished, unless --stop-active."""
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> int:
        return await installation.write(
            sequences.archive,
            workspace_id=workspace.id,
            name=name,
            stop_active=stop_active,
            now=installation.clock.now(),
        )

    stopped = current.run(write)
    current.printer.facts(
        {"name": name, "status": "archived", "stopped": stopped}, f"{name} is archived; {stopped} were stopped."
    )


def _switch(service: Callable[..., bool], name: str, done: str, already: str) -> None:
    current = session()

    async def write(installation: Installation, workspace: Workspace) -> tuple[bool, Sequence]:
        now = installation.clock.now()
        changed = await installation.write(service, workspace_id=workspace.id, name=name, now=now)
        return changed, await installation.read(sequences.by_name, workspace.id, name)

    changed, found = current.run(write)
    current.printer.facts(
        {"name": name, "status": found.status, "changed": changed}, f"{name} {done if changed else already}."
    )


def _refuse(broken: Broken) -> int:
    current = session()
    if current.as_json:
        current.printer.facts(_broken_facts(broken), "")
    for sentence in broken.sentences:
        complain(sentence)
    return NO


def _broken_facts(broken: Broken) -> Mapping[str, object]:
    problems = [
        {"line": problem.line, "step": problem.step, "message": problem.message, "remedy": problem.remedy}
        for problem in broken.problems
    ]
    return {"file": broken.file, "valid": False, "problems": problems}


def _running(reader: Reader, workspace_id: int, name: str) -> Version | None:
    found = reader.one(Sequence, "sequences.by_name", workspace_id=workspace_id, name=name)
    return sequences.running_version(reader, found) if found is not None else None


def _diff_lines(running: Version | None, document: Mapping[str, object]) -> list[str]:
    def lines(value: Mapping[str, object]) -> list[str]:
        return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True).splitlines()

    old = lines(running.document) if running else []
    before = f"version {running.version}" if running else "nothing"
    return list(difflib.unified_diff(old, lines(document), before, "the file", lineterm=""))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Count:
    """How many enrollments of a sequence have a status."""

    sequence_id: int
    status: str
    count: int


def _rows(reader: Reader, workspace_id: int) -> list[Mapping[str, object]]:
    found = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    counts = reader.all(_Count, "enrollments.count_by_status", workspace_id=workspace_id)
    return [
        {
            "name": one.name,
            "status": one.status,
            "version": one.version,
            "proposed_version": one.proposed_version,
            "enrollments": {count.status: count.count for count in counts if count.sequence_id == one.id},
            "skip_until": one.skip_until,
            "last_skip_reason": one.last_skip_reason,
            "created_at": one.created_at,
        }
        for one in found
    ]


def _facts(reader: Reader, workspace_id: int, name: str) -> Mapping[str, object]:
    found = sequences.by_name(reader, workspace_id, name)
    row = next(row for row in _rows(reader, workspace_id) if row["name"] == found.name)
    running = sequences.running_version(reader, found)
    return {
        **row,
        "published_at": running.created_at if running else None,
        "plan": running.document if running else None,
    }
