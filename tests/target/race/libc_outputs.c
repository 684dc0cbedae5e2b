/* Functions of libc with several results, or that read what they convert, beside another thread
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread -Wno-deprecated-declarations -Wl,--no-as-needed -lm
 * args:
 * races:    R1-R2 R3-R4 R5-R6 R7-R8 R9-R10 R11-R12 R13-R14 R15-R16 R17-R18 R19-R20 R21-R22 R23-R24
 * class:    any
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <iconv.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static struct tm day;
static struct dirent entry, *next;
static DIR *folder;
static uid_t real_id, effective, saved;
static int policy;
static struct sched_param param;
static double sine, cosine;
static int quotient, sign;
static char wide[16];
static iconv_t convert;
static regex_t pattern;
static regmatch_t match[2];
static time_t moment;
static sigset_t mask;
static int numbers[4] = {4, 3, 2, 1};
static volatile double out;

static int compare(const void *a, const void *b)
{
    return *(const int *)b < *(const int *)a;
}

static void *fill(void *arg)
{
    char text[] = "abc", *in = text, *to = wide;
    size_t n = 3, room = sizeof wide;
    struct tm own;
    strptime("2020-01-02", "%Y-%m-%d", &day);               /* R1 */
    readdir_r(folder, &entry, &next);                       /* R3 */
    getresuid(&real_id, &effective, &saved);                /* R5 */
    pthread_getschedparam(pthread_self(), &policy, &param); /* R7 */
    sincos(0.5, &sine, &cosine);                            /* R9 */
    remquo(7, 3, &quotient);                                /* R11 */
    lgamma_r(-0.5, &sign);                                  /* R13 */
    iconv(convert, &in, &n, &to, &room);                    /* R15 */
    regexec(&pattern, "abc", 2, match, 0);                  /* R17 */
    gmtime_r(&moment, &own);                                /* R19 */
    pthread_sigmask(SIG_BLOCK, NULL, &mask);                /* R21 */
    qsort(numbers, 4, sizeof *numbers, compare);            /* R23 */
    return arg;
}

static void *look(void *arg)
{
    out += day.tm_year;            /* R2 */
    out += next != NULL;           /* R4 */
    out += saved;                  /* R6 */
    out += param.sched_priority;   /* R8 */
    out += cosine;                 /* R10 */
    out += quotient;               /* R12 */
    out += sign;                   /* R14 */
    out += wide[1];                /* R16 */
    out += match[1].rm_so;         /* R18 */
    moment = 1;                    /* R20 */
    out += *(char *)&mask;         /* R22 */
    out += numbers[3];             /* R24 */
    return arg;
}

int main(void)
{
    folder = opendir("/");
    convert = iconv_open("UTF-16LE", "UTF-8");
    if (!folder || convert == (iconv_t)-1 || regcomp(&pattern, "b\\(c\\)", 0))
        return 1;
    run_both(fill, look);
    return 0;
}
