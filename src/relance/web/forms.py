"""What a form said, in words: each field once, files apart."""

from collections.abc import Mapping

from starlette.requests import Request

FIELDS_MOST, FILES_MOST = 20_000, 20
LONGEST = 200_000  #: Characters of one field.


async def words_of(request: Request) -> dict[str, str]:
    """Return a form's fields by name, the last of each, line ends as they are kept."""
    form = await request.form(max_files=FILES_MOST, max_fields=FIELDS_MOST)
    return {name: _line_ends(value) for name, value in form.multi_items() if isinstance(value, str)}


async def every(request: Request, name: str) -> list[str]:
    """Return every value of one field, such as the boxes that were ticked."""
    form = await request.form(max_files=FILES_MOST, max_fields=FIELDS_MOST)
    return [value for value in form.getlist(name) if isinstance(value, str)]


def numbered(words: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the fields whose name begins so, by the rest of it."""
    return {name.removeprefix(prefix): value for name, value in words.items() if name.startswith(prefix)}


def _line_ends(value: str) -> str:
    return value[:LONGEST].replace("\r\n", "\n").replace("\r", "\n")
