"""The composition root: the only place that chooses a store, a clock, a vault and connectors, and wires them.

Real time and chance enter here; everything below takes them as arguments.
"""

from relance.app.clocks import RealMonotonic, SystemClock
from relance.app.installation import Installation
from relance.app.logins import LOGIN, Secret, SecretKind, run_secret_command
from relance.app.opening import init_installation, open_installation, settle_installation

__all__ = [
    "LOGIN",
    "Installation",
    "RealMonotonic",
    "Secret",
    "SecretKind",
    "SystemClock",
    "init_installation",
    "open_installation",
    "run_secret_command",
    "settle_installation",
]
