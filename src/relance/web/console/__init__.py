"""The console's pages: one file each, one line each."""

from starlette.routing import Route

from relance.web.console import entering, home, leads, living

#: Seen without a session; every other route declares what it needs.
OPEN: list[Route] = [*entering.routes, *living.open_routes]
PAGES: list[Route] = [
    *home.routes,
    *living.routes,
    *leads.routes,
]
