/* interrupt.c: the first Ctrl-C asks the campaign to finish with a summary, the
 * second one ends heddle and everything it started at once. Whether it is time to
 * finish, by a signal or by --time, is asked through base/stop.h. */
#include "process/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"

#define MAX_GROUPS 1024
#define LATE_NS 600000000ll /* after the moment to stop; users are promised an end within 2 s */

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
static struct sigaction was[HD_COUNT(caught)];
static volatile sig_atomic_t count;
static volatile int group[MAX_GROUPS];
static int wake[2] = {-1, -1};
static volatile s64 signalled_ns; /* 0 = not yet */
static s64 until_ns = INT64_MAX;

/* ---- is it time to stop? ----------------------------------------------------------- */

static s64 coarse_ns(void) /* same clock as hd_monotonic_ns, cheaper, some ms behind */
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    return (s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static bool is_time(bool is_late)
{
    s64 since = signalled_ns ? HD_MIN((s64)signalled_ns, until_ns) : until_ns;
    return since != INT64_MAX && coarse_ns() >= since + (is_late ? LATE_NS : 0);
}

void hd_interrupt_until(s64 ns)
{
    until_ns = ns;
    hd_stop_hook = is_time;
}

/* ---- signals ----------------------------------------------------------------------- */

static void put_errno_signals(void (*what)(int))
{
    signal(SIGPIPE, what);
    signal(SIGXFSZ, what);
}

void hd_signals_ignore(void) { put_errno_signals(SIG_IGN); }
void hd_signals_default(void) { put_errno_signals(SIG_DFL); }

static void on_signal(int signo)
{
    if (++count == 1) {
        signalled_ns = coarse_ns();
        ssize_t n = write(wake[1], "!", 1);
        (void)n; /* full: somebody was woken already */
        return;
    }
    if (signo == SIGXCPU)
        return; /* comes once a second: not somebody's impatience */
    for (u32 i = 0; i < MAX_GROUPS; i++)
        if (group[i] > 0)
            kill(-group[i], SIGKILL);
    _exit(99);
}

void hd_interrupt_catch(void)
{
    if (wake[0] >= 0 || pipe2(wake, O_CLOEXEC | O_NONBLOCK))
        return;
    count = 0;
    signalled_ns = 0;
    hd_interrupt_until(INT64_MAX);
    struct sigaction a = {.sa_handler = on_signal};
    for (u32 i = 0; i < HD_COUNT(caught); i++) {
        sigaction(caught[i], NULL, &was[i]);
        if (was[i].sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(caught[i], &a, NULL);
    }
}

void hd_interrupt_release(void)
{
    if (wake[0] < 0)
        return;
    for (u32 i = 0; i < HD_COUNT(caught); i++)
        sigaction(caught[i], &was[i], NULL);
    close(wake[0]);
    close(wake[1]);
    wake[0] = wake[1] = -1;
}

u32 hd_interrupt_count(void) { return (u32)count; }
int hd_interrupt_fd(void) { return wake[0]; }

void hd_interrupt_add(int pid)
{
    for (u32 i = 0; i < MAX_GROUPS; i++)
        if (!group[i]) {
            group[i] = pid;
            return;
        }
}

void hd_interrupt_remove(int pid)
{
    for (u32 i = 0; i < MAX_GROUPS; i++)
        if (group[i] == pid)
            group[i] = 0;
}
