#!/usr/bin/env bash
# frameworks.sh: examples/cmake with GoogleTest and Catch2, and small programs of doctest and
# Boost.Test where these are installed: exactly the racy tests are found, each by its name, and
# each failure replays 20 times. CATCH2_3=FOLDER: the tests for Catch2 also with version 3, of which that folder
# has catch_amalgamated.hpp and .cpp (`extras` of its source).
set -u
HEDDLE=$(readlink -f "${HEDDLE:?set HEDDLE to the heddle command}")
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export HEDDLE_OPTIONS=--no-race
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
check() {
    local what=$1
    shift
    if "$@" >check.log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $what"; tail -5 check.log; fi
}
replays() { # replays DIR: each finding, 20 times
    for f in "$1"/.heddle/findings/exit-*/replay.heddle; do
        check "$f" bash -c "\"$HEDDLE\" replay --times 20 \"$f\" 2>&1 | grep -q 'as recorded, 20 of 20'"
    done
}

with=ON
[ -d /usr/include/catch2 ] || with=OFF
check install cmake --install "$(dirname "$(dirname "$HEDDLE")")" --prefix "$work/inst"
check configure cmake -S "$ROOT/examples/cmake" -B b -DWITH_CATCH2=$with "-DCMAKE_PREFIX_PATH=$work/inst"
check build cmake --build b -j2
(cd b && ctest --output-junit ../ctest.xml >../ctest.log 2>&1)
want="Account.Open
Account.Withdraw"
[ $with = OFF ] || want="$want
catch: one thread opens it
catch: withdrawals add up, too"
check "exactly the racy ones" test "$(sed -n 's/.*[0-9] - \(.*\) (Failed)/\1/p' ctest.log | sort)" = "$want"
replays b
names() { grep -o '<testcase name="[^"]*"' "$1" | cut -d'"' -f2 | sort; }
# five PROGRAM "RACY": JUnit of heddle itself has five cases, of which these fail; names stay the same.
five() {
    for seed in 1 2; do
        "$HEDDLE" test --tests '*' -k --runs 500 --seed $seed --no-minimize -q --dir "five.$seed" --junit "j$seed.xml" -- "$1" >/dev/null 2>&1
        check "$1, seed $seed: five cases" test "$(names "j$seed.xml" | wc -l)" = 5
        check "$1, seed $seed: the racy ones fail" test "$(grep -B1 '<failure' "j$seed.xml" | grep -o '<testcase name="[^"]*"' | cut -d'"' -f2 | sort)" = "$2"
    done
    check "$1: stable names" test "$(names j1.xml)" = "$(names j2.xml)"
    rm -rf five.1 five.2
}
five b/account_gtest "Account.Open
Account.Withdraw"
catch_racy="one thread opens it
withdrawals add up, too"
cases=5
if [ $with = ON ]; then
    cases=10
    five b/account_catch "$catch_racy"
fi
check "ctest has a case for each" test "$(names ctest.xml | wc -l)" = $cases
if [ -n "${CATCH2_3-}" ]; then
    mkdir -p three/catch2
    echo "#include \"$CATCH2_3/catch_amalgamated.hpp\"" >three/catch2/catch_all.hpp
    check "Catch2 3 builds" g++ -g -std=c++17 -fsanitize=thread -Ithree -I"$CATCH2_3" "$ROOT/examples/cmake/account_catch.cc" \
        "$CATCH2_3/catch_amalgamated.cpp" -o account_catch3
    five ./account_catch3 "$catch_racy"
fi

cat >body.h <<'C'
#include <thread>
#include "account.h"
static int after()
{
    Account account(100);
    std::thread a([&] { account.withdraw(10); }), b([&] { account.withdraw(30); });
    a.join();
    b.join();
    return account.balance();
}
C
cat >dt.cc <<'C'
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include "body.h"
TEST_CASE("fine, always") { CHECK(1 == 1); }
TEST_CASE("racy, sometimes") { CHECK(after() == 60); }
C
cat >bo.cc <<'C'
#define BOOST_TEST_MODULE accounts
#define BOOST_TEST_DYN_LINK
#include <boost/test/unit_test.hpp>
#include "body.h"
BOOST_AUTO_TEST_SUITE(Outer)
BOOST_AUTO_TEST_CASE(Fine) { }
BOOST_AUTO_TEST_CASE(Racy) { BOOST_TEST(after() == 60); }
BOOST_AUTO_TEST_SUITE_END()
C
one() { # one NAME LIBRARY TEST: the racy test is found and named
    mkdir "$1.d" && cd "$1.d" || exit 1
    check "$1 builds" g++ -g -fsanitize=thread -I.. -I"$ROOT/examples/cmake" "../$1.cc" -o "$1" $2
    "$HEDDLE" test --tests '*' --runs 100 --seed 1 --no-minimize -q -- "./$1" >out 2>err
    check "$1 names the test" grep -q "^$3: .*60" out
    replays .
    cd ..
}
[ ! -e /usr/include/doctest ] || one dt "" "racy, sometimes"
[ ! -e /usr/include/boost/test ] || one bo -lboost_unit_test_framework Outer/Racy
echo "$passed passed, $failed failed"
[ $failed = 0 ]
