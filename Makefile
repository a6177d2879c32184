# Every command creates the virtual environment it needs; nothing has to be done before.
#   make demo     the main job end to end on built-in data: a table, and a report to open in a browser
#   make test     every check: format, lint, types, layers, tests, documentation
#   make bench    speed against other libraries, printed as ratios
#   make letor    rankers on LETOR's folds beside the papers' figures; DATA=folder with OHSUMED2 and MQ2008
#   make people   labelling strategies on recorded people; DATA=folder with thu_image_search
#   make docs     write the generated parts of the documentation
#   make format   put the code into its usual form
#   make clean    remove everything that was made

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
STAMPS := pyproject.toml constraints.txt

.PHONY: demo test bench letor people docs format clean
.DELETE_ON_ERROR:

demo: $(VENV)/core
	$(BIN)/podium demo

test: $(VENV)/test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/bench
	$(BIN)/python -m benchmarks

letor: $(VENV)/core
	$(BIN)/python -m benchmarks.letor $(DATA) --write

people: $(VENV)/core
	$(BIN)/python -m benchmarks.people $(DATA) --write

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

$(VENV)/test $(VENV)/bench: $(VENV)/%: $(STAMPS) | $(BIN)/python
	$(PIP) --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) build dist demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks examples -name __pycache__ -type d -exec rm -rf {} +
