"""The console's pages: one file each, one line each."""

from starlette.routing import Route

from relance.web.console import entering, home

#: Seen without a session; every other route declares what it needs.
OPEN: list[Route] = [*entering.routes]
PAGES: list[Route] = [
    *home.routes,
]
