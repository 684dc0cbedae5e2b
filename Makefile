# Makefile: the few commands a person needs; CMakeLists.txt does the work.
#   make          build into build/
#   make demo     install what is missing, build, find a first bug
#   make test     install what is missing, build, run every test
#   make test-long  what takes too long for CI: tests/long/*.sh
#   make bench    print the measurements; bench-real: of real programs; bench-papers: the
#                 tables and figures of the papers (LONG=1: all of them)
#   make install PREFIX=/usr/local
#   make docs     the pages as a site in build/site (mkdocs), links checked
#   make deb      a Debian package in build/
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Used in `test`: more than processors, so that tests that wait do not add up (tests/CMakeLists.txt).
TEST_JOBS ?= 4

# What building needs, and what tests and measurements need besides.
PACKAGES = build-essential cmake pkg-config libdw-dev libsqlite3-dev libcapstone-dev \
	libtomlplusplus-dev
TEST_PACKAGES = libcmocka-dev jq libxml2-utils gdb clang clang-tidy libclang-rt-dev lld libgtest-dev sqlite3 strace python3-jsonschema python3-pytest \
	chromium
BENCH_PACKAGES = jq
DEB_PACKAGES = file dpkg-dev
REAL_PACKAGES = dpkg-dev libbz2-dev zlib1g-dev libevent-dev
RUNTIMES = rt_gcc rt_gcc11 rt_clang rt_clang_plain rt_watch

MAKEFLAGS += --no-print-directory

.NOTPARALLEL:
.PHONY: all tool deps test-deps deb-deps bench-deps real-deps demo test test-long bench bench-real bench-papers configure install deb docs clean

all: configure
	@cmake --build $(BUILD) -j $(JOBS)
	@echo "$(BUILD)/bin/heddle is built"

# The command and its libraries, without the tests.
tool: configure
	@cmake --build $(BUILD) -j $(JOBS) --target heddle $(RUNTIMES) hd_pages

configure:
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >$(BUILD)/configure.log 2>&1 || \
		{ cat $(BUILD)/configure.log; echo "Something is missing: try 'make deps'."; exit 1; }

test-deps: PACKAGES += $(TEST_PACKAGES)
deb-deps: PACKAGES += $(DEB_PACKAGES)
bench-deps: PACKAGES += $(BENCH_PACKAGES)
real-deps: PACKAGES += $(BENCH_PACKAGES) $(REAL_PACKAGES)

# Installs exactly the packages that are not there; silent if all are.
deps test-deps deb-deps bench-deps real-deps:
	@missing=; \
	for p in $(PACKAGES); do \
		dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	[ -z "$$missing" ] && exit 0; \
	if ! command -v apt-get >/dev/null; then \
		echo "Please install what corresponds to these Debian packages:$$missing"; exit 1; fi; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif command -v sudo >/dev/null; then sudo=sudo; \
	else echo "Please install as root: apt-get install$$missing"; exit 1; fi; \
	echo "installing:$$missing"; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing >deps.log 2>&1 || { \
		$$sudo apt-get update -q >>deps.log 2>&1; \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing >>deps.log 2>&1; } || \
		{ tail deps.log; echo "Installing failed; the log is in deps.log."; exit 1; }; \
	rm -f deps.log

# Ends well only if the bug was found: 66 is "finding".
demo: deps tool
	@mkdir -p $(BUILD)/demo
	gcc -g -fsanitize=thread examples/bank.c -o $(BUILD)/demo/bank
	cd $(BUILD)/demo && ../bin/heddle test -- ./bank; test $$? = 66
	@printf '\nThe same run again, or in the debugger:\n'
	@printf '  cd $(BUILD)/demo && ../bin/heddle replay .heddle/findings/latest/replay.heddle\n'
	@printf '  cd $(BUILD)/demo && ../bin/heddle replay --gdb .heddle/findings/latest/replay.heddle\n'

test: test-deps all
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TEST_JOBS)

test-long: test-deps all
	@HEDDLE=$(BUILD)/bin/heddle bash tests/long.sh

bench: bench-deps tool
	@HEDDLE=$(BUILD)/bin/heddle bash bench/run.sh
	@HEDDLE=$(BUILD)/bin/heddle bash bench/heap.sh

bench-real: real-deps tool
	@HEDDLE=$(BUILD)/bin/heddle bash bench/run.sh real
	@HEDDLE=$(BUILD)/bin/heddle bash bench/false_alarms.sh

bench-papers: bench-deps tool
	@HEDDLE=$(BUILD)/bin/heddle bash bench/papers/run.sh

install: tool
	@cmake --install $(BUILD) --prefix $(PREFIX) >$(BUILD)/install.log || { tail $(BUILD)/install.log; exit 1; }
	@echo "installed into $(PREFIX)"

docs:
	@$(MAKE) deps PACKAGES=mkdocs
	@mkdir -p $(BUILD)
	@mkdocs build -q --strict -d $(abspath $(BUILD))/site && echo "$(BUILD)/site/index.html"

deb: deb-deps tool
	@cd $(BUILD) && cpack -G DEB >cpack.log 2>&1 || { tail cpack.log; exit 1; }
	@ls $(BUILD)/heddle_*.deb

clean:
	rm -rf $(BUILD) bench/work
