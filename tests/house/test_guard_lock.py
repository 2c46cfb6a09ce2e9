"""Guards: the lock is complete, by hash, and the one that pyproject.toml asks for. All of it offline."""

import re
import tomllib
from collections.abc import Iterable

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from house.house_rules import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
WANTED = {
    "run.txt": [*PROJECT["project"]["dependencies"], *EXTRAS["postgres"], *GROUPS["build"]],
    "dev.txt": [
        *PROJECT["project"]["dependencies"],
        *(requirement for extra in EXTRAS.values() for requirement in extra),
        *GROUPS["build"],
    ],
    "postgres-wheel.txt": GROUPS["postgres-wheel"],
}
ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


def pins(name: str) -> dict[str, tuple[str, str]]:
    """Read a lock: for each package its version and the rest of its entry."""
    text = (ROOT / "requirements" / name).read_text()
    return {canonicalize_name(match[1]): (match[2], match[3]) for match in ENTRY.finditer(text)}


def unmet(requirements: Iterable[str], locked: dict[str, tuple[str, str]]) -> list[str]:
    """Return the requirements that a lock does not meet."""
    parsed = [Requirement(text) for text in requirements]
    return [
        str(requirement)
        for requirement in parsed
        if canonicalize_name(requirement.name) not in locked
        or not requirement.specifier.contains(locked[canonicalize_name(requirement.name)][0], prereleases=True)
    ]


@pytest.mark.parametrize("name", WANTED)
def test_guard_the_lock_meets_every_requirement(name):
    """A requirement changed without `make lock` is refused."""
    assert [] == unmet(WANTED[name], pins(name))


@pytest.mark.parametrize("name", WANTED)
def test_guard_the_lock_holds_nothing_that_nobody_asked_for(name):
    """A requirement that was removed leaves the lock too."""
    wanted = {canonicalize_name(Requirement(text).name) for text in WANTED[name]}
    direct = {package for package, (_, rest) in pins(name).items() if "relance (pyproject.toml" in rest}

    assert wanted == direct


@pytest.mark.parametrize("name", WANTED)
def test_guard_every_pin_has_its_hashes_and_no_host(name):
    """What is installed is what was tested, wherever it is fetched from."""
    text = (ROOT / "requirements" / name).read_text()

    assert [] == [package for package, (_, rest) in pins(name).items() if "--hash=sha256:" not in rest]
    assert "://" not in text
    assert "index" not in re.findall(r"^-+(\w+)", text, re.MULTILINE)
    assert text.count("==") >= len(pins(name)) > 0


def test_guard_running_and_testing_use_the_same_versions():
    """Tests prove something about what runs."""
    tested = {package: version for package, (version, _) in pins("dev.txt").items()}

    assert {} == {p: version for p, (version, _) in pins("run.txt").items() if tested.get(p) != version}


def test_an_outdated_lock_is_noticed():
    """The guard can fail."""
    assert ["pytest>=9"] == unmet(["pytest>=9"], {"pytest": ("8.4.1", "")})
    assert ["rich"] == unmet(["rich"], {})
