"""The console's pages: one file each, one line each."""

from starlette.routing import Route

from relance.web.console import (
    account,
    audits,
    clock,
    conversation,
    doctor,
    entering,
    forecast,
    home,
    inbox,
    keys,
    leads,
    living,
    mailboxes,
    numbers,
    people,
    sequences,
    settings,
    stuck,
    suppressions,
    today,
)

#: Seen without a session; every other route declares what it needs.
OPEN: list[Route] = [*entering.routes, *living.open_routes]
PAGES: list[Route] = [
    *sequences.routes,
    *forecast.routes,
    *today.routes,
    *home.routes,
    *stuck.routes,
    *suppressions.routes,
    *doctor.routes,
    *settings.routes,
    *people.routes,
    *keys.routes,
    *account.routes,
    *audits.routes,
    *clock.routes,
    *inbox.routes,
    *conversation.routes,
    *numbers.routes,
    *living.routes,
    *leads.routes,
    *mailboxes.routes,
]
