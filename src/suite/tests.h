/* tests.h: the tests of a test program, by its framework; see tests.c. */
#ifndef HD_SUITE_TESTS_H
#define HD_SUITE_TESTS_H

#include "suite/suite.h"

enum hd_framework {
    HD_FRAMEWORK_NONE,
    HD_FRAMEWORK_GOOGLE,
    HD_FRAMEWORK_CATCH2,
    HD_FRAMEWORK_DOCTEST,
    HD_FRAMEWORK_BOOST,
    HD_FRAMEWORK_CMOCKA, /* from here on: runs all of them, and names them only in its output */
    HD_FRAMEWORK_CHECK,
};

/* By what is in the file, or by the libraries it needs. */
enum hd_framework hd_tests_framework(const char *path);
const char *hd_tests_framework_name(enum hd_framework f);

/* Adds an input for each test whose name matches `glob`, with arguments by which the program runs
 * that one alone; for a framework that cannot, one input of the program's name. `path` is the
 * program, `runtime` a library to be in front of it while it is asked. 0, or negative errno with a
 * sentence. */
int hd_tests_list(struct hd_suite *s, const char *path, const char *runtime, char *const *argv,
                  const char *glob, struct hd_error *err);

/* ---- sift.c ---- */

/* Of a program with very many tests: marks those that have no second thread, many at a time, in at
 * most so many seconds (0 = any number). The others are left as they are. */
void hd_tests_sift(struct hd_suite *s, const char *path, double seconds);

#endif
