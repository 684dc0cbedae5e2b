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

#include "runtime/asm/trap.h"
#include "runtime/core/gate.h"
#include "runtime/heap/heap_check.h"
#include "runtime/filter/learning_rate.h"
#include "runtime/libc/dispatch.h"
#include "runtime/libc/module.h"
#include "runtime/libc/pages.h"
#include "runtime/started/relay.h"
#include "runtime/core/search.h"
#include "runtime/filter/shadow.h"
#include "runtime/filter/site.h"
#include "runtime/news/news.h"
#include "runtime/core/state.h"
#include "runtime/libc/sys.h"
#include "runtime/core/verdict.h"
#include "runtime/icept/io/wait/wait_io.h"
#include "runtime/icept/process/child_clock.h"
#include "runtime/core/warm.h"

#define HOLD_MOST 16384u
#define HOLD_SHIFTS 9 /* ... and at least 32 */
#define GROUP_RUNS 16u /* means of groups go by about so many runs: more sites become points */

static bool has_started;
static struct hd_shm_server *own; /* our part, to write: not there in a run */

void hd_server_init(struct hd_shm_server *part) { own = part; }

void hd_server_log(void)
{
    struct hd_shm_run *m = hd_rt.run;
    m->log = (struct hd_log){.cap = HD_SHM_LOG, .choice = hd_shm_log_choice(m),
                             .site = hd_shm_log_site(m), .check = hd_shm_log_check(m),
                             .ring = hd_shm_log_ring(m)};
}

/* Not past a limit of the program's: the kernel would send it a signal. */
bool hd_server_spill(void *self, u64 at, const u8 *bytes, u32 n)
{
    struct rlimit most;
    if (hd_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &most) || most.rlim_cur < at + n)
        return false;
    for (u32 done = 0; done < n;) {
        long k = hd_sys(SYS_pwrite64, HD_LOG_FD, bytes + done, n - done, at + done);
        if (k <= 0 && k != -EINTR)
            return false;
        done += k > 0 ? (u32)k : 0;
    }
    return true;
}

u32 hd_server_script(void *self, u64 at, u8 *to, u32 n)
{
    long k;
    while ((k = hd_sys(SYS_pread64, HD_SCRIPT_FD, to, n, at)) == -EINTR)
        ;
    return k > 0 ? (u32)k : 0;
}

/* Steps the end of the process may be held back for others to come to theirs: the fewer,
 * the more often they did not (threads that serve for ever). */
static u32 end_hold(const struct hd_strategy *s)
{
    const struct hd_learned *l = &hd_rt.server->learned;
    if (hd_rt.server->cfg.mode & HD_MODE_SEARCH || s == hd_strategy_find("stay"))
        return 0; /* without choices of chance */
    u32 vain = l->ends_vain > l->ends_last ? l->ends_vain - l->ends_last : 0;
    u32 ending = 0; /* steps of threads that are known to come to an end */
    for (u32 i = 1; i < HD_LEARN_THREADS && i < l->max_threads; i++)
        ending += l->thread_ends[i] ? HD_MIN(l->thread_points[i], HOLD_MOST) : 0;
    return HD_MAX(HOLD_MOST >> HD_MIN(2 * vain, (u32)HOLD_SHIFTS), HD_MIN(2 * ending, HOLD_MOST));
}

void hd_server_config(struct hd_sched_config *cfg)
{
    const struct hd_config *c = &hd_rt.server->cfg;
    const struct hd_strategy *s = hd_strategy_at(c->strategy);
    HD_ASSERT(s);
    *cfg = (struct hd_sched_config){
        .seed = c->seed,
        .run = hd_rt.server->run,
        .step_limit = c->step_limit,
        .proof_step = c->proof_step,
        .early_per_1024 = c->early_per_1024,
        .spin_limit = c->spin_limit,
        .step_ns = c->step_ns,
        .is_random = hd_rt.host->is_random,
        .max_delay = c->max_delay_ns,
        .is_slow = c->mode & HD_MODE_SLOW,
        .end_hold = end_hold(s),
        .has_handlers = hd_rt.server->learned.ends_handled != 0,
        .strategy = s,
        .strategy_arg = {.param = c->strategy_param,
                         .rng = hd_rng_make(c->seed, hd_rt.server->run, HD_RNG_STRATEGY),
                         .learned = &hd_rt.server->learned,
                         .goals = &hd_rt.server->goals,
                         .pairs = hd_shm_pairs(hd_rt.host)},
        .group_points = &hd_rt.run->group_points,
        .site_points = &hd_rt.run->site_points,
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
    const struct hd_shm_host *m = hd_rt.host;
    u32 mode = hd_rt.server->cfg.mode;
    struct hd_sched_config cfg;
    hd_server_config(&cfg);
    hd_search_config(&cfg);
    hd_io_is_shared = mode & HD_MODE_DRIVEN;
    struct hd_script script = {
        .n = m->script_n,
        .choice = hd_shm_script_choice(m),
        .site = hd_shm_script_site(m),
        .check = hd_shm_script_check(m),
        .strict = mode & HD_MODE_STRICT,
        .packed = m->script_packed_for == m->script_n ? m->script_packed : 0,
    };
    if (!script.strict)
        script.site = script.check = NULL;
    hd_tls.info->kernel_tid = hd_thread[0].kernel_tid = (s32)hd_sys(SYS_gettid, 0);
    hd_verdict_pid = (s32)hd_sys(SYS_getpid, 0);
    hd_dispatch_thread();
    hd_shadow_begin();
    hd_state_begin();
    hd_heap_watch(!(mode & HD_MODE_NO_HEAP));
    hd_heap_clears = mode & HD_MODE_FINAL;
    hd_heap_check_begin();
    hd_sched_begin(&hd_rt.sched, &cfg, mode & HD_MODE_REPLAY ? &script : NULL);
    if (mode & HD_MODE_BESIDE)
        hd_child_clock_join();
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
static void note_inherited(void)
{
    HD_BITS_EACH(fd, hd_rt.host->inherited, HD_INHERIT_WORDS)
    {
        long flags = hd_sys(SYS_fcntl, fd, F_GETFL), at = hd_sys(SYS_lseek, fd, 0, SEEK_CUR);
        if (flags >= 0 && at >= 0 && (flags & O_ACCMODE) == O_RDONLY)
            inherited_at[fd] = at + 1;
    }
}

static void rewind_inherited(void)
{
    HD_BITS_EACH(fd, hd_rt.host->inherited, HD_INHERIT_WORDS)
        if (inherited_at[fd])
            hd_sys(SYS_lseek, fd, inherited_at[fd] - 1, SEEK_SET);
}

/* A run may have written anything over what is kept for the next one. */
static void check_kept(struct hd_shm_run *m)
{
    m->stats.threads = HD_MIN(m->stats.threads, (u32)HD_MAX_THREADS);
    m->n_modules = HD_MIN(m->n_modules, (u32)HD_SHM_MODULES);
    m->n_racy = HD_MIN(m->n_racy, (u32)HD_SHM_RACY);
    m->notes.n = HD_MIN(m->notes.n, (u32)HD_SHM_NOTES);
}

/* `is_next`: of a batch whose events the host takes one run after the other. */
static void clear(struct hd_shm_run *m, bool is_next)
{
    u32 instrumented = m->stats.instrumented;
    hd_memset(&m->verdict, 0, sizeof m->verdict);
    hd_memset(&m->stats, 0, sizeof m->stats);
    hd_memset(&m->final, 0, sizeof m->final);
    hd_memset(&m->group_points, 0, sizeof m->group_points);
    hd_memset(&m->site_points, 0, sizeof m->site_points);
    m->stats.instrumented = instrumented;
    if (!is_next)
        m->ring_written = 0;
    if (m->log.packed)
        hd_sys(SYS_ftruncate, HD_LOG_FD, 0);
    hd_server_log();
    m->n_io_results = 0;
    hd_search_reset();
}

static void reset(struct hd_shm_run *m, bool is_next)
{
    check_kept(m);
    u32 threads = m->stats.threads;
    clear(m, is_next);
    hd_memset(hd_shm_threads(m) + 1, 0, sizeof(struct hd_shm_thread) * (threads > 1 ? threads - 1 : 0));
    if (own->cfg.mode & HD_MODE_STARTED)
        return;
    empty(HD_OUT_FD);
    empty(HD_ERR_FD);
    rewind_inherited();
}

/* The run's own word, or what its status tells. */
static void judge(int status)
{
    u32 kind = hd_rt.run->verdict.kind;
    own->end = (struct hd_run_status){.kind = kind < HD_V_COUNT ? kind : HD_V_NONE, .status = status};
    if (own->end.kind != HD_V_NONE)
        return;
    if (WIFEXITED(status)) {
        own->end.kind = WEXITSTATUS(status) ? HD_V_EXIT : HD_V_CLEAN;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
        own->end.kind = HD_V_SIGNAL;
        own->end.signo = (u32)WTERMSIG(status);
    }
}

static void total(const struct hd_stats *st)
{
    struct hd_totals *t = &own->totals;
    t->steps += st->steps;
    t->switches += st->switches;
    t->points += st->points;
    t->max_threads = HD_MAX(t->max_threads, HD_MIN(st->threads, (u32)HD_MAX_THREADS));
    if (st->uncontrolled && !t->uncontrolled)
        hd_memcpy(t->uncontrolled_call, st->uncontrolled_call, sizeof t->uncontrolled_call);
    t->uncontrolled |= st->uncontrolled;
    t->has_far |= st->has_far;
    t->sleep_site = t->sleep_site ? t->sleep_site : st->sleep_site;
}

/* Did thread i come to its end, or to that of the process, by itself? */
static bool has_ended(u32 i)
{
    u8 state = hd_shm_threads(hd_rt.run)[i].state;
    bool is_over = own->end.kind == HD_V_CLEAN || own->end.kind == HD_V_EXIT;
    return state == HD_T_FINISHED || (is_over && state == HD_T_RUNNING);
}

static s64 toward(s64 mean, s64 value, u32 k) { return mean + (value - mean) / (s64)k; }

/* Steps of thread i by object and by site; k 1: what was there before does not count. */
static void learn_groups(struct hd_learned *l, u32 i, u32 k)
{
    for (u32 by = 0; by < HD_BY_KINDS; by++) {
        for (u32 g = 0; g < HD_GROUPS; g++) {
            u16 *mean = &l->sixteenths.of[by][g][i];
            s64 now = HD_MIN(16 * hd_rt.run->group_points.of[by][g][i], UINT16_MAX);
            *mean = (u16)toward(*mean, now, k);
        }
    }
}

/* Means of one thread: of the runs in which it ended by itself, as soon as there are any. */
static void learn_thread(struct hd_learned *l, u32 i, s64 points, bool is_whole)
{
    if (is_whole)
        l->thread_ends[i]++;
    else if (l->thread_ends[i])
        return;
    u32 k = is_whole ? l->thread_ends[i] : l->runs;
    l->thread_points[i] = (u32)toward(l->thread_points[i], points, k);
    if (i < HD_GROUP_THREADS)
        learn_groups(l, i, HD_MIN(k, GROUP_RUNS));
}

/* Running means over the runs of this server: what strategies go by. Counts of threads that
 * the end of the process cut short say little. Nor do those of threads that went round and round
 * while one was held: it would be held for longer each time. */
static void learn(const struct hd_stats *st)
{
    struct hd_learned *l = &own->learned;
    const struct hd_shm_thread *t = hd_shm_threads(hd_rt.run);
    u32 n = HD_MIN(st->threads, (u32)HD_MAX_THREADS);
    bool is_whole = true;
    l->runs++;
    l->max_threads = HD_MAX(l->max_threads, n);
    l->ends_last += st->end_hold_was == HD_HOLD_LAST;
    l->ends_vain += st->end_hold_was == HD_HOLD_VAIN;
    l->ends_handled += st->had_handlers != 0;
    hd_site_points_join(&l->sites, &hd_rt.run->site_points);
    if (st->has_circled && l->max_points)
        return;
    for (u32 i = 0; i < n && is_whole; i++)
        is_whole = has_ended(i);
    for (u32 i = 0; i < HD_LEARN_THREADS && i < l->max_threads; i++)
        learn_thread(l, i, i < n ? (s64)t[i].points : 0, is_whole || (i < n && has_ended(i)));
    if (is_whole && !l->whole_runs++)
        l->max_points = l->mean_points = 0;
    else if (!is_whole && l->whole_runs)
        return;
    l->max_points = HD_MAX(l->max_points, st->points);
    l->mean_points =
        (u64)toward((s64)l->mean_points, (s64)st->points, is_whole ? l->whole_runs : l->runs);
}

/* The host listens and is far behind. */
static void await_host(void)
{
    struct timespec ts = {0, 50000};
    while (own->runs_done - __atomic_load_n(&hd_rt.host->runs_read, __ATOMIC_ACQUIRE) >= HD_SHM_RUNS)
        hd_sys(SYS_nanosleep, &ts, 0);
}

/* The next run overwrites the log. */
static u64 save_choices(u32 n, u32 i)
{
    static u32 kept;
    if (!i)
        kept = 0;
    if (i + 1 >= hd_rt.host->plan.n || n > HD_SHM_LOG - kept)
        return 0;
    hd_memcpy(hd_shm_saved_choice(own) + kept, hd_shm_log_choice(hd_rt.run),
              n * sizeof(struct hd_choice));
    kept += n;
    return kept - n + 1;
}

static void note_end(const struct hd_stats *st, u32 i)
{
    u32 choices = hd_rt.run->log.n - (hd_rt.run->log.packed != 0); /* those in order */
    own->ran[own->runs_done % HD_SHM_RUNS] =
        (struct hd_run_end){.run = own->run, .end = hd_rt.run->ring_written, .steps = st->steps,
                            .points = st->points, .switches = st->switches,
                            .verdict = own->end.kind, .log_n = choices,
                            .log_at = save_choices(choices, i), .hash = st->hash,
                            .goals_tried = st->goals_tried};
    __atomic_store_n(&own->runs_done, own->runs_done + 1, __ATOMIC_RELEASE);
}

/* One run, number i of the batch. True in the child that is to do it. */
static bool run(u32 i)
{
    const struct hd_shm_host *h = hd_rt.host;
    bool is_streamed = own->cfg.mode & HD_MODE_STREAM;
    if (is_streamed)
        await_host();
    own->end = (struct hd_run_status){0};
    reset(hd_rt.run, i && is_streamed);
    own->run = h->cmd.first_run + i;
    own->goals.n = 0;
    if (i < h->plan.n) {
        own->cfg.strategy = h->plan.at[i].strategy;
        own->cfg.strategy_param = h->plan.at[i].param;
        own->goals = h->plan.at[i].goals;
    }
    hd_news_begin();
    own->run_started_ns = monotonic_ns();
    __atomic_store_n(&own->batch, h->cmd.number, __ATOMIC_RELEASE);
    bool is_relay = own->cfg.mode & HD_MODE_STARTED;
    long pid = is_relay ? hd_relay_fork() : do_fork();
    if (pid == 0)
        return true;
    if (pid < 0) {
        own->end.kind = HD_V_ENV;
        hd_memcpy(hd_rt.run->verdict.msg, "cannot fork", 12);
        return false;
    }
    __atomic_store_n(&own->child, (u32)pid, __ATOMIC_RELEASE);
    int status = 0;
    while (hd_sys(SYS_wait4, pid, &status, 0, 0) == -EINTR)
        ;
    __atomic_store_n(&own->child, 0, __ATOMIC_RELEASE);
    hd_news_end();
    const struct hd_stats st = hd_rt.run->stats; /* once: a child of the run may still write */
    judge(status);
    total(&st);
    learn(&st);
    note_end(&st, i);
    return false;
}

static void begin_batch(const struct hd_shm_host *h)
{
    own->cfg = h->cfg;
    if (h->learned_for == h->cmd.number)
        own->learned = h->learned;
    hd_site_take_marks();
}

/* Serves one command. True in a child. */
static bool serve(const struct hd_shm_host *h)
{
    char byte;
    if (hd_sys(SYS_read, HD_CMD_FD, &byte, 1) != 1 || h->cmd.cmd == HD_CMD_QUIT)
        for (;;)
            hd_sys(SYS_exit_group, 0);
    begin_batch(h);
    for (u32 i = 0; i < h->cmd.count; i++) {
        u32 mode = own->cfg.mode;
        hd_learning_rate_begin(&own->cfg, i);
        bool is_replanned = hd_heap_check_plan(h->cmd.first_run + i);
        /* What a learning run found is in force from the next run on, so that
         * results do not depend on where batches end. */
        if (!i || is_replanned || own->cfg.mode != mode || own->cfg.mode & HD_MODE_LEARN ||
            hd_news_is_late() || hd_rt.run->stats.is_heap_sampled)
            hd_site_begin();
        if (run(i))
            return true;
        if (own->end.kind != HD_V_CLEAN || (h->plan.n && hd_rt.run->stats.events > HD_PLAN_LONG))
            break;
    }
    hd_sys(SYS_write, HD_REPLY_FD, "D", 1);
    if (own->cfg.mode & HD_MODE_STARTED)
        hd_relay_end(own->end.status, own->end.kind, hd_rt.run->verdict.signo);
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
    const struct hd_shm_host *h = hd_rt.host;
    if (has_started)
        return;
    has_started = true;
    hd_tls.inside++;
    hd_module_list();
    hd_pages_note();
    hd_dispatch_find();
    hd_trap_init();
    hd_pages_give_back();
    if (!(own->cfg.mode & HD_MODE_STARTED)) {
        redirect();
        note_inherited();
    }
    hd_warm_up();
    own->is_ready = 1;
    if (own->cfg.mode & HD_MODE_NO_FORK) {
        begin_batch(h);
        clear(hd_rt.run, false); /* of what an earlier run left under a debugger */
        own->run = h->cmd.first_run;
        hd_heap_check_plan(own->run);
        hd_site_begin();
    } else {
        if (!(own->cfg.mode & HD_MODE_STARTED))
            hd_sys(SYS_write, HD_REPLY_FD, "R", 1);
        while (!serve(h))
            ;
        hd_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (!(hd_rt.server->cfg.mode & HD_MODE_KEEP_STDIN))
            fresh_stdin();
    }
    begin_run();
    hd_tls.inside--;
}
