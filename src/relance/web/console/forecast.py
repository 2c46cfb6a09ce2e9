"""Forecast: what will be sent when, and what if; played by the engine over a copy of the state, beside the engine."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.core.sequence import Sequence, SequenceStatus
from relance.ports.store import Reader
from relance.services.refusals import RefusedError
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import surroundings_of

PATH: Final = "/w/{workspace}/forecast"
_ASKED: Final = ("sequence", "days", "mailboxes", "daily-cap", "window", "reply-rate", "bounce-rate")
_LIMITS: Final[Mapping[str, str]] = {
    "daily_cap": "every mailbox sends all it may in a day",
    "sequence": "the sequence's own cap is used up each day",
    "hours": "the hours of the window, with gaps and hourly caps, hold no more",
}
_HEIGHT, _BAR_WIDTH, _GAP, _LEAST_WIDTH = 120, 18, 4, 160


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Ask, and show the answer once a question was sent."""
    around = surroundings_of(request)
    names = await around.store.read(_names, visitor.workspace.id)
    asked = {key: value.strip() for key in _ASKED if (value := request.query_params.get(key, "")).strip()}
    answer, problem = None, None
    if "ask" in request.query_params:
        try:
            answer = await around.hands.foresee(visitor.workspace.name, asked)
        except RefusedError as error:
            problem = str(error)
    return render(
        request,
        "forecast/forecast.html",
        visitor,
        names=names,
        asked=asked,
        answer=answer,
        problem=problem,
        plot=plotted(answer["days"]) if answer else None,
        limits=_LIMITS,
    )


def plotted(days: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the days as bars: each with its place, its height and its words; days without a send leave a gap."""
    if not days:
        return {"bars": [], "width": 0, "height": _HEIGHT, "most": 0}
    first, last = (date.fromisoformat(days[end]["day"]) for end in (0, -1))
    most = max(day["sent"] for day in days)
    bars = []
    for day in days:
        at = date.fromisoformat(day["day"])
        height = max(2, round((_HEIGHT - 30) * day["sent"] / most))
        x = (at - first).days * (_BAR_WIDTH + _GAP)
        bars.append({"x": x, "y": _HEIGHT - 18 - height, "height": height, "width": _BAR_WIDTH, "at": at, **day})
    return {
        "bars": bars,
        "width": max(_LEAST_WIDTH, ((last - first).days + 2) * (_BAR_WIDTH + _GAP)),
        "height": _HEIGHT,
        "most": most,
    }


def _names(reader: Reader, workspace_id: int) -> list[str]:
    found = reader.all(Sequence, "sequences.of_workspace", workspace_id=workspace_id)
    return [one.name for one in found if one.status in {SequenceStatus.LIVE, SequenceStatus.PAUSED}]


routes = [Route(PATH, page, methods=["GET"])]
