/* server.c: the fork server: the program is started once, up to main (or the
 * first thread a constructor makes), and forked for each run.
 *
 *   host                       server                        child
 *   cfg, cmd; byte 'C'  --->   for each run: reset, fork ->  sched_begin, main
 *                              wait4                    <-   exit
 *                              verdict, learned
 *   byte 'D'           <---    after the batch or a run that was not clean
 */
#include "runtime/core/server.h"

#include "runtime/core/gate.h"
#include "runtime/heap/heap_check.h"
#include "runtime/filter/learning_rate.h"
#include "runtime/libc/dispatch.h"
#include "runtime/libc/module.h"
#include "runtime/core/search.h"
#include "runtime/filter/shadow.h"
#include "runtime/filter/site.h"
#include "runtime/core/state.h"
#include "runtime/libc/sys.h"
#include "runtime/core/verdict.h"
#include "runtime/icept/io/wait_io.h"
#include "runtime/core/warm.h"

#define HOLD_MOST 16384u
#define HOLD_SHIFTS 9 /* ... and at least 32 */

static bool has_started;

/* Steps the end of the process may be held back for others to come to theirs: the fewer,
 * the more often they did not (threads that serve for ever). */
static u32 end_hold(const struct hd_shm *m, const struct hd_strategy *s)
{
    const struct hd_learned *l = &m->learned;
    if (m->cfg.mode & HD_MODE_SEARCH || s == hd_strategy_find("stay"))
        return 0; /* without choices of chance */
    u32 vain = l->ends_vain > l->ends_alone ? l->ends_vain - l->ends_alone : 0;
    u32 ending = 0; /* steps of threads that are known to come to an end */
    for (u32 i = 1; i < HD_LEARN_THREADS && i < l->max_threads; i++)
        ending += l->thread_ends[i] ? HD_MIN(l->thread_points[i], HOLD_MOST) : 0;
    return HD_MAX(HOLD_MOST >> HD_MIN(2 * vain, (u32)HOLD_SHIFTS), HD_MIN(2 * ending, HOLD_MOST));
}

void hd_server_config(struct hd_sched_config *cfg)
{
    const struct hd_config *c = &hd_rt.shm->cfg;
    const struct hd_strategy *s = hd_strategy_at(c->strategy);
    HD_ASSERT(s);
    *cfg = (struct hd_sched_config){
        .seed = c->seed,
        .run = hd_rt.shm->run,
        .step_limit = c->step_limit,
        .proof_step = c->proof_step,
        .early_per_1024 = c->early_per_1024,
        .spin_limit = c->spin_limit,
        .step_ns = c->step_ns,
        .is_random = hd_rt.shm->is_random,
        .max_delay = c->max_delay_ns,
        .is_slow = c->mode & HD_MODE_SLOW,
        .end_hold = end_hold(hd_rt.shm, s),
        .has_handlers = hd_rt.shm->learned.ends_handled != 0,
        .strategy = s,
        .strategy_arg = {.param = c->strategy_param,
                         .rng = hd_rng_make(c->seed, hd_rt.shm->run, HD_RNG_STRATEGY),
                         .learned = &hd_rt.shm->learned,
                         .goals = &hd_rt.shm->goals,
                         .pairs = hd_shm_pairs(hd_rt.shm)},
    };
}

/* ---- in the child ------------------------------------------------------------ */

static bool has_input; /* the program's standard input is not empty */
static s64 inherited_at[HD_SHM_FD]; /* position in a file to be read, plus 1; 0 = none */

static void fresh_stdin(void)
{
    /* A description of its own, so that each run reads the input from the start. */
    if (!has_input)
        return;
    long fd = hd_sys(SYS_open, "/proc/self/fd/1018", 0, 0);
    if (fd < 0)
        return;
    hd_sys(SYS_dup2, fd, 0);
    hd_sys(SYS_close, fd);
}

static void begin_run(void)
{
    struct hd_shm *m = hd_rt.shm;
    struct hd_sched_config cfg;
    hd_server_config(&cfg);
    hd_search_config(&cfg);
    hd_io_is_shared = m->cfg.mode & HD_MODE_DRIVEN;
    struct hd_script script = {
        .n = m->script_n,
        .choice = hd_shm_script_choice(m),
        .site = hd_shm_script_site(m),
        .check = hd_shm_script_check(m),
        .strict = m->cfg.mode & HD_MODE_STRICT,
    };
    if (!script.strict)
        script.site = script.check = NULL;
    hd_tls.info->kernel_tid = hd_thread[0].kernel_tid = (s32)hd_sys(SYS_gettid, 0);
    hd_verdict_pid = (s32)hd_sys(SYS_getpid, 0);
    hd_dispatch_thread();
    hd_shadow_begin();
    hd_state_begin();
    hd_heap_watch(!(m->cfg.mode & HD_MODE_NO_HEAP));
    hd_heap_check_begin();
    hd_sched_begin(&hd_rt.sched, &cfg, m->cfg.mode & HD_MODE_REPLAY ? &script : NULL);
}

/* ---- in the server ------------------------------------------------------------- */

static long do_fork(void)
{
    /* libc's own _Fork keeps its cached thread id right and runs no handlers. */
    return HD_REAL(_Fork) ? HD_REAL(_Fork)() : hd_sys(SYS_fork, 0);
}

static void empty(int fd)
{
    if (hd_sys(SYS_lseek, fd, 0, SEEK_CUR) == 0)
        return;
    hd_sys(SYS_lseek, fd, 0, SEEK_SET);
    hd_sys(SYS_ftruncate, fd, 0);
}

static s64 monotonic_ns(void)
{
    struct timespec ts;
    hd_sys(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* A file that is only read is read from the same place in every run. */
static void note_inherited(const struct hd_shm *m)
{
    HD_BITS_EACH(fd, m->inherited, HD_INHERIT_WORDS)
    {
        long flags = hd_sys(SYS_fcntl, fd, F_GETFL), at = hd_sys(SYS_lseek, fd, 0, SEEK_CUR);
        if (flags >= 0 && at >= 0 && (flags & O_ACCMODE) == O_RDONLY)
            inherited_at[fd] = at + 1;
    }
}

static void rewind_inherited(const struct hd_shm *m)
{
    HD_BITS_EACH(fd, m->inherited, HD_INHERIT_WORDS)
        if (inherited_at[fd])
            hd_sys(SYS_lseek, fd, inherited_at[fd] - 1, SEEK_SET);
}

/* `is_next`: of a batch whose events the host takes one run after the other. */
static void reset(struct hd_shm *m, bool is_next)
{
    u32 threads = m->stats.threads, instrumented = m->stats.instrumented;
    hd_memset(&m->verdict, 0, sizeof m->verdict);
    hd_memset(&m->stats, 0, sizeof m->stats);
    m->stats.instrumented = instrumented;
    if (!is_next)
        m->ring_written = m->ring_read = 0;
    m->log.n = 0;
    m->n_io_results = 0;
    hd_search_reset();
    hd_memset(hd_shm_threads(m) + 1, 0, sizeof(struct hd_shm_thread) * (threads > 1 ? threads - 1 : 0));
    empty(HD_OUT_FD);
    empty(HD_ERR_FD);
    rewind_inherited(m);
}

static void judge(struct hd_shm *m, int status)
{
    struct hd_verdict *v = &m->verdict;
    v->status = status;
    if (v->kind != HD_V_NONE)
        return;
    if (WIFEXITED(status)) {
        v->kind = WEXITSTATUS(status) ? HD_V_EXIT : HD_V_CLEAN;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
        v->kind = HD_V_SIGNAL;
        v->signo = (u16)WTERMSIG(status);
    }
}

static void total(struct hd_shm *m)
{
    struct hd_totals *t = &m->totals;
    const struct hd_stats *st = &m->stats;
    t->steps += st->steps;
    t->switches += st->switches;
    t->points += st->points;
    t->max_threads = HD_MAX(t->max_threads, st->threads);
    if (st->uncontrolled && !t->uncontrolled)
        hd_memcpy(t->uncontrolled_call, st->uncontrolled_call, sizeof t->uncontrolled_call);
    t->uncontrolled |= st->uncontrolled;
    t->has_far |= st->has_far;
    t->sleep_site = t->sleep_site ? t->sleep_site : st->sleep_site;
}

/* Did thread i come to its end, or to that of the process, by itself? */
static bool has_ended(const struct hd_shm *m, u32 i)
{
    u8 state = hd_shm_threads((struct hd_shm *)m)[i].state;
    bool is_over = m->verdict.kind == HD_V_CLEAN || m->verdict.kind == HD_V_EXIT;
    return state == HD_T_FINISHED || (is_over && state == HD_T_RUNNING);
}

static s64 toward(s64 mean, s64 value, u32 k) { return mean + (value - mean) / (s64)k; }

/* Means of one thread: of the runs in which it ended by itself, as soon as there are any. */
static void learn_thread(struct hd_learned *l, u32 i, s64 points, bool is_whole)
{
    if (is_whole)
        l->thread_ends[i]++;
    else if (l->thread_ends[i])
        return;
    u32 k = is_whole ? l->thread_ends[i] : l->runs;
    l->thread_points[i] = (u32)toward(l->thread_points[i], points, k);
}

/* Running means over the runs of this server: what strategies go by. Counts of threads that
 * the end of the process cut short say little. */
static void learn(struct hd_shm *m)
{
    struct hd_learned *l = &m->learned;
    const struct hd_stats *st = &m->stats;
    const struct hd_shm_thread *t = hd_shm_threads(m);
    u32 n = HD_MIN(st->threads, (u32)HD_MAX_THREADS);
    bool is_whole = true;
    l->runs++;
    l->max_threads = HD_MAX(l->max_threads, st->threads);
    l->ends_alone += st->end_hold_was == HD_HOLD_ALONE;
    l->ends_vain += st->end_hold_was == HD_HOLD_VAIN;
    l->ends_handled += st->had_handlers != 0;
    for (u32 i = 0; i < n && is_whole; i++)
        is_whole = has_ended(m, i);
    for (u32 i = 0; i < HD_LEARN_THREADS && i < l->max_threads; i++)
        learn_thread(l, i, i < n ? (s64)t[i].points : 0, is_whole || (i < n && has_ended(m, i)));
    if (is_whole && !l->whole_runs++)
        l->max_points = l->mean_points = 0;
    else if (!is_whole && l->whole_runs)
        return;
    l->max_points = HD_MAX(l->max_points, st->points);
    l->mean_points =
        (u64)toward((s64)l->mean_points, (s64)st->points, is_whole ? l->whole_runs : l->runs);
}

/* The host listens and is far behind. */
static void await_host(const struct hd_shm *m)
{
    struct timespec ts = {0, 50000};
    while (m->runs_done - __atomic_load_n(&m->runs_read, __ATOMIC_ACQUIRE) >= HD_SHM_RUNS)
        hd_sys(SYS_nanosleep, &ts, 0);
}

/* The next run overwrites the log; the script's place is free where nothing is followed. */
static u64 keep_choices(struct hd_shm *m, u32 i)
{
    static u32 kept;
    if (!i)
        kept = 0;
    if (i + 1 >= m->plan.n || m->log.n > HD_SHM_LOG - kept)
        return 0;
    hd_memcpy(hd_shm_script_choice(m) + kept, hd_shm_log_choice(m),
              m->log.n * sizeof(struct hd_choice));
    kept += m->log.n;
    return kept - m->log.n + 1;
}

static void note_end(struct hd_shm *m, u32 i)
{
    m->ran[m->runs_done % HD_SHM_RUNS] =
        (struct hd_run_end){.run = m->run, .end = m->ring_written, .steps = m->stats.steps,
                            .points = m->stats.points, .switches = m->stats.switches,
                            .verdict = m->verdict.kind,
                            .log_n = m->log.n, .log_at = keep_choices(m, i),
                            .hash = m->stats.hash};
    __atomic_store_n(&m->runs_done, m->runs_done + 1, __ATOMIC_RELEASE);
}

/* One run, number i of the batch. True in the child that is to do it. */
static bool run(struct hd_shm *m, u32 i)
{
    bool is_streamed = m->cfg.mode & HD_MODE_STREAM;
    if (is_streamed)
        await_host(m);
    reset(m, i && is_streamed);
    m->run = m->cmd.first_run + i;
    if (i < m->plan.n) {
        m->cfg.strategy = m->plan.at[i].strategy;
        m->cfg.strategy_param = m->plan.at[i].param;
        m->goals = m->plan.at[i].goals;
    }
    m->run_started_ns = monotonic_ns();
    long pid = do_fork();
    if (pid == 0)
        return true;
    if (pid < 0) {
        m->verdict.kind = HD_V_ENV;
        hd_memcpy(m->verdict.msg, "cannot fork", 12);
        return false;
    }
    __atomic_store_n(&m->child, (u32)pid, __ATOMIC_RELEASE);
    int status = 0;
    while (hd_sys(SYS_wait4, pid, &status, 0, 0) == -EINTR)
        ;
    __atomic_store_n(&m->child, 0, __ATOMIC_RELEASE);
    judge(m, status);
    total(m);
    learn(m);
    note_end(m, i);
    return false;
}

/* Serves one command. True in a child. */
static bool serve(struct hd_shm *m)
{
    char byte;
    if (hd_sys(SYS_read, HD_CMD_FD, &byte, 1) != 1 || m->cmd.cmd == HD_CMD_QUIT)
        for (;;)
            hd_sys(SYS_exit_group, 0);
    for (u32 i = 0; i < m->cmd.count; i++) {
        u32 mode = m->cfg.mode;
        hd_learning_rate_begin(m, i);
        bool is_replanned = hd_heap_check_plan(m, m->cmd.first_run + i);
        /* What a learning run found is in force from the next run on, so that
         * results do not depend on where batches end. */
        if (!i || is_replanned || m->cfg.mode != mode || m->cfg.mode & HD_MODE_LEARN ||
            hd_site_is_not_streamed(m) || m->stats.is_heap_sampled)
            hd_site_begin();
        if (run(m, i))
            return true;
        if (m->verdict.kind != HD_V_CLEAN || (m->plan.n && m->stats.events > HD_PLAN_LONG))
            break;
    }
    hd_sys(SYS_write, HD_REPLY_FD, "D", 1);
    return false;
}

static void redirect(void)
{
    has_input = hd_sys(SYS_lseek, HD_IN_FD, 0, SEEK_END) > 0;
    hd_sys(SYS_dup2, HD_OUT_FD, 1);
    hd_sys(SYS_dup2, HD_ERR_FD, 2);
}

void hd_server_start(void)
{
    struct hd_shm *m = hd_rt.shm;
    if (has_started)
        return;
    has_started = true;
    hd_tls.inside++;
    hd_module_list();
    hd_dispatch_find();
    redirect();
    note_inherited(m);
    hd_warm_up();
    m->server_ready = 1;
    if (m->cfg.mode & HD_MODE_NO_FORK) {
        m->run = m->cmd.first_run;
        hd_heap_check_plan(m, m->run);
        hd_site_begin();
    } else {
        hd_sys(SYS_write, HD_REPLY_FD, "R", 1);
        while (!serve(m))
            ;
        hd_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (!(m->cfg.mode & HD_MODE_KEEP_STDIN))
            fresh_stdin();
    }
    begin_run();
    hd_tls.inside--;
}
