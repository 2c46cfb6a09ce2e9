"""Taking any one guard out of the product's source turns a scene of the harness, or a test, red.

`test_guards_matter.py` takes guards out of the running process; here the source is what was changed, as by a person.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crash.directed import SCENES
from crash.guards import Guard
from crash.mutations import MUTATIONS, PRODUCT, Mutation
from crash.theatre import Theatre

ROOT = PRODUCT.parent
FAILED = 1  #: Exit code of pytest when tests ran and one failed; whatever did not run has another.

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def named(mutation: Mutation) -> str:
    """Call a mutation by the guard that it lacks."""
    return mutation.name


@pytest.mark.parametrize("mutation", MUTATIONS, ids=named)
def test_the_guard_is_where_the_list_says(mutation: Mutation):
    """A text that is gone, or there twice, would be taken out in vain."""
    texts = [(edit, (PRODUCT / "relance" / edit.file).read_text(encoding="utf-8")) for edit in mutation.edits]

    assert [1] * len(texts) == [text.count(edit.old) for edit, text in texts]


@pytest.mark.postgres
@pytest.mark.parametrize("theatre", ["sqlite"], indirect=True)
@pytest.mark.parametrize("mutation", MUTATIONS, ids=named)
def test_without_the_guard_something_turns_red(
    theatre: Theatre, mutation: Mutation, tmp_path: Path, request: pytest.FixtureRequest
):
    """Whoever simplifies it away is told."""
    product = mutation.make(tmp_path / "product")
    match mutation.seen_by:
        case Guard() as guard:
            broken = played(theatre, guard, product, tmp_path / "stage", request)
        case test:
            broken = run(test, product)

    assert broken


def played(theatre: Theatre, guard: Guard, product: Path, folder: Path, request: pytest.FixtureRequest) -> list[str]:
    """Play a guard's scene with a product, and return what broke as the scene says; compared is with the whole one."""
    scene = next(scene for scene in SCENES if scene.guard is guard)
    folder.mkdir()
    server = request.getfixturevalue("server") if scene.needs_postgres else None
    with Theatre.open(folder, server, product) as without:
        without.expect(theatre.enumeration)
        broken = without.play(scene, guarded=True)
    seen = [each for each in broken if each.startswith(scene.breaks)]
    assert seen, f"nothing broke as {scene.breaks!r}: {broken}"
    return seen


def run(test: str, product: Path) -> list[str]:
    """Run a test against a product, and return it if it failed."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={**usual, "PYTHONPATH": str(product)},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = done.returncode == FAILED and f"FAILED {test}" in done.stdout
    return [test] if failed else []
