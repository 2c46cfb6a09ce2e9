"""`relance explain`, `audit` and `stuck`: where a lead stands, who got what, and what ought to move and does not."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import click

from relance.app import Installation
from relance.cli.failures import DONE, NO
from relance.cli.forecasting import Moment
from relance.cli.json_lines import stamp
from relance.cli.leads import spelled
from relance.cli.printing import complain, shown
from relance.cli.session import Command, session
from relance.core.words import counted
from relance.core.workspace import Workspace
from relance.forecast.asking import ask
from relance.forecast.question import Question
from relance.sandbox.clock import SandboxClock
from relance.services import auditing, explaining, reports
from relance.services.auditing import Receipt, StepAudit
from relance.services.standstill import Stuck

Facts = Mapping[str, Any]
_STEP = ("step", "sent", "unknown", "recorded", "twice", "perhaps")
_RECEIPT = ("at", "step", "recipient", "status", "mailbox", "variant")


@click.command(cls=Command)
@click.argument("email")
@click.option("--sequence", "sequence_name", metavar="NAME", help="Only this sequence.")
@click.option(
    "--forecast",
    "with_forecast",
    is_flag=True,
    help="Say what comes next, and when, if nobody answers: the engine is played over a copy of the whole state.",
)
@click.option("--from", "since", type=Moment(), metavar="TIME", help="As if it were this moment, in UTC.")
def explain(email: str, sequence_name: str | None, since: datetime | None, *, with_forecast: bool) -> None:
    """Say where a lead stands, why, what it was sent, and which gate holds it now."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> Facts:
        if since is not None:
            installation.clock = SandboxClock(since)
        facts = await installation.read(
            explaining.explain,
            workspace_id=workspace.id,
            email=spelled(email),
            sequence_name=sequence_name,
            keys=installation.keys,
            now=installation.clock.now(),
        )
        return await _with_forecast(installation, workspace, facts) if with_forecast else facts

    facts = current.run(read)
    current.printer.facts(facts, "\n".join(explain_lines(facts)))


async def _with_forecast(installation: Installation, workspace: Workspace, facts: Facts) -> Facts:
    """Add to each unfinished enrollment the messages that are to come."""
    found = await ask(installation, Question(workspace_id=workspace.id))
    to_come: defaultdict[str, list[Facts]] = defaultdict(list)
    for send in found.sends:
        if send.email == facts["lead"]["email"]:
            planned = {"step": send.step, "planned_at": stamp(send.planned_at), "mailbox": send.mailbox}
            to_come[send.sequence].append(planned)
    return {**facts, "enrollments": [{**one, "forecast": to_come[one["sequence"]]} for one in facts["enrollments"]]}


@click.command(cls=Command)
@click.argument("sequence_name", metavar="SEQUENCE")
@click.option("--who", is_flag=True, help="List everyone who got a step, one line a message.")
def audit(sequence_name: str, who: bool) -> int:
    """Count who got which step; exit 1 if somebody got one twice, or may have."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> tuple[list[StepAudit], list[Receipt]]:
        steps = await installation.read(auditing.audit, workspace_id=workspace.id, name=sequence_name)
        if not who:
            return steps, []
        return steps, await installation.read(auditing.receipts, workspace_id=workspace.id, name=sequence_name)

    found, receipts = current.run(read)
    if who:
        current.printer.rows((asdict(one) for one in receipts), _RECEIPT, empty="Nothing was sent yet.")
    else:
        current.printer.rows((asdict(step) for step in found), _STEP, empty="Nothing was sent yet.")
    twice = sorted({address for step in found for address in step.twice})
    unsure = {address for step in found for address in step.perhaps}
    if twice:
        got = "may have got" if unsure.issuperset(twice) else "got"
        named = f"{counted(len(twice), 'address', 'addresses')} {got} a step twice ({', '.join(twice[:5])})"
        complain(f"relance: {named}; look at each with `relance explain EMAIL`, and please report this")
    return NO if twice else DONE


@click.command(cls=Command)
def stuck() -> int:
    """List what ought to move and does not, each with what to do; exit 1 if there is anything."""
    current = session()

    async def read(installation: Installation, workspace: Workspace) -> list[Stuck]:
        return await installation.read(reports.stuck, workspace_id=workspace.id, now=installation.clock.now())

    found = current.run(read)
    current.printer.rows(
        (asdict(one) for one in found), ("kind", "subject", "since", "remedy"), empty="Nothing is stuck."
    )
    return NO if found else DONE


def explain_lines(facts: Facts) -> Iterator[str]:
    """Yield the lines that a person reads of what `services.explaining.explain` returned."""
    lead: Facts = facts["lead"]
    fields = ", ".join(f"{name}: {shown(value)}" for name, value in lead["fields"].items())
    yield f"{lead['email']} (lead {lead['id']}){f' – {fields}' if fields else ''}"
    if lead["hold_until"]:
        yield f"  on hold until {lead['hold_until']}"
    for one in lead["suppressions"]:
        yield f"  suppressed: {one['value']} ({one['reason']}, {one['scope']}, since {one['at']})"
    if not facts["enrollments"]:
        yield "  in no sequence; enroll with `relance enroll SEQUENCE --lead EMAIL`"
    for enrollment in facts["enrollments"]:
        yield ""
        yield from _enrollment_lines(enrollment)


def _enrollment_lines(one: Facts) -> Iterator[str]:
    reason = f" ({one['stop_reason'] or one['hold_reason']})" if one["stop_reason"] or one["hold_reason"] else ""
    yield f"{one['sequence']} version {one['version']}: {one['status']}{reason} at step {one['step']}"
    yield f"  {one['summary']}"
    waiting = [gate for gate in one["gates"] if gate["verdict"] != "pass"]
    for gate in waiting:
        until = f" until {gate['until']}" if gate["until"] else ""
        yield f"  gate {gate['gate']}: {gate['verdict']}{until} – {shown(gate.get('reason'))}"
    if one["attempts"]:
        only_recorded = all(attempt["status"] == "not_delivered" for attempt in one["attempts"])
        yield "  recorded:" if only_recorded else "  sent:"
    for attempt in one["attempts"]:
        settled = f", settled: {attempt['settled_by']}" if attempt.get("settled_by") else ""
        error = f", {shown(attempt['error'])}" if attempt.get("error") else ""
        origin = f" from {attempt['mailbox']}" if attempt["mailbox"] else ""
        yield (
            f"    {attempt['sent_at'] or attempt['planned_at']}  {attempt['step']} (variant {attempt['variant']}): "
            f"{attempt['status']}{origin}{settled}{error}  [attempt {attempt['id']}]"
        )
    came_in = [message for message in one["messages"] if message["direction"] == "in"]
    if came_in:
        yield "  came in:"
    for message in came_in:
        matched = f", matched by {message['matched_by']}" if message["matched_by"] else ""
        yield f"    {message['at']}  {message['kind']} from {shown(message['from'])}{matched}"
    if one["forecast"]:
        yield "  to come, if nobody answers:"
    for planned in one["forecast"]:
        yield f"    {planned['planned_at']}  {planned['step']} from {planned['mailbox']}"
    yield "  history:"
    for entry in one["history"]:
        yield f"    {entry['at']}  {entry['from'] or 'new'} → {entry['to']}: {entry['cause']}"
