"""The API, `/api/v1`: everything that the command line and the console can do, for programs."""

from relance.web.api.application import api_application

__all__ = ["api_application"]
