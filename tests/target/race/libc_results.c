/* Functions of libc fill variables that another thread reads
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4 R5-R6 R7-R8 R9-R10 R11-R12 R13-R14 R15-R16 R17-R18 R19-R20
 * class:    any
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "threads.h"

static struct tm day;
static struct stat info;
static char folder[256], message[64], *text;
static struct utsname name;
static struct in_addr address;
static unsigned state;
static struct passwd user;
static int exponent;
static wchar_t wide[8];
static volatile long out;

static void *fill(void *arg)
{
    time_t t = 0;
    char room[1024];
    struct passwd *found;
    localtime_r(&t, &day);                          /* R1 */
    stat("/", &info);                               /* R3 */
    if (!getcwd(folder, sizeof folder))             /* R5 */
        abort();
    uname(&name);                                   /* R7 */
    inet_pton(AF_INET, "127.0.0.1", &address);      /* R9 */
    rand_r(&state);                                 /* R11 */
    strerror_r(4444, message, sizeof message);      /* R13 */
    if (asprintf(&text, "%d", 5) < 0)               /* R15 */
        abort();
    frexp((double)t + 5, &exponent);                /* R17 */
    mbstowcs(wide, "abc", 8);                       /* R19 */
    getpwuid_r(0, &user, room, sizeof room, &found);
    return arg;
}

static void *look(void *arg)
{
    out += day.tm_year;           /* R2 */
    out += info.st_mode;          /* R4 */
    out += folder[0];             /* R6 */
    out += name.sysname[0];       /* R8 */
    out += address.s_addr;        /* R10 */
    out += state;                 /* R12 */
    out += message[0];            /* R14 */
    out += text != NULL;          /* R16 */
    out += exponent;              /* R18 */
    out += wide[1];               /* R20 */
    return arg;
}

int main(void)
{
    run_both(fill, look);
    free(text);
    return 0;
}
