"""One person: where each of their runs stands and why, what holds it now, and everything that happened."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.explaining import in_words
from relance.core.lead import Lead
from relance.core.people import Role
from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services import explaining, lead_lists
from relance.services.refusals import NotFoundError, RefusedError
from relance.services.situations import Keys, further_addresses
from relance.services.timelines import Moment, timeline
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Everything that the page shows."""

    lead: Lead
    facts: Mapping[str, Any]  #: What `relance explain --json` prints.
    moments: tuple[Moment, ...]
    lists: tuple[str, ...]
    every_list: tuple[str, ...]
    further: tuple[str, ...]  #: Addresses by which the person is known too.
    live: tuple[str, ...]  #: Sequences that accept people, and that this one is not in.


@needs(Role.VIEWER)
async def person(request: Request, visitor: Visitor) -> Response:
    """Show one person."""
    around = surroundings_of(request)
    known = await around.store.read(
        known_of, visitor.workspace.id, request.path_params["lead"], keys=around.keys, now=around.clock.now()
    )
    return render(request, "leads/person.html", visitor, known=known, runs=_runs(known.facts), in_words=in_words)


@needs(Role.VIEWER, audited=False)
async def to_come(request: Request, visitor: Visitor) -> Response:
    """Show what the person will be sent, and when, if nobody answers: the engine is played over a copy of the state."""
    around = surroundings_of(request)
    lead = await around.store.read(lead_of, visitor.workspace.id, request.path_params["lead"])
    facts, problem = None, None
    try:
        facts = await around.hands.foresee.of_lead(visitor.workspace.name, lead.email)
    except RefusedError as error:
        problem = str(error)
    return render(
        request, "leads/to_come.html", visitor, status=409 if problem else 200, lead=lead, facts=facts, problem=problem
    )


def lead_of(reader: Reader, workspace_id: int, lead_id: int) -> Lead:
    """Return a lead of this workspace. Raises NotFoundError, also for one that was erased."""
    found = reader.one(Lead, "leads.get", workspace_id=workspace_id, id=lead_id)
    if found is None or found.erased:
        raise NotFoundError("there is no such lead, or their data was erased")
    return found


def known_of(reader: Reader, workspace_id: int, lead_id: int, *, keys: Keys, now: datetime) -> Known:
    """Read everything about one person. Raises NotFoundError."""
    lead = lead_of(reader, workspace_id, lead_id)
    facts: Mapping[str, Any] = explaining.explain(
        reader, workspace_id=workspace_id, email=lead.email, sequence_name=None, keys=keys, now=now
    )
    inside = {run["sequence"] for run in facts["enrollments"]}
    every = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    return Known(
        lead=lead,
        facts=facts,
        moments=tuple(reversed(timeline(reader, lead=lead))),
        lists=tuple(lead_lists.of_lead(reader, workspace_id, lead_id)),
        every_list=tuple(lead_lists.names(reader, workspace_id)),
        further=further_addresses(reader, lead),
        live=tuple(s.name for s in every if s.status is SequenceStatus.LIVE and s.name not in inside),
    )


def _runs(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the runs, those that go on first, each with its gates: what holds it first."""
    over = {"completed", "stopped", "blocked", "suppressed", "holdout"}
    runs = [
        {
            **run,
            "over": run["status"] in over,
            "holding": [gate for gate in run["gates"] if gate["verdict"] != "pass"],
            "passing": [gate for gate in run["gates"] if gate["verdict"] == "pass"],
        }
        for run in facts["enrollments"]
    ]
    return sorted(runs, key=lambda run: (run["over"], -int(run["id"])))


routes = [
    Route("/w/{workspace}/leads/{lead:int}", person),
    Route("/w/{workspace}/leads/{lead:int}/to-come", to_come, methods=["POST"]),
]
