# The commands of a working day. The thinking is in scripts/bootstrap.py; what is installed is in requirements/.
#   make demo                       everything, set up and shown on this machine
#   make demo ARGS="--leads 2000"   the same with more people
#   make test                       every test; ARGS="tests/unit -k reply" for some of them
#   make kill-proof N=50            kill -9 the engine N times, on both stores, and count what everybody received
#   make crash-proof N=10000        the long run of the crash harness: N kills at named places, with every other fault
#                                   MINUTES=30: stop after so long, and tell how many it were
#                                   CREW_EVERY=1: every schedule over PostgreSQL is for two or four workers
#   make crash-sweep CREW=2         stop a worker of a crew at every place until the others have its work, and judge
#   make crash-replay PLAN='…'      one plan of the harness again (STORE=sqlite or postgres), with what the servers saw
#   make crash-table                write docs/reference/faults.md from runs of the harness
#   make fuzz SECONDS=50            feed the readers of mail and of IMAP with what breaks them, each for so many seconds
#   make bench                      what a message, a send, a claim, a day and a restart cost, each beside a comparison;
#                                   meant for 15 minutes. PEERS=…/bin/python: with the job queues that it has installed
#   make bench-full                 the largest sizes; takes hours
#   make check                      lint, types, import contracts
#   make format                     let ruff lay out the code
#   make reference                  write the pages of docs/reference that the code already knows
#   make screenshots                take the pictures of the README anew, of the console over a demo
#   make lock / make upgrade        write the lock for pyproject.toml / with newer versions
#   make clean                      remove what was built; your data directory stays

PYTHON := $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)
BIN := .venv/bin
JOBS ?= 2
MINUTES ?= 0
ARGS ?=
N ?= 50
SEED ?= $(shell date +%s)
STORE ?= sqlite
CREW_EVERY ?= 7
CREW ?= 2
PLAN ?= {}
SECONDS ?= 50
FUZZED ?= message imap
PEERS ?= -
# Each with its arguments behind colons: sizes meant for 15 minutes in all, which was not seen on an idle machine yet.
BENCHES ?= compose engine_only full_path growth inbox_day:10000:3 recovery:20000:300 forecast:1000 engine_postgres:150 \
	growth_postgres:100000:12 workers:500
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header

.DEFAULT_GOAL := help
.PHONY: help python run-environment dev-environment peers demo test bench bench-full fuzz kill-proof crash-proof crash-sweep crash-replay crash-table check format states reference screenshots lock upgrade build clean

help:
	@sed -n 's/^#   //p' Makefile

python:
	@test -n "$(PYTHON)" || { echo "Relance needs Python 3.11 or newer; none was found in PATH." >&2; exit 3; }

run-environment: python
	@$(PYTHON) scripts/bootstrap.py run

dev-environment: python
	@$(PYTHON) scripts/bootstrap.py dev

peers: dev-environment
	@$(PYTHON) scripts/bootstrap.py peers

demo: run-environment
	@$(BIN)/relance demo $(ARGS)

test: peers
	@$(BIN)/pytest -n $(JOBS) $(ARGS)

bench: peers
	@for each in $(BENCHES); do set -- $$(echo $$each | tr : ' '); script=$$1; shift; \
		echo "== bench/$$script.py $$*"; PEERS=$(PEERS) $(BIN)/python bench/$$script.py "$$@" || exit 1; done

bench-full: peers
	$(BIN)/python bench/growth.py 10000000
	$(BIN)/python bench/growth_postgres.py 1000000 600
	$(BIN)/python bench/workers.py 20000 512
	$(BIN)/python bench/workers_takeover.py
	$(BIN)/python bench/inbox_day.py 100000 30 1000

fuzz: dev-environment
	@for each in $(FUZZED); do PYTHONPATH=tests $(BIN)/python -m fuzz.run $$each $(SECONDS) $(SEED) || exit 1; done

kill-proof: peers
	RELANCE_TEST_KILLS=$(N) RELANCE_TEST_KILL_SEED=$(SEED) $(BIN)/pytest -s -n 0 tests/acceptance/test_kill.py

crash-proof: peers
	PYTHONPATH=tests $(BIN)/python -m crash.prove long --kills $(N) --seed $(SEED) --workers $(JOBS) --crew-every $(CREW_EVERY) --minutes $(MINUTES)

crash-sweep: peers
	PYTHONPATH=tests $(BIN)/python -m crash.prove sweep --crew $(CREW)

crash-replay: peers
	PYTHONPATH=tests $(BIN)/python -m crash.prove replay --store $(STORE) '$(PLAN)'

crash-table: dev-environment
	PYTHONPATH=tests $(BIN)/python -m crash.prove table

check: dev-environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: dev-environment
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

states: dev-environment
	$(BIN)/python scripts/write_states.py

reference: states
	$(BIN)/python scripts/write_reference.py

screenshots: peers
	$(BIN)/python scripts/take_screenshots.py

lock: dev-environment
	@$(MAKE) --no-print-directory compile

upgrade: dev-environment
	@$(MAKE) --no-print-directory compile UPGRADE=--upgrade

.PHONY: compile
compile:
	$(COMPILE) $(UPGRADE) pyproject.toml --extra postgres --extra dev --group build -o requirements/dev.txt
	$(COMPILE) pyproject.toml --extra postgres --group build -c requirements/dev.txt -o requirements/run.txt
	$(COMPILE) $(UPGRADE) --group pyproject.toml:postgres-wheel -o requirements/postgres-wheel.txt

build: dev-environment
	$(BIN)/python -m hatchling build

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests scripts bench -name __pycache__ -type d -prune -exec rm -rf {} +
