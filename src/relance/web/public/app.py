"""The public application, in plain ASGI: no templates, no sessions, no framework to hold it up."""

from starlette.types import Receive, Scope, Send

from relance.ports.store import Reader, StoreError
from relance.web.public.answers import answer
from relance.web.surroundings import Surroundings

HEALTH = "/health"


class PublicApp:
    """ASGI."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def takes(self, path: str) -> bool:
        """Whether a path is one of these."""
        return path == HEALTH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Answer one request."""
        await self._health(send)

    async def _health(self, send: Send) -> None:
        """Say whether the state can be read; nothing else, since anybody may ask."""
        try:
            await self._around.store.read(_readable)
        except StoreError:
            await answer(send, 503, "the database cannot be read\n")
            return
        await answer(send, 200, "ok\n")


def _readable(reader: Reader) -> bool:
    return reader.one(int, "users.any_with_password") is not None
