"""Where pages about sequences are, and what all of them read first."""

from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request

from relance.core.sequence import Sequence
from relance.ports.store import Reader
from relance.web.security.who import UNKNOWN, Visitor

LIST = "/w/{workspace}/sequences"
ONE = "/w/{workspace}/sequences/{sequence_id:int}"


def root(visitor: Visitor) -> str:
    """Return where the workspace's pages begin."""
    return f"/w/{quote(visitor.workspace.name, safe='')}"


def base(visitor: Visitor, sequence_id: int) -> str:
    """Return where a sequence's pages begin."""
    return f"{root(visitor)}/sequences/{sequence_id}"


def asked_for(request: Request) -> int:
    """Return the id in the path."""
    found: int = request.path_params["sequence_id"]
    return found


def sequence_of(reader: Reader, workspace_id: int, sequence_id: int) -> Sequence:
    """Return the sequence of the path. Raises HTTPException where the workspace has none of that id."""
    found = reader.one(Sequence, "sequences.get", workspace_id=workspace_id, id=sequence_id)
    if found is None:
        raise HTTPException(UNKNOWN, "There is no such sequence, or it is not yours to see")
    return found
