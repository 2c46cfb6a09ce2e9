"""`/lists`: which lists of leads there are, and who is put on one and taken off."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from relance.core.lead import Lead
from relance.ports.store import Reader
from relance.services import lead_lists
from relance.web.api.call import Call, Looks, Works
from relance.web.api.leads import find
from relance.web.api.pages import Page
from relance.web.api.repeating import Repeatable
from relance.web.api.shapes import Given, Shape, Word

routes = APIRouter(tags=["lists"], route_class=Repeatable)
Name = Annotated[str, Path(max_length=200, description="The list's name.")]
MOST = 500


class ListShape(Shape):
    """A list of leads. Who is on it: `GET /leads?list=NAME`."""

    name: str


class WhoIsMeant(Given):
    """Some leads."""

    leads: list[Word] = Field(min_length=1, max_length=MOST, description="Ids or addresses.")


class ListChanged(Shape):
    """How many it changed something for."""

    changed: int


@routes.get("/lists", response_model=Page[ListShape])
async def list_lists(call: Looks) -> dict[str, Any]:
    """List every list that has somebody on it, by name."""
    names = await call.read(lead_lists.names, call.workspace_id)
    return {"items": [{"name": name} for name in names], "next": None}


@routes.post("/lists/{name}/put", response_model=ListChanged)
async def put_on_list(call: Works, name: Name, wanted: WhoIsMeant) -> dict[str, int]:
    """Put leads on a list, a new one too."""
    ids = await _ids(call, wanted)
    changed = await call.write(lead_lists.put, workspace_id=call.workspace_id, name=name, lead_ids=ids, now=call.now)
    return {"changed": changed}


@routes.post("/lists/{name}/take-off", response_model=ListChanged)
async def take_off_list(call: Works, name: Name, wanted: WhoIsMeant) -> dict[str, int]:
    """Take leads off a list."""
    ids = await _ids(call, wanted)
    changed = await call.write(lead_lists.take_off, workspace_id=call.workspace_id, name=name, lead_ids=ids)
    return {"changed": changed}


async def _ids(call: Call, wanted: WhoIsMeant) -> list[int]:
    def whom(reader: Reader) -> list[Lead]:
        return [find(reader, call.workspace_id, which) for which in wanted.leads]

    return list(dict.fromkeys(lead.id for lead in await call.read(whom)))
