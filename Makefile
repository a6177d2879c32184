# Every command creates the virtual environment it needs; nothing has to be done before.
#   make demo     the main job end to end on built-in data: a table, and a report to open in a browser
#   make test     every check: format, lint, types, layers, tests, documentation
#   make crash    the tests that kill what they watch, with all their kills (make test does a third of them)
#   make bench    speed against other libraries, printed as ratios
#   make reproduce   every experiment that the data allow, its report, and the page of the documentation; DATA=folder with LETOR collections
#   make theory   what the papers prove, checked by enumeration and random trials
#   make site     the documentation as a site, in build/site
#   make people   labelling strategies on recorded people; DATA=folder with thu_image_search
#   make screenshots   the pictures of the server in the documentation
#   make docs     write the generated parts of the documentation
#   make format   put the code into its usual form
#   make clean    remove everything that was made

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
STAMPS := pyproject.toml constraints.txt

.PHONY: demo test crash bench reproduce theory site people screenshots docs format clean
.DELETE_ON_ERROR:

demo: $(VENV)/core
	$(BIN)/podium demo

test: $(VENV)/test
	tests/server/install_browser.sh $(VENV)/axe
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist worksteal

crash: $(VENV)/test
	PODIUM_KILLS=all $(BIN)/python -m pytest tests/server/test_killed.py tests/store/test_crash.py tests/cli/test_label.py -k kill

bench: $(VENV)/bench $(VENV)-label-studio/done
	$(BIN)/python -m benchmarks

# Without DATA, the benchmark collections beside the checkout are unpacked if they are there; experiments on absent collections are left out.
RUNS ?= runs
UNPACK := ../shared/data/unpack.py
FINISHED = $$(for config in experiments/*.toml; do find $(RUNS)/$$(basename $$config .toml) -name run.json 2>/dev/null; done)
reproduce: $(VENV)/all
ifndef DATA
	mkdir -p build/data
	test ! -e $(UNPACK) || $(BIN)/python $(UNPACK) --to build/data
endif
	$(BIN)/podium experiment experiments/*.toml --data $(or $(DATA),build/data) --out $(RUNS) --jobs 2 --skip-missing
	$(BIN)/podium report $(FINISHED) --out $(RUNS)/report.html
	$(BIN)/podium report $(FINISHED) --format docs --out docs/reproduction.md
	cd $(RUNS) && sha256sum */rows.parquet */trials.parquet */run.json > SHA256SUMS

theory: $(VENV)/core
	$(BIN)/podium theory --write docs/theory.md

site: $(VENV)/test
	$(BIN)/python -m sphinx -W -q docs build/site

people: $(VENV)/core
	$(BIN)/python -m benchmarks.people $(DATA) --write

screenshots: $(VENV)/test
	$(BIN)/python docs/screenshots.py

docs: $(VENV)/test
	$(BIN)/python docs/build.py

format: $(VENV)/test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Podium needs Python 3.11 or newer; set PYTHON=')"
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: $(STAMPS) | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(VENV)/test $(VENV)/bench $(VENV)/all: $(VENV)/%: $(STAMPS) | $(BIN)/python
	$(PIP) --editable '.[$*]'
	@touch $@

# A peer of the benchmark of the server; its dependencies are many, so it gets an environment of its own.
$(VENV)-label-studio/done: | $(BIN)/python
	$(PYTHON) -m venv $(VENV)-label-studio
	$(VENV)-label-studio/bin/python -m pip --disable-pip-version-check install --quiet label-studio==1.23.2
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-label-studio build dist demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks examples -name __pycache__ -type d -exec rm -rf {} +
