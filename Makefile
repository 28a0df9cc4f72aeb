# make demo: sets up and does the main job.  make test: sets up and runs every check.  PYTHON=... names a Python.
PYTHON ?= python3
FOUND := $(shell sh .ci/find_python $(PYTHON))
VERSION := $(word 2,$(FOUND))
VENV := .venv/$(VERSION)
RUN := OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python

.PHONY: demo test check package fuzz zip code bench gallery docs tutorials

demo: $(VENV)/ready
	@mkdir -p build
	$(RUN) -m fracture_addon tests/meshes/old_jar/old_jar.obj --height 0.25 --preset terracotta --scenario drop \
		--drop-height 1 --resolution 3000 --frames 1-60 --seed 7 --output build/jar.blend --report build/jar.json --render build/jar.png

test: check package

# What to test: the checkout, and the package as it is installed.
TESTS ?= tests --ignore tests/package
PACKAGE ?= tests/package
check: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy
	$(RUN) -m pytest -n 2 $(TESTS)

package: $(VENV)/ready
	$(RUN) -m pytest $(PACKAGE)

# A night's worth of random jobs; DRAWS=, SEED= and FIRST= choose others.
DRAWS ?= 1000
SEED ?= 0
FIRST ?= 0
fuzz: $(VENV)/ready
	$(RUN) -m tests.fuzz --draws $(DRAWS) --seed $(SEED) --first $(FIRST) --jobs 2

zip: $(VENV)/ready
	$(RUN) .ci/build_extension.py

# The kernels' code for this platform: for the zip, and so that tests need not compile it.
code: $(VENV)/ready
	$(RUN) .ci/build_extension.py --code-only --python $(VERSION)

bench: $(VENV)/ready
	$(RUN) -m benchmarks

# All pictures and films of docs/gallery, some hours; NAME= makes only those.
gallery: $(VENV)/ready
	$(RUN) docs/gallery/make.py $(NAME)

tutorials: $(VENV)/ready
	$(RUN) docs/tutorials/make.py

# The site of the documents, from mkdocs.yml into build/site, with tools of its own. A link that leads nowhere is an error.
DOCS := .cache/docs/$(VERSION)
docs: $(DOCS)/ready
	$(DOCS)/bin/python docs/pages.py
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict
	@echo "Wrote build/site/index.html"

$(DOCS)/ready: pyproject.toml
	@test -n "$(VERSION)" || { echo "Fracture wants Python 3.11 or 3.13: install one, or name it with PYTHON=..."; exit 1; }
	$(word 1,$(FOUND)) -m venv --clear $(DOCS)
	$(DOCS)/bin/python docs/pages.py --requirements > $(DOCS)/requirements.txt
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(DOCS)/requirements.txt
	@touch $@

$(VENV)/ready: pyproject.toml .ci/set_up
	@test -n "$(VERSION)" || { echo "Fracture wants Python 3.11 or 3.13: install one, or name it with PYTHON=..."; exit 1; }
	sh .ci/set_up $(word 1,$(FOUND)) $(VENV)
	@touch $@
