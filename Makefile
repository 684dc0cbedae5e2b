# Makefile: the few commands a person needs; CMakeLists.txt does the work.
#   make          build into build/
#   make demo     install what is missing, build, find a first bug
#   make test     install what is missing, build, run every test
#   make bench    print the measurements
#   make install PREFIX=/usr/local
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Used in `test`: more than one so that tests that wait do not add up.
TEST_JOBS ?= 2

PACKAGES = build-essential cmake pkg-config libdw-dev libsqlite3-dev libcmocka-dev \
           jq libxml2-utils gdb clang libclang-rt-dev

.PHONY: all deps demo test bench install clean

all:
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >$(BUILD)/configure.log 2>&1 || \
		{ cat $(BUILD)/configure.log; echo "Something is missing: try 'make deps'."; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)

# Installs exactly the packages that are not there; silent if all are.
deps:
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
demo: deps all
	@mkdir -p $(BUILD)/demo
	gcc -g -fsanitize=thread examples/bank.c -o $(BUILD)/demo/bank
	cd $(BUILD)/demo && ../bin/heddle test -- ./bank; test $$? = 66
	@printf '\nThe same run again, or in the debugger:\n'
	@printf '  cd $(BUILD)/demo && ../bin/heddle replay .heddle/findings/latest/replay.heddle\n'
	@printf '  cd $(BUILD)/demo && ../bin/heddle replay --gdb .heddle/findings/latest/replay.heddle\n'

test: deps all
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TEST_JOBS)

bench: all
	@bash bench/run.sh

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf $(BUILD) bench/work
