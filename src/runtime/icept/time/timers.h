/* timers.h: timers in virtual time that end in a signal, a readable descriptor
 * or a call. The gate lets them expire (hd_timer_fire, signals.h). */
#ifndef HD_TIMERS_H
#define HD_TIMERS_H

#include "runtime/icept/signal/signals.h"

enum hd_timer_kind {
    HD_TIMER_FREE,
    HD_TIMER_SIGNAL, /* to thread `tid` or the process */
    HD_TIMER_FD,     /* adds to an eventfd that stands for a timerfd */
    HD_TIMER_THREAD, /* a thread waits for `expired` and starts one that makes the call */
    HD_TIMER_SILENT, /* only to be asked */
};

struct hd_timer {
    u8 kind;
    bool is_armed;
    clockid_t clock;
    s64 due, interval; /* virtual ns */
    s64 pause;         /* does not expire before: a fast timer leaves the program time */
    u16 tid;           /* SIGNAL: receiver */
    int signo;
    int fd;
    int code; /* si_code */
    union sigval value;
    u64 expired;     /* THREAD: expirations not yet served */
    u32 overrun;     /* of the last expiration served */
    u32 missed;      /* ... of the one whose signal is pending */
    bool is_queued;  /* SIGNAL: its signal is pending; further expirations only count */
    bool is_deleted; /* THREAD: its thread shall end */
    u32 n_starting;  /* THREAD: threads that have not yet read what to call */
    void (*fn)(union sigval);
    pthread_attr_t attr; /* THREAD: of the threads that make the calls */
};

#define HD_TIMERS 256
/* Entry 0 is alarm() and setitimer(ITIMER_REAL). */
extern struct hd_timer hd_timer[HD_TIMERS];

/* A free entry, or NULL. */
struct hd_timer *hd_timer_alloc(enum hd_timer_kind kind);
/* An armed timer may be due HD_NEVER: it counts down, but does not expire in a run. */
void hd_timer_set(struct hd_timer *t, bool is_armed, s64 due, s64 interval);
/* As gettime() wants it. */
void hd_timer_get(const struct hd_timer *t, struct itimerspec *out);
/* The timerfd behind a descriptor, or NULL. */
struct hd_timer *hd_timer_of_fd(int fd);
void hd_timer_forget_fd(int fd); /* it is being closed */

#endif
