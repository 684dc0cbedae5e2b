#!/usr/bin/env bash
# Tests of test programs, each with a campaign of its own: listed whatever the program prints,
# named in findings, ids and JUnit; the CMake project of examples/cmake with GoogleTest.
. "$(dirname "$0")/lib.bash"

# ---- a program that lists as GoogleTest does, on stderr and with odd lines --------------------

cat >odd.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int counter;
static void *add(void *arg)
{
    counter++;
    return arg;
}
static void two(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
int main(int argc, char **argv)
{
    const char *which = argv[argc - 1];
    if (argc > 1 && !strcmp(which, "--gtest_list_tests")) {
        fprintf(stderr, "log: begin\nOdd.\n  Racy\n  Alone\n  Racy\n  DISABLED_Off\n"
                        "Par/Odd.\n  Racy/0  # GetParam() = <script>\nno suite\n  orphan\n");
        return 0;
    }
    printf("[ RUN      ] %s\n", which + 15);
    if (strstr(which, "Racy")) {
        two();
        if (counter != 2) {
            printf("odd.cc:7: Failure\nExpected: two\n[  FAILED  ] %s\n", which + 15);
            return 1;
        }
    }
    return 0;
}
C
build odd
heddle test --list-tests -- ./odd
check "the list" test "$(cat out)" = "Odd.Racy
Odd.Alone
Par/Odd.Racy/0"
heddle test --list-tests --tests 'Par*' -- ./odd
check "a pattern" test "$(cat out)" = "Par/Odd.Racy/0"
heddle test --tests 'None*' -- ./odd
expect 98 "a pattern that matches nothing" "none of the 4 tests of .* matches 'None\*'"
heddle test --tests '*' --runs 60 --seed 1 -k --no-minimize --junit j.xml -- ./odd
expect 66 "racy ones are found" "Odd.Racy: Expected: two at odd.cc:7"
check "two tests, two findings" test "$(find .heddle/findings -maxdepth 1 -name 'exit-*' | wc -l)" = 2
check "a case for each" test "$(grep -o '<testcase name="[^"]*"' j.xml | cut -d'"' -f2 | tr '\n' ' ')" = \
    "Odd.Racy Odd.Alone Par/Odd.Racy/0 "
check "skipped where nothing could be tested" grep -q '<skipped message="never has a second thread' j.xml
check "well-formed" xmllint --noout j.xml

# ---- thousands of tests, death tests -----------------------------------------------------------

cat >many.cc <<'C'
#include <gtest/gtest.h>
#include <stdlib.h>
#include <thread>
class Many : public ::testing::TestWithParam<int> {};
TEST_P(Many, Plain) { EXPECT_GE(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(All, Many, ::testing::Range(0, 2000));
static int n;
static void two()
{
    n = 0;
    std::thread a([] { n++; }), b([] { n++; });
    a.join();
    b.join();
}
TEST(Racy, Update) { two(); EXPECT_EQ(n, 2); }
TEST(Death, Fast) { EXPECT_DEATH(abort(), ""); }
TEST(Death, AfterThreads) { std::thread a([] {}); a.join(); EXPECT_EXIT(exit(3), ::testing::ExitedWithCode(3), ""); }
C
g++ -g -fsanitize=thread many.cc -o many -lgtest -lgtest_main || exit 1
heddle test --tests '*' --runs 60 --seed 1 --no-minimize --no-race --junit j.xml --sarif s.json -- ./many
expect 66 "one racy of 2003" "Racy.Update: Expected equality of these values: n"
check "nothing is said of findings of other programs and tests" test "$(grep -c 'cannot use\|part of the recording' err)" = 0
check "a case for each" test "$(grep -c '<testcase ' j.xml)" = 2003
check "only that one fails" test "$(grep -c '<failure' j.xml)" = 1
check "SARIF is valid" "$ROOT/tests/schema/validate.py" "$ROOT/tests/schema/sarif-2.1.0.json" s.json
check "its result names the test and a place" jq -e '.runs[0].results | length == 1 and
    (.[0].message.text | startswith("Racy.Update: Expected")) and
    .[0].locations[0].physicalLocation.artifactLocation.uri == "many.cc"' s.json
heddle test --tests 'Racy*' --runs 60 --seed 1 --no-minimize --no-race --sarif again.json -- ./many
expect 66 "found before" "found before"
check "SARIF of what is known" "$ROOT/tests/schema/validate.py" "$ROOT/tests/schema/sarif-2.1.0.json" again.json
check "it has the same identity" test "$(jq -c '[.runs[0].results[] | [.ruleId, .partialFingerprints]]' again.json)" = \
    "$(jq -c '[.runs[0].results[] | [.ruleId, .partialFingerprints]]' s.json)"
check "those without threads were not looked at one by one" test "$(grep -c 'never has a second thread' j.xml)" = 2001

# ---- CMake, CTest and GoogleTest ----------------------------------------------------------------

tree=$(dirname "$(dirname "$HEDDLE")")
check "install" cmake --install "$tree" --prefix "$PWD/place"
cp -r "$ROOT/examples/cmake" project
check "configure" cmake -S project -B b -DWITH_CATCH2=OFF "-DCMAKE_PREFIX_PATH=$PWD/place"
check "build" cmake --build b
(cd b && ctest -j2 --output-junit ../ctest.xml >../ctest.log 2>&1)
rc=$?
cp ctest.log out
expect 8 "ctest fails"
check "by exactly the racy ones" test "$(sed -n 's/.*- \(Account[^ ]*\) (Failed)/\1/p' ctest.log | sort | tr '\n' ' ')" = \
    "Account.Open Account.Withdraw "
check "the one without threads is skipped" grep -q 'Account.BeginsClosed (Skipped)' ctest.log
check "five cases with their names" test "$(grep -o '<testcase name="[^"]*"' ctest.xml | cut -d'"' -f2 | sort | tr '\n' ' ')" = \
    "Account.BeginsClosed Account.Close Account.Deposit Account.Open Account.Withdraw "
check "two ids" test "$(find b/.heddle/findings -maxdepth 1 -name 'exit-*' | wc -l)" = 2
cat >project/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(more LANGUAGES CXX)
enable_testing()
find_package(heddle REQUIRED)
heddle_test(NAME "not green" COMMAND /bin/true RUNS 2)
heddle_test(NAME "may skip" COMMAND /bin/true RUNS 2 OPTIONS --seed 1 TIMEOUT 60 LABELS a ALLOW_SKIP)
heddle_test(old /bin/true)
C
check "configure by hand" cmake -S project -B c "-DCMAKE_PREFIX_PATH=$PWD/place"
(cd c && ctest >../ctest.log 2>&1)
check "98 fails" grep -qE 'not green \.+\*\*\*Failed' ctest.log
check "98 with ALLOW_SKIP is skipped" grep -qE 'may skip \.+\*\*\*Skipped' ctest.log
check "the short form" grep -qE 'old \.+\*\*\*Failed' ctest.log
finish
