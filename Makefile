# `make run` shows the thing working, `make test` checks all that is claimed. Both need Python 3.11 or later and make;
# everything else is installed into .venv, again only when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
IN_VENV := $(VENV)/bin/python
DEMO := runtime/guest_code/demo
ARTEFACTS ?= .ci/artefacts

.PHONY: run test docs clean

run: $(VENV)/run.stamp
	@echo "== $(DEMO).c, compiled by clang to eBPF, on the lines of $(DEMO).log, as native code"
	$(IN_VENV) -m runtime run $(DEMO).o --mem-file $(DEMO).log --engine jit
	@echo "== the same by the reference interpreter"
	$(IN_VENV) -m runtime run $(DEMO).o --mem-file $(DEMO).log --engine interpreter
	@echo "== how its inner loop is translated (the first lines)"
	@COLUMNS=124 $(IN_VENV) -m runtime explain $(DEMO).o --function 103 --sources . | head -n 40
	@echo "== a Loop, from C to a woken agent, through a server that is killed on the way"
	@COLUMNS=124 $(IN_VENV) -m salix demo

test: $(VENV)/test.stamp
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m mypy
	$(IN_VENV) -m sphinx -W -q -b html docs docs/_build
	$(IN_VENV) -m pytest -n 2 -rs
	mkdir -p $(ARTEFACTS)
	$(IN_VENV) -m differential --sequences 2000 --json $(ARTEFACTS)/sequences.json
	$(IN_VENV) -m differential encodings --json $(ARTEFACTS)/encodings.json
	$(IN_VENV) -m differential hostile --inputs 2000 --json $(ARTEFACTS)/hostile.json
	$(IN_VENV) -m differential soak --guests 1000 --json $(ARTEFACTS)/soak.json
	$(IN_VENV) -m differential programs --programs 400 --json $(ARTEFACTS)/programs.json
	$(IN_VENV) -m tests.salix.crash --kills 50 --json $(ARTEFACTS)/crash.json
	$(IN_VENV) -m tests.salix.crash --kills 20 --database postgresql --json $(ARTEFACTS)/crash_postgresql.json
	$(IN_VENV) -m proofs --no-cache --mutants --crosshair 16

docs: $(VENV)/test.stamp
	$(IN_VENV) -m sphinx -W -q -b html docs docs/_build
	@echo "docs/_build/index.html"

# the Python that made .venv stays; remove .venv (make clean) to change it
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed, set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	$(IN_VENV) -m pip install --quiet --disable-pip-version-check -e '.[salix]'
	touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/bin/python
	$(IN_VENV) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/run.stamp

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
