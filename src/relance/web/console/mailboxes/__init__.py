"""The pages about mailboxes: connecting them, how they are, what they may send, and their domains."""

from relance.web.console.mailboxes import connecting, domains, listing, many, one, one_acts

routes = [*listing.routes, *connecting.routes, *many.routes, *domains.routes, *one.routes, *one_acts.routes]

__all__ = ["routes"]
