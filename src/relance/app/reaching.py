"""Where people reach the console, and the machine's time, by which sessions, keys and links end."""

from datetime import datetime

from relance.app.clocks import SystemClock
from relance.app.installation import Installation
from relance.config import DEFAULT_BIND


def real_now() -> datetime:
    """Return the machine's time."""
    return SystemClock().now()


def reached_at(installation: Installation) -> str:
    """Return where people reach the console, without a slash at the end."""
    config = installation.config
    return config.base_url or f"http://{config.bind or DEFAULT_BIND}"
