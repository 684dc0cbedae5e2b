/* Each thread has its own part of what libc fills; a neighbour begins where the function stopped filling
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread -Wl,--no-as-needed -lm
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <grp.h>
#include <iconv.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "threads.h"

static struct {
    char name[16];
    char text[16];
    wchar_t wide[8];
    char utf16[16];
    char one[MB_LEN_MAX];
    regmatch_t match[3];
    double part[3];
    int number[4];
    char *end[2];
} shared;
static regex_t pattern, silent;
static iconv_t convert;

/* What comes first in each of them. */
static void *filler(void *arg)
{
    char word[] = "ab", *in = word, *to = shared.utf16;
    const char *from = "abc";
    size_t n = 2, room = sizeof shared.utf16;
    mbstate_t state = {0};
    pthread_getname_np(pthread_self(), shared.name, sizeof shared.name);
    if (mbsnrtowcs(shared.wide, &from, 2, 8, &state) != 2)
        abort();
    memset(&state, 0, sizeof state);
    if (wcrtomb(shared.one, L'x', &state) != 1 || iconv(convert, &in, &n, &to, &room))
        abort();
    regexec(&pattern, "abc", 2, shared.match, 0);
    regexec(&silent, "abc", 3, shared.match, 0);
    sincos(1, &shared.part[0], &shared.part[1]);
    remquo(7, 3, &shared.number[0]);
    strtol("12x", &shared.end[0], 10);
    qsort(shared.number, 1, sizeof(int), NULL);
    struct tm day = {.tm_year = 100, .tm_mday = 1};
    strftime(shared.text, sizeof shared.text, "%Y", &day);
    return arg;
}

/* What comes behind it. */
static void *neighbour(void *arg)
{
    shared.name[15] = 'n';
    shared.text[5] = 't';
    shared.wide[2] = L'w';
    shared.utf16[4] = 'u';
    shared.one[1] = 'o';
    shared.match[2].rm_so = 5;
    shared.part[2] = 2;
    shared.number[1] = 3;
    shared.end[1] = NULL;
    return arg;
}

int main(void)
{
    convert = iconv_open("UTF-16LE", "UTF-8");
    if (convert == (iconv_t)-1 || regcomp(&pattern, "b", 0) || regcomp(&silent, "b", REG_NOSUB))
        return 1;
    pthread_setname_np(pthread_self(), "short");
    run_both(filler, neighbour);
    return shared.text[5] != 't' || shared.one[1] != 'o' || shared.wide[2] != L'w' || shared.utf16[4] != 'u' ||
           shared.number[1] != 3;
}
