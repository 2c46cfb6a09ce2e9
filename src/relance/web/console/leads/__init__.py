"""The pages about people: who they are, what happened to them, and bringing in more."""

from relance.web.console.leads import acting, filtering, listing, person, person_acts, uploading

routes = [*listing.routes, *filtering.routes, *acting.routes, *person.routes, *person_acts.routes, *uploading.routes]

__all__ = ["routes"]
