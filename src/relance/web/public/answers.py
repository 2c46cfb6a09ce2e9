"""Whole answers in two ASGI messages."""

from collections.abc import Sequence

from starlette.types import Send

_NOTHING = "default-src 'none'; frame-ancestors 'none'"
_SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
Header = tuple[bytes, bytes]


async def answer(
    send: Send,
    status: int,
    text: str,
    *,
    kind: str = "text/plain; charset=utf-8",
    policy: str = _NOTHING,
    more: Sequence[Header] = (),
) -> None:
    """Send one answer. To HEAD the server itself sends no body."""
    body = text.encode()
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"content-security-policy", policy.encode()),
        *_SAFE,
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
