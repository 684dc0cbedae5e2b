/* server.c: the fork server: the program is started once, up to main (or the
 * first thread a constructor makes), and forked for each run.
 *
 *   host                       server                        child
 *   cfg, cmd; byte 'C'  --->   for each run: reset, fork ->  sched_begin, main
 *                              wait4                    <-   exit
 *                              verdict, learned
 *   byte 'D'           <---    after the batch or a run that was not clean
 */
#include "runtime/server.h"

#include "runtime/gate.h"
#include "runtime/module.h"
#include "runtime/park.h"
#include "runtime/search.h"
#include "runtime/shadow.h"
#include "runtime/site.h"
#include "runtime/sys.h"
#include "runtime/wait_io.h"

#define WARM_THREADS 4

static bool has_started;

void hd_server_config(struct hd_sched_config *cfg)
{
    const struct hd_config *c = &hd_rt.shm->cfg;
    const struct hd_strategy *s = hd_strategy_at(c->strategy);
    HD_ASSERT(s);
    u64 limit = c->step_limit;
    if (c->step_limit_auto && hd_rt.shm->learned.runs >= HD_AUTO_RUNS)
        limit = HD_MIN(limit, HD_MAX(c->step_limit_auto, 100 * hd_rt.shm->totals.max_steps));
    *cfg = (struct hd_sched_config){
        .seed = c->seed,
        .run = hd_rt.shm->run,
        .step_limit = limit,
        .early_per_1024 = c->early_per_1024,
        .spin_limit = c->spin_limit,
        .step_ns = c->step_ns,
        .strategy = s,
        .strategy_arg = {.param = c->strategy_param,
                         .rng = hd_rng_make(c->seed, hd_rt.shm->run, HD_RNG_STRATEGY),
                         .learned = &hd_rt.shm->learned,
                         .goals = &hd_rt.shm->goals},
    };
}

/* ---- in the child ------------------------------------------------------------ */

static bool has_input; /* the program's standard input is not empty */

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
    m->cfg.step_limit = cfg.step_limit; /* a replay needs the one that was in force */
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
    hd_shadow_begin();
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

static void reset(struct hd_shm *m)
{
    u32 threads = m->stats.threads, instrumented = m->stats.instrumented;
    m->verdict.kind = HD_V_NONE;
    m->verdict.msg[0] = 0;
    m->verdict.cycle.n = 0;
    hd_memset(&m->stats, 0, sizeof m->stats);
    m->stats.instrumented = instrumented;
    m->ring_read = 0;
    m->log.n = 0;
    hd_search_reset();
    hd_memset(hd_shm_threads(m) + 1, 0, sizeof(struct hd_shm_thread) * (threads > 1 ? threads - 1 : 0));
    empty(HD_OUT_FD);
    empty(HD_ERR_FD);
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
    if (m->verdict.kind == HD_V_CLEAN || m->verdict.kind == HD_V_EXIT)
        t->max_steps = HD_MAX(t->max_steps, st->steps);
    t->max_threads = HD_MAX(t->max_threads, st->threads);
    if (st->uncontrolled && !t->uncontrolled)
        hd_memcpy(t->uncontrolled_call, st->uncontrolled_call, sizeof t->uncontrolled_call);
    t->uncontrolled |= st->uncontrolled;
}

/* Running means over the runs of this server: what strategies go by. */
static void learn(struct hd_shm *m)
{
    struct hd_learned *l = &m->learned;
    const struct hd_stats *st = &m->stats;
    u64 k = ++l->runs;
    l->max_threads = HD_MAX(l->max_threads, st->threads);
    l->max_points = HD_MAX(l->max_points, st->points);
    l->mean_points += (s64)(st->points - l->mean_points) / (s64)k;
    const struct hd_shm_thread *t = hd_shm_threads(m);
    for (u32 i = 0; i < HD_LEARN_THREADS && i < l->max_threads; i++) {
        s64 points = i < st->threads ? (s64)t[i].points : 0;
        l->thread_points[i] = (u32)((s64)l->thread_points[i] + (points - (s64)l->thread_points[i]) / (s64)k);
    }
}

/* One run. True in the child that is to do it. */
static bool run(struct hd_shm *m, u64 number)
{
    reset(m);
    m->run = number;
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
    __atomic_store_n(&m->runs_done, m->runs_done + 1, __ATOMIC_RELEASE);
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
        /* What a learning run found is in force from the next run on, so that
         * results do not depend on where batches end. */
        if (!i || m->cfg.mode & HD_MODE_LEARN)
            hd_site_begin();
        if (run(m, m->cmd.first_run + i))
            return true;
        if (m->verdict.kind != HD_V_CLEAN)
            break;
    }
    hd_sys(SYS_write, HD_REPLY_FD, "D", 1);
    return false;
}

/* Threads that come and go before the first run leave their stacks and thread
 * blocks in libc's cache and have its first-time work done: each forked run
 * then starts its threads without it. */
static void *warm_thread(void *go)
{
    while (!__atomic_load_n((u32 *)go, __ATOMIC_ACQUIRE))
        hd_park_sleep(go, 0, 1000000);
    return NULL;
}

static void warm_up(void)
{
    pthread_t t[WARM_THREADS];
    u32 n = 0, go = 0;
    while (n < WARM_THREADS && !HD_REAL(pthread_create)(&t[n], NULL, warm_thread, &go))
        n++;
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    while (n--)
        HD_REAL(pthread_join)(t[n], NULL);
}

static void redirect(struct hd_shm *m)
{
    has_input = hd_sys(SYS_lseek, HD_IN_FD, 0, SEEK_END) > 0;
    if (!(m->cfg.mode & HD_MODE_SHOW_OUTPUT)) {
        hd_sys(SYS_dup2, HD_OUT_FD, 1);
        hd_sys(SYS_dup2, HD_ERR_FD, 2);
    }
}

void hd_server_start(void)
{
    struct hd_shm *m = hd_rt.shm;
    if (has_started)
        return;
    has_started = true;
    hd_tls.inside++;
    hd_module_list();
    redirect(m);
    warm_up();
    m->server_ready = 1;
    if (m->cfg.mode & HD_MODE_NO_FORK) {
        m->run = m->cmd.first_run;
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
