"""A sentence for the next page: what was done, said where a form leads to. It travels in a cookie that counts once."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse

FLASH_COOKIE = "relance_said"
_SECONDS = 60
_LONGEST = 600


class Tone(StrEnum):
    """How a sentence is meant."""

    GOOD = "good"  #: It is done.
    WARN = "warn"  #: It is done, and something else has to be.
    BAD = "bad"  #: It was refused.


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """One sentence."""

    tone: Tone
    text: str


def done(request: Request, path: str, sentence: str, tone: Tone = Tone.GOOD) -> RedirectResponse:
    """Lead on to another page and say there what was done."""
    answer = RedirectResponse(quote(path, safe="/?&=%#:"), status_code=303)
    said = urlsafe_b64encode(json.dumps([tone, sentence[:_LONGEST]]).encode()).decode()
    secure = request.url.scheme == "https"
    answer.set_cookie(FLASH_COOKIE, said, max_age=_SECONDS, path="/", httponly=True, samesite="lax", secure=secure)
    return answer


def read_flashes(request: Request) -> list[Flash]:
    """Return what the page before had to say; what nobody of us wrote says nothing."""
    try:
        tone, text = json.loads(urlsafe_b64decode(request.cookies.get(FLASH_COOKIE, "")))
        return [Flash(tone=Tone(tone), text=str(text))]
    except (ValueError, TypeError):
        return []
