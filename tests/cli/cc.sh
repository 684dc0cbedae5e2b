#!/usr/bin/env bash
# heddle cc and c++ make programs that can be tested, with gcc and with clang.
. "$(dirname "$0")/lib.bash"
racy_c
cp racy.c prog.c
cat >prog.cc <<'END'
#include <cassert>
#include <thread>
static int counter;
int main()
{
    auto add = [] { for (int i = 0; i < 3; i++) counter++; };
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(counter == 6);
}
END
heddle cc prog.c -o gcc_prog
expect 0 "cc"
check "cc says nothing" test ! -s err -a ! -s out
heddle test --seed 1 -- ./gcc_prog
expect 66 "a program made by cc"
heddle cc -c prog.c -o prog.o && heddle cc prog.o -o linked
expect 0 "compile and link apart"
heddle c++ -O1 prog.cc -o gxx_prog
expect 0 "c++"
heddle test --seed 1 -- ./gxx_prog
expect 66 "a program made by c++"
heddle cc nonsense.c -o x
check "the compiler's status comes through" test $rc -ne 0
HEDDLE_CC=no-such-compiler heddle cc prog.c
expect 99 "no compiler" "HEDDLE_CC"
if command -v clang >/dev/null; then
    heddle cc --clang prog.c -o clang_prog
    expect 0 "cc --clang"
    heddle test --seed 1 -- ./clang_prog
    expect 66 "a program made by clang"
    HEDDLE_CXX=clang++ heddle c++ prog.cc -o clangxx_prog
    expect 0 "HEDDLE_CXX=clang++"
    heddle test --seed 1 -- ./clangxx_prog
    expect 66 "a program made by clang++"
fi
finish
