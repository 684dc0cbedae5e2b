/* gate.h: the runtime's own view of threads and the way through the gate. */
#ifndef HD_GATE_H
#define HD_GATE_H

#include "runtime/core/rt.h"

/* What the runtime knows of a thread besides its scheduler state. */
struct hd_thread {
    struct hd_tls *tls;  /* NULL before its kernel thread has begun */
    s32 kernel_tid;
    bool is_live;        /* kernel thread exists and was not joined */
    bool is_finished;    /* EXIT carried out; may be reaped */
    bool is_helper;      /* made by hd_thread_helper: the program does not know it */
    bool is_detached;    /* for the program; for libc every thread is joinable */
    bool cancel_disabled, cancel_async, cancel_pending, is_exiting;
    u64 handle;          /* pthread_t */
    void *(*fn)(void *);
    void *arg;
    u64 stack_size;
    void *alt_stack;     /* for fatal signals */
    u64 gate_sp;         /* stack pointer in hd_gate, 0 = never was there (state.c) */
};
extern struct hd_thread hd_thread[HD_MAX_THREADS];

/* Asks the scheduler until some thread can go on. The caller holds the baton
 * and is inside. Does not return if the run ends here. HD_NO_THREAD: no live
 * thread is left. */
u16 hd_decide(void);

/* The thread's last operation: hands the baton on and does not wait for it. */
void hd_gate_exit(void);

/* Makes the calling kernel thread thread `tid`. */
extern u64 hd_stack_anchor; /* on main's stack, at the same distance from everything in each start */
void hd_thread_enter(u16 tid, u64 stack_lo, u64 stack_hi);

/* The number of a pthread_t, or HD_NO_THREAD. */
u16 hd_thread_find(u64 handle);
/* Starts a detached thread that does something for libc's part (SIGEV_THREAD, ...): all
 * signals are blocked in it, as in libc's own, so it takes none from the program.
 * attr may be NULL. 0 or an errno. */
int hd_thread_helper(const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

/* Scheduler callbacks (init.c installs them). */
void hd_gate_init(void);
u64 hd_gate_normal(void *self, u64 obj);

/* The calling thread's innermost frames, hashed. */
u32 hd_gate_context(void);
/* The outside world is looked at at least this often. */
#define HD_IO_REFRESH_STEPS 256

/* Text of a number, no terminator; returns its length. */
size_t hd_put_u64(char *to, u64 value);

/* Memory of the runtime: zeroed, 16-aligned, never freed in a run. */
void *hd_arena_alloc(void *self, size_t bytes);

/* Called when shm->stop_step is reached; debuggers break there. */
extern volatile u64 hd_stop_site;
void hd_stop_here(void);
/* The calling thread goes on at `site` with a step that may be the one. */
void hd_stop_if_due(u64 site);

#endif
