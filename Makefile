# SPDX-License-Identifier: Apache-2.0
# The front door. Everything is built by CMake and Ninja; these are short names.
.PHONY: help demo check soak bench install format guarantees clean setup build program tests asan clang msan \
	tsan engines
.NOTPARALLEL:

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
SEEDS ?= 20
# A -j given to make is make's own; ninja and the tests do not see it.
CLEAN_ENV := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
CMAKE := $(CLEAN_ENV) cmake
NINJA := $(CLEAN_ENV) ninja -j $(JOBS)
# One more than there are processors: some tests wait for the disk.
CTEST := $(CLEAN_ENV) ctest --output-on-failure --no-tests=error -j $(shell expr $(JOBS) + 1)
C_FILES = $(shell find src include tests bench examples fuzz -name '*.[ch]' 2>/dev/null)
TAINT := $(patsubst tests/taint/%.c,test.taint.%,$(wildcard tests/taint/*.c))

help:
	@echo "make demo     set up, build, and answer a private question about the sample"
	@echo "make check    set up, build, and run every test"
	@echo "make soak     what takes long: fuzzing, the statistical tests with SEEDS=$(SEEDS) seeds"
	@echo "make bench    measure (PATTERN=word for some cases only)"
	@echo "make install  install below PREFIX ($(PREFIX)); DESTDIR is honoured"
	@echo "make format   lay out the C files with clang-format"
	@echo "make guarantees  write docs/guarantees.md from the proofs"
	@echo "make clean    remove the build folders"

setup:
	@$(CLEAN_ENV) tools/setup

build: setup
	@echo "== release build"
	@$(CMAKE) --preset release --log-level=WARNING
	@$(NINJA) -C build

program: setup
	@$(CMAKE) --preset release --log-level=WARNING >/dev/null
	@$(NINJA) -C build --quiet dusk

demo: program
	@examples/demo.sh build/dusk

check: build tests asan clang msan tsan
	@echo "== check passed"

# DuckDB is worth a try: its tests are skipped without it.
engines:
	@$(CLEAN_ENV) DUSK_LIBRARY_FOLDER=build/lib tools/setup --duckdb || echo "== tests of DuckDB will be skipped"

tests: build engines
	@echo "== every test, release build"
	@$(CTEST) --test-dir build -LE soak

asan: setup
	@echo "== AddressSanitizer and UndefinedBehaviorSanitizer: quick tests but the exhaustive ones"
	@$(CMAKE) --preset asan --log-level=WARNING
	@$(NINJA) -C build-asan tests_sanitized dusk
	@$(CTEST) --test-dir build-asan -L quick \
	    -E '^((mutant|check|install|exhaustive|enclosure|golden\.real)\.|golden\.train\.takes|unit\.accounting\.(contour|lattice|murtagh_vadhan))'

clang: setup
	@echo "== clang: warnings are errors"
	@$(CMAKE) --preset clang --log-level=WARNING
	@$(NINJA) -C build-clang dusk_shared dusk dusk_testing

# MemorySanitizer sees our own rooms only, so only the tests made for it run.
msan: setup
ifneq ($(TAINT),)
	@echo "== MemorySanitizer: taint tests"
	@$(CMAKE) --preset msan --log-level=WARNING
	@$(NINJA) -C build-msan $(TAINT)
	@$(CTEST) --test-dir build-msan -R '^taint\.'
endif

tsan: setup
	@echo "== ThreadSanitizer: generators and bounding in threads"
	@$(CMAKE) --preset tsan --log-level=WARNING
	@$(NINJA) -C build-tsan test.unit.random.threads test.unit.query.bounding_union
	@$(CTEST) --test-dir build-tsan -R '^unit\.(random\.threads|query\.bounding_union)$$'

# Statistical tests read DUSK_SEED; tests labelled soak run here only.
FUZZ_SECONDS ?= 300
soak: build
	@echo "== fuzzing, $(FUZZ_SECONDS) s a target"
	@$(CMAKE) --preset fuzz --log-level=WARNING
	@$(NINJA) -C build-fuzz
	@for target in build-fuzz/fuzz/fuzz.*; do \
	    $$target -max_total_time=$(FUZZ_SECONDS) -max_len=2000 -timeout=20 -verbosity=0 || exit 1; \
	done
	@$(CTEST) --test-dir build -L soak -R '^exhaustive\.'
	@for seed in $$(seq 1 $(SEEDS)); do \
	    echo "== seed $$seed of $(SEEDS)"; \
	    DUSK_DEEP=1 DUSK_SEED=$$seed $(CTEST) --test-dir build -L 'slow|soak' -E '^(install|mutant|exhaustive)\.' || exit 1; \
	done

bench: setup
	@$(CMAKE) --preset release --log-level=WARNING >/dev/null
	@$(NINJA) -C build dusk-bench
	@build/bench/dusk-bench $(PATTERN)

install: build
	@$(CMAKE) --install build --prefix $(PREFIX)

format: setup
	@clang-format -i $(C_FILES)

guarantees:
	@python3 tools/proofs.py guarantees src > docs/guarantees.md.new && mv docs/guarantees.md.new docs/guarantees.md

clean:
	@rm -rf build build-asan build-clang build-msan build-tsan build-coverage build-fuzz
