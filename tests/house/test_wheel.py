"""The built wheel holds the whole product, so that `pip install` gives what a clone gives."""

import subprocess
import sys
import zipfile

from house.house_rules import ROOT


def test_the_wheel_holds_every_file_of_the_package(tmp_path):
    """Statements, migrations and templates are no Python files and are as necessary."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, check=False, capture_output=True, text=True, cwd=ROOT)
    assert 0 == done.returncode, done.stderr
    (wheel,) = tmp_path.glob("relance-*.whl")
    package = ROOT / "src"
    wanted = {
        path.relative_to(package).as_posix()
        for path in (package / "relance").rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".pyo"}
    }

    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entry_points = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()

    assert set() == wanted - names
    assert "relance = relance.cli.main:main" in entry_points
    assert "[relance.connectors]" in entry_points
    assert any(name.endswith("licenses/LICENSE") for name in names)
