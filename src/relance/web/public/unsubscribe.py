"""Opting out by the link in a message (RFC 8058): GET shows a page with one button, POST acts, as often as it is sent.

No session, no cookie, no script, no redirect; and what the link does not say, nobody is asked.
"""

from base64 import b64encode
from hashlib import sha256

from starlette.types import Receive, Scope, Send

from relance.core.unsubscribe_link import PATH, read_link
from relance.ports.store import StoreError
from relance.services import unsubscribing
from relance.web.public.answers import answer
from relance.web.surroundings import Surroundings

_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:18px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}"
    "button{font:inherit;padding:.6rem 1.4rem}"
)
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="robots" content="noindex"><title>{title}</title><style>'
    + _STYLE.replace("{", "{{").replace("}", "}}")
    + "</style></head><body><main><h1>{title}</h1><p>{text}</p>{more}</main></body></html>"
)
ASK = _PAGE.format(
    title="Unsubscribe",
    text="You will get no more mail from this sender.",
    more='<form method="post"><button type="submit">Unsubscribe</button></form>',
)
DONE = _PAGE.format(title="You are unsubscribed", text="You will get no more mail from this sender.", more="")
BROKEN = _PAGE.format(
    title="This link is not whole", text="Copy it from the message to its last letter, and open it again.", more=""
)
LATER = _PAGE.format(
    title="That did not work", text="It is our fault, not yours. Open the link again in a few minutes.", more=""
)
_HTML = "text/html; charset=utf-8"
_METHODS = (b"allow", b"GET, HEAD, POST")


class Unsubscribe:
    """ASGI for the paths below `/u/`."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._key = around.vault.derive("unsubscribe")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - no body says more
        """Answer one request."""
        link = read_link(self._key, scope["path"].removeprefix(PATH))
        method = scope["method"]
        if method not in {"GET", "HEAD", "POST"}:
            await answer(send, 405, "use GET or POST\n", more=[_METHODS])
        elif link is None:
            await answer(send, 404, BROKEN, kind=_HTML, policy=POLICY)
        elif method != "POST":
            await answer(send, 200, ASK, kind=_HTML, policy=POLICY)
        else:
            around = self._around
            try:
                await around.store.write(
                    unsubscribing.opt_out, link, tombstone_key=around.keys.tombstone, now=around.clock.now()
                )
            except StoreError as error:
                around.log.error("unsubscribe.not_stored", error=str(error))
                await answer(send, 503, LATER, kind=_HTML, policy=POLICY, more=[(b"retry-after", b"60")])
                return
            await answer(send, 200, DONE, kind=_HTML, policy=POLICY)
