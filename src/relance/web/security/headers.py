"""Headers that every answer carries, unless its route has set a stricter or an own one."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
KEPT = "public, max-age=31536000, immutable"  #: A file whose address names its contents.
HTTPS_ONLY = ("strict-transport-security", "max-age=31536000")


class Headers:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self._app = app
        self._headers = {**HEADERS, **dict([HTTPS_ONLY] if secure else [])}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add what is missing to the answer's headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        kept = scope["path"].startswith("/static/") and scope["query_string"].startswith(b"v=")

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if kept:
                    headers["cache-control"] = KEPT
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)
