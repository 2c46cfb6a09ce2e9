"""Fields of a form as values; what is missing is the empty text."""

from dataclasses import dataclass

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from relance.services.refusals import WrongInputError

_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Form:
    """What a person sent."""

    fields: FormData

    def text(self, name: str) -> str:
        """Return a field without spaces around it, or nothing."""
        return self.verbatim(name).strip()

    def verbatim(self, name: str) -> str:
        """Return a field as it was typed, or nothing."""
        value = self.fields.get(name)
        return value[:_LONGEST] if isinstance(value, str) else ""

    def number(self, name: str, what: str) -> int:
        """Return a whole number from 0 on; nothing is 0. Raises WrongInputError."""
        text = self.text(name)
        if text and not (text.isascii() and text.isdigit() and len(text) < len("1000000000")):
            raise WrongInputError(f"{what} is {text[:40]!r}: write a whole number, or 0 for none")
        return int(text or 0)

    def file(self, name: str) -> UploadFile | None:
        """Return a file that was chosen, or None."""
        value = self.fields.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None


async def form_of(request: Request) -> Form:
    """Return the form of a request; its token was looked at before."""
    return Form(await request.form())
