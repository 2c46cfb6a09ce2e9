"""The clock of a demo: let time go on, stand still, or jump. Elsewhere there is no such page."""

from datetime import datetime, timedelta
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relance.core.people import Role
from relance.services.refusals import NotFoundError, WrongInputError
from relance.web.console.forms import form_of
from relance.web.flashes import done
from relance.web.rendering import render
from relance.web.security.needs import needs
from relance.web.security.who import Visitor
from relance.web.surroundings import ClockControl, surroundings_of

PATH = "/w/{workspace}/clock"
_LONGEST = 400
#: Virtual seconds in a real one, and how that is said.
SPEEDS = MappingProxyType({60: "1 min a second", 600: "10 min a second", 3600: "1 h a second"})
JUMPS = MappingProxyType({"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)})


@needs(Role.VIEWER)
async def page(request: Request, visitor: Visitor) -> Response:
    """Show the clock alone, as it stands."""
    control(request)
    return render(request, "clock/clock.html", visitor, back=request.query_params.get("back", "")[:_LONGEST])


@needs(Role.MEMBER, audited=False)
async def change(request: Request, _: Visitor) -> Response:
    """Do what a button says, and go back to where it was pressed."""
    hand, form = control(request), await form_of(request)
    action = form.text("action")
    if action == "pause":
        hand.pause()
    elif action in JUMPS:
        hand.jump(surroundings_of(request).clock.now() + JUMPS[action])
    elif action.isdecimal() and int(action) in SPEEDS:
        hand.play(float(action))
    else:
        raise WrongInputError("choose pause, a speed, or how far to jump")
    root = request.url.path.removesuffix("/clock")
    back = form.text("back")
    return done(request, back if back.startswith(f"{root}/") else f"{root}/today", said(hand))


def said(hand: ClockControl) -> str:
    """Return what the clock does now, in words."""
    if hand.jumping_to is not None:
        return f"Time is on its way to {shown(hand.jumping_to)}."
    return f"Time goes on, {SPEEDS.get(int(hand.speed), 'at its own speed')}." if hand.playing else "Time stands still."


def shown(at: datetime) -> str:
    """Return an instant as the clock shows it."""
    return f"{at:%a %d %b %H:%M} UTC"


def control(request: Request) -> ClockControl:
    """Return the demo's clock. Raises NotFoundError where time is real."""
    demo = surroundings_of(request).shown
    if demo is None:
        raise NotFoundError("only a demo's clock can be set: `relance demo --serve`")
    return demo.control


routes = [Route(PATH, page), Route(PATH, change, methods=["POST"])]
