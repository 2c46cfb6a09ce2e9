"""Run one target under a coverage-guided fuzzer for some seconds. `make fuzz SECONDS=50` runs all of them.

    PYTHONPATH=tests .venv/bin/python -m fuzz.run TARGET SECONDS [SEED]

What fails is written to tests/fuzz/finds/TARGET and the exit code is not 0: keep the file, mend the reader, and
`tests/fuzz/test_finds.py` reads it from then on. An input that takes longer than 5 seconds or 1 GiB fails too.
Seeds are the finds and the examples of the rules; they are copied, and what the fuzzer adds is thrown away.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).resolve().parent
SEEDS = {"message": (HERE.parent / "unit" / "mail" / "rules",), "imap": ()}

with atheris.instrument_imports(include=["relance.mail", "relance.connectors.smtp_imap"], enable_loader_override=False):
    from fuzz.targets import TARGETS


def main(arguments: list[str]) -> None:
    """Fuzz until the time is over; never returns (libFuzzer ends the process)."""
    name, seconds, *seed = arguments
    finds = HERE / "finds" / name
    finds.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for folder in (finds, *SEEDS[name]):
            for path in folder.iterdir():
                shutil.copy(path, Path(corpus) / path.name)
        limits = [f"-max_total_time={seconds}", "-timeout=5", "-rss_limit_mb=1024", "-max_len=8192"]
        shown = [
            f"-artifact_prefix={finds}/",
            "-print_final_stats=1",
            "-verbosity=0",
            f"-seed={seed[0] if seed else 1}",
        ]
        dictionary = HERE / f"{name}.dict"
        words = [f"-dict={dictionary}"] if dictionary.exists() else []
        atheris.Setup([sys.argv[0], *limits, *shown, *words, corpus], TARGETS[name])
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
