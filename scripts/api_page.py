"""Writes docs/reference/api.md from the API's own OpenAPI."""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi.routing import APIRoute

from relance.web.api import problems
from relance.web.api.application import BODY_MOST, CALLS_AT_ONCE, ONE_CALL_EACH, PREFIX, RESOURCES, openapi_document
from relance.web.api.call import needed_by
from relance.web.api.pages import MOST, USUAL
from relance.web.api.problems import Kind

OPENING = """\
# The API

Written by `make reference` from the API itself; do not edit. [How to use it](../how-to/use-the-api.md) begins at the
first key.

- **Where.** Below `{prefix}` of the address at which `relance run` serves the console. `{prefix}/openapi.json` is the
  whole of this page as OpenAPI 3.1, for programs that make clients.
- **Keys.** `Authorization: Bearer KEY`. A key belongs to one workspace and has one role: `viewer` looks, `member`
  works, `admin` connects mailboxes and lets people in, `owner` does everything. It is shown once; only its digest is
  kept. What a key changes stands in the audit log under its name.
- **Times** are UTC and end in `Z`. A time that is sent needs a zone.
- **Lists** come in pages of `limit` (at most {most}, usually {usual}); hand `next` back as `cursor` until it is null.
- **Once.** A POST with an `Idempotency-Key` is done once: sent again within a day, it gets the first answer, with
  `Idempotent-Replayed: true`. What was refused was not done, and its key is free again. Not taken where an answer shows
  a secret.
- **Two people.** Where two may change the same, `GET` answers an `ETag`; send it back as `If-Match`, and nothing is
  changed if somebody was faster (412).
- **Unknown** parameters and keys of a body are refused, not ignored.
- **Limits.** {burst} calls of a key at once, then {rate} a second; who calls more often gets 429 and `Retry-After`
  (seconds). A body has at most {body} MB.

## Problems

What was not done is answered as `application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)):
`code` is for programs, `detail` says what is the matter, `remedy` what to do next, and `faults` names every part of a
request that is not as it must be.
"""


def api_page() -> str:
    """Return the page."""
    document = openapi_document()
    opening = OPENING.format(
        prefix=PREFIX,
        most=MOST,
        usual=USUAL,
        burst=CALLS_AT_ONCE,
        rate=round(1 / ONE_CALL_EACH.total_seconds()),
        body=BODY_MOST // 1024**2,
    )
    return "\n".join([opening, *_problems(), *_calls(document), *_shapes(document)]) + "\n"


def _problems() -> Iterator[str]:
    yield "| Status | Code | Title | Remedy, where the sentence says none |"
    yield "|---|---|---|---|"
    for kind in sorted(problems.KINDS, key=lambda one: (one.status, one.code)):
        yield _problem(kind)
    yield ""


def _problem(kind: Kind) -> str:
    return f"| {kind.status} | `{kind.code}` | {kind.title} | {kind.remedy} |"


def _calls(document: Mapping[str, Any]) -> Iterator[str]:
    roles = {
        (method.lower(), PREFIX + route.path): needed_by(route)
        for routes in RESOURCES
        for route in routes.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    by_tag: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            role = roles[method, path]
            call = f"`{method.upper()} {path.removeprefix(PREFIX)}`"
            takes = _takes(operation)
            gives = _gives(operation)
            row = f"| {call} | {role} | {_sentence(operation)} | {takes} | {gives} |"
            by_tag.setdefault(operation["tags"][-1], []).append(row)
    yield "## Calls"
    for tag, rows in by_tag.items():
        yield f"\n### {tag.capitalize()}\n"
        yield "| Call | From role | What it does | Takes | Answers |"
        yield "|---|---|---|---|---|"
        yield from rows
    yield ""


def _sentence(operation: Mapping[str, Any]) -> str:
    return " ".join(operation.get("description", "").split())


def _takes(operation: Mapping[str, Any]) -> str:
    query = [f"`{one['name']}`" for one in operation.get("parameters", ()) if one["in"] == "query"]
    headers = [f"`{one['name']}`" for one in operation.get("parameters", ()) if one["name"].lower() == "if-match"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    return ", ".join([*query, *headers, *([_type(body)] if body else [])])


def _gives(operation: Mapping[str, Any]) -> str:
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            schema = answer.get("content", {}).get("application/json", {}).get("schema")
            return f"{status} {_type(schema)}" if schema else status
    return ""


def _shapes(document: Mapping[str, Any]) -> Iterator[str]:
    yield "## Shapes"
    for name, schema in sorted(document["components"]["schemas"].items()):
        if _is_page(schema):
            continue
        yield f"\n### {name}\n"
        if "enum" in schema:
            yield f"{_about(schema)} One of {', '.join(f'`{value}`' for value in schema['enum'])}.".strip()
            continue
        yield f"{_about(schema)}\n"
        yield "| Key | Type | Meaning |"
        yield "|---|---|---|"
        needed = set(schema.get("required", ()))
        given = schema.get("additionalProperties") is False
        for key, one in schema.get("properties", {}).items():
            must = " (needed)" if given and key in needed else ""
            yield f"| `{key}` | {_type(one)}{must} | {_about(one)} |"


def _about(schema: Mapping[str, Any]) -> str:
    return " ".join(str(schema.get("description", "")).split()).replace("|", "\\|")


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name.endswith("Page") and name != "EventPage":
            inner = name.removesuffix("Page")
            return f"page of {inner}"
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    match schema.get("type"):
        case "array":
            return f"list of {_type(schema['items'])}"
        case "object":
            values = schema.get("additionalProperties")
            return f"object of {_type(values)}" if isinstance(values, dict) and values else "object"
        case "string":
            return {"date-time": "time", "date": "day"}.get(schema.get("format", ""), "text")
        case None:
            return "anything"
        case other:
            return str(other)


def _is_page(schema: Mapping[str, Any]) -> bool:
    """Whether it only says that a list comes in pages."""
    return set(schema.get("properties", ())) == {"items", "next"} and "next" not in schema.get("required", ())
