"""Wait until a test session is over, however it ended, and then stop the PostgreSQL that it started.

    python postgres_watch.py SESSION_DIR

The session's owner holds a lock on a file for as long as it lives; a process that is killed lets go of it too. A
session that ends in order stops its server itself, and finds nothing left to do here.
"""

import shutil
import sys
from pathlib import Path

from postgres_server import ALIVE, locked, stop_server

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with locked(folder / ALIVE):
        stop_server(folder)
        shutil.rmtree(folder, ignore_errors=True)
