#!/usr/bin/env bash
# Every unusable program gets one sentence that says what to do, and status 99.
. "$(dirname "$0")/lib.bash"
echo 'int main(int c, char **v) { (void)v; return c > 1; }' >plain.c
gcc plain.c -o plain

heddle test -- ./missing
expect 99 "a missing program" "error: ./missing does not exist: build it"
heddle test -- missing-command
expect 99 "a missing command" "no program 'missing-command' in PATH"
heddle test -- plain
expect 99 "a program of this folder without ./" "write ./plain"
heddle test -- .
expect 99 "a folder" "is a folder"
heddle test -- ./plain.c
expect 99 "a file that is not executable" "not executable"
printf '#!/bin/sh\n./plain\n' >script && chmod +x script
heddle test -- ./script
expect 98 "a script that starts nothing to test" "nothing was tested: ./script started no program that is built with -fsanitize=thread"
heddle run -- ./script
expect 99 "a script for run" "is a script \(#!/bin/sh\)"
echo hello >text && chmod +x text
heddle test -- ./text
expect 99 "a text file" "no ELF header"
if gcc -static plain.c -o static 2>/dev/null; then
    heddle test -- ./static
    expect 99 "a static program" "statically linked.*without -static"
fi
gcc -shared -fPIC plain.c -o lib.so
heddle test -- ./lib.so
expect 99 "a library" "shared library"
gcc -c plain.c -o plain.o && chmod +x plain.o
heddle test -- ./plain.o
expect 99 "an object file" "link it into a program"
cp plain suid && chmod u+s suid
heddle test -- ./suid
expect 99 "a setuid program" "setuid.*test a plain copy"
gcc -fsanitize=address plain.c -o asan
heddle test -- ./asan
expect 99 "another sanitizer" "build it with -fsanitize=thread"
if command -v clang >/dev/null && clang -fsanitize=thread plain.c -o clang_static 2>/dev/null; then
    heddle test -- ./clang_static
    expect 99 "clang's static runtime" "-shared-libsan"
fi
heddle test --runs 3 -- ./plain
expect 98 "a program without threads" "nothing was tested: the program never had a second thread"
heddle run -- ./plain
expect 98 "the same for run" "never had a second thread"
heddle test --runs 3 -- ./plain --wrong
expect 98 "a program that refuses its arguments" "ended with status 1 before it had a second thread"

correct_c
gcc -g correct.c -o uninstrumented
heddle test --runs 20 -- ./uninstrumented
expect 0 "a program without instrumentation" "warning: the program is not built with -fsanitize=thread"

gcc -shared -fPIC plain.c -Dmain=f -o libgone.so
echo 'int f(int, char **); int main(void) { return f(0, 0); }' >needs.c
gcc -g -fsanitize=thread needs.c -L. -lgone -o needs && rm libgone.so
heddle test -- ./needs
expect 99 "a missing library" "could not be loaded"
cat >ctor.c <<'END'
#include <stdlib.h>
__attribute__((constructor)) static void before(void) { abort(); }
int main(void) { return 0; }
END
build ctor
heddle test -- ./ctor
expect 99 "a crash before main" "before main"
HEDDLE_LIBDIR=/nonexistent heddle test -- ./correct
expect 99 "a lost runtime library" "set HEDDLE_LIBDIR"
finish
