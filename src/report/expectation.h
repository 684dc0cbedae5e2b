/* expectation.h: the expectation that failed, as a test framework told it; see expectation.c. */
#ifndef HD_EXPECTATION_H
#define HD_EXPECTATION_H

#include "report/finding.h"

struct hd_expectation {
    char test[160];  /* "Account.Withdraw", "" = not known */
    char text[240];  /* "Expected equality of these values: balance 70, 60" */
    char file[200];
    u32 line;        /* 0 = not known */
};

/* The first failure in what the program printed. False: no framework's words were found. */
bool hd_expectation_find(const struct hd_finding *f, struct hd_expectation *e);

#endif
