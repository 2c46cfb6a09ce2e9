"""Sequences: the list, one sequence with its flow and numbers, and the builder."""

from starlette.routing import Route

from relance.web.console.sequences import building, listing, one, publishing, trying

routes: list[Route] = [
    *listing.routes,
    *one.routes,
    *building.routes,
    *trying.routes,
    *publishing.routes,
]
