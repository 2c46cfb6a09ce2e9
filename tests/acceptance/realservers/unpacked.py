"""Programs of Debian packages that `scripts/unpacked_servers.py` put into folders of their own."""

import platform
import re
import subprocess
from pathlib import Path

SERVERS = Path(__file__).resolve().parents[3] / ".venv" / "servers"
REMEDY = "as root on Debian or Ubuntu: python3 scripts/bootstrap.py peers"
LIBRARY = re.compile(r"(/\S+) \(0x")


def library_path(root: Path) -> str:
    """Return the folders below `root` where its programs find their libraries, for LD_LIBRARY_PATH."""
    machine = f"{platform.machine()}-linux-gnu"
    folders = (f"usr/lib/{machine}", f"lib/{machine}", "usr/lib", "usr/lib/cyrus", "usr/lib/courier-authlib")
    return ":".join(str(root / folder) for folder in folders if (root / folder).is_dir())


def libraries(root: Path, program: str) -> list[Path]:
    """Return every library that a program below `root` loads, its loader too; they may be the machine's own."""
    environment = {"LD_LIBRARY_PATH": library_path(root), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["ldd", root / program],  # noqa: S607 - from the PATH above
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return [Path(found) for found in LIBRARY.findall(done.stdout)]
