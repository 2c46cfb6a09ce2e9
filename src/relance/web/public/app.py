"""The public application, in plain ASGI: no templates, no sessions, no framework to hold it up."""

from starlette.types import Receive, Scope, Send

from relance.core.unsubscribe_link import PATH
from relance.ports.store import Reader, StoreError
from relance.web.public.answers import answer
from relance.web.public.metrics import metrics
from relance.web.public.unsubscribe import Unsubscribe
from relance.web.surroundings import Surroundings

HEALTH, METRICS = "/health", "/metrics"


class PublicApp:
    """ASGI."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._unsubscribe = Unsubscribe(around)

    def takes(self, path: str) -> bool:
        """Whether a path is one of these."""
        return path.startswith(PATH) or path in {HEALTH, METRICS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"].startswith(PATH):
            await self._unsubscribe(scope, receive, send)
        elif scope["path"] == METRICS:
            await metrics(self._around, scope, send)
        else:
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
