/* init.c: takes the program over when the loader hands control to us, before
 * any constructor of the program runs (the library is marked initfirst).
 *
 * Without HEDDLE_SHM in the environment the library stays passive: every call
 * goes to the real function, every hook returns at once. So a program started
 * by the target finds nothing changed, and a binary that happens to load this
 * library on its own just runs.
 */
#include "runtime/filter/pass.h"
#include "runtime/core/init.h"

#include <linux/membarrier.h>
#include <linux/mman.h>

#include "runtime/started/stand_by.h"
#include "runtime/icept/process/exit.h"
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/icept/sync/key.h"
#include "runtime/icept/sync/without.h"
#include "runtime/libc/module.h"
#include "runtime/core/park.h"
#include "runtime/core/search.h"
#include "runtime/core/server.h"
#include "runtime/filter/shadow.h"
#include "runtime/filter/site.h"
#include "runtime/core/state.h"
#include "runtime/libc/sys.h"
#include "runtime/news/news_emit.h"
#include "runtime/core/verdict.h"
#include "runtime/icept/io/wait/wait_io.h"

#define RUN_AT 0x100000000000ull
#define HOST_AT 0x110000000000ull
#define SERVER_AT 0x120000000000ull
#define OWN_AT 0x130000000000ull
#define ARENA_AT 0x300000000000ull
#define ARENA_BYTES ((u64)8 << 30)
#define MAIN_STACK_MAX ((u64)64 << 20)

struct hd_rt hd_rt;
__thread struct hd_tls hd_tls __attribute__((tls_model("initial-exec")));
cpu_set_t hd_original_affinity;

/* ---- memory of the runtime ------------------------------------------------ */

static u64 arena_next, arena_end;
static bool is_instrumented; /* a compiler hook was called, maybe before we took over */

static bool arena_init(void)
{
    long at = hd_sys(SYS_mmap, ARENA_AT, ARENA_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (long)ARENA_AT)
        return false;
    arena_next = ARENA_AT;
    arena_end = ARENA_AT + ARENA_BYTES;
    return true;
}

void *hd_arena_alloc(void *self, size_t bytes)
{
    u64 at = arena_next;
    arena_next += HD_ALIGN_UP(bytes, 16);
    if (arena_next > arena_end)
        hd_die_limit(HD_RUN_LIMIT_MEMORY);
    return (void *)at;
}

/* ---- environment ------------------------------------------------------------ */

static const char *env_value(const char *entry, const char *name)
{
    while (*name && *entry == *name)
        entry++, name++;
    return !*name && *entry == '=' ? entry + 1 : NULL;
}

static char *env_find(char **envp, const char *name)
{
    for (; *envp; envp++) {
        const char *v = env_value(*envp, name);
        if (v)
            return (char *)v;
    }
    return NULL;
}

static void env_remove(char **envp, const char *name)
{
    for (char **to = envp; *envp; envp++) {
        if (!env_value(*envp, name))
            *to++ = *envp;
        if (!envp[1])
            *to = NULL;
    }
}

/* The program and whatever it starts see the environment the user gave. */
static void env_restore(char **envp)
{
    const char *was = env_find(envp, "HEDDLE_PRELOAD_WAS");
    char *preload = env_find(envp, "LD_PRELOAD");
    if (was && preload) /* ours is "<runtime>:<was>", so it fits */
        hd_memmove(preload, was, hd_strlen(was) + 1);
    else
        env_remove(envp, "LD_PRELOAD");
    const char *bind = env_find(envp, "LD_BIND_NOW");
    if (bind && !hd_memcmp(bind, HD_BIND_NOW, sizeof HD_BIND_NOW))
        env_remove(envp, "LD_BIND_NOW");
    env_remove(envp, "HEDDLE_PRELOAD_WAS");
    env_remove(envp, "HEDDLE_SHM");
    env_remove(envp, "HEDDLE_PAD"); /* kept the stack where it was when recorded */
}

/* ---- taking over -------------------------------------------------------------- */

static void *map(u64 at, size_t bytes, int prot, int fd, size_t from)
{
    long p = hd_sys(SYS_mmap, at, bytes, prot, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd,
                    from);
    return p == (long)at ? (void *)p : NULL;
}

/* The parts as docs/design/boundary.md has them. Nothing of it is done again for a run. */
static bool map_shared(void)
{
    const struct hd_shm_host *h = map(HOST_AT, hd_shm_host_bytes(), PROT_READ, HD_HOST_FD, 0);
    size_t server = hd_shm_server_bytes(), all = hd_shm_shared_bytes();
    if (!h || h->magic != HD_SHM_MAGIC || h->version != HD_SHM_VERSION ||
        h->bytes != hd_shm_host_bytes() || h->shared_bytes != all)
        return false;
    struct hd_shm_server *own = map(OWN_AT, server, PROT_READ | PROT_WRITE, HD_SHM_FD, 0);
    hd_rt.host = h;
    hd_rt.server = map(SERVER_AT, server, PROT_READ, HD_SHM_FD, 0);
    hd_rt.run = map(RUN_AT, all - server, PROT_READ | PROT_WRITE, HD_SHM_FD, server);
    if (!own || !hd_rt.server || !hd_rt.run)
        return false;
    if (!(h->cfg.mode & HD_MODE_NO_FORK)) /* then the run is this process */
        hd_sys(SYS_madvise, own, server, MADV_DONTFORK);
    own->cfg = h->cfg;
    hd_server_init(own);
    return true;
}

static _Noreturn void refuse(const char *why, const char *what)
{
    struct hd_shm_run *m = hd_rt.run;
    if (m) {
        size_t n = HD_MIN(hd_strlen(why), sizeof m->env_error - 1);
        hd_memcpy(m->env_error, why, n);
        size_t k = HD_MIN(hd_strlen(what), sizeof m->env_error - 1 - n);
        hd_memcpy(m->env_error + n, what, k);
    }
    hd_sys(SYS_write, 2, "heddle: ", 8);
    hd_sys(SYS_write, 2, why, hd_strlen(why));
    hd_sys(SYS_write, 2, what, hd_strlen(what));
    hd_sys(SYS_write, 2, "\n", 1);
    for (;;)
        hd_sys(SYS_exit_group, 99);
}

static u32 load32(void *self, u64 addr) { return __atomic_load_n((u32 *)addr, __ATOMIC_SEQ_CST); }

static void pin(void)
{
    s32 cpu = hd_rt.server->cfg.cpu;
    hd_memcpy(&hd_original_affinity, hd_rt.host->cpus, sizeof hd_original_affinity);
    if (cpu < 0)
        return;
    cpu_set_t one = {0};
    ((u64 *)&one)[cpu / 64] = (u64)1 << (cpu % 64);
    hd_sys(SYS_sched_setaffinity, 0, sizeof one, &one);
}

void hd_thread_enter(u16 tid, u64 stack_lo, u64 stack_hi)
{
    hd_tls.tid = tid;
    hd_tls.info = &hd_shm_threads(hd_rt.run)[tid];
    hd_tls.frames = hd_pass_frames(tid);
    hd_tls.stack_lo = hd_tls.info->stack_lo = stack_lo;
    hd_tls.stack_hi = hd_tls.info->stack_hi = stack_hi;
    hd_tls.info->depth = 0;
    hd_thread[tid].tls = &hd_tls;
    hd_thread[tid].is_live = true;
    hd_thread[tid].kernel_tid = hd_tls.info->kernel_tid = (s32)hd_sys(SYS_gettid, 0);
    hd_tls.is_known = true;
}

void hd_init_take_over(char **envp)
{
    if (!map_shared())
        refuse("the shared memory of this heddle cannot be used: its runtime library is of "
               "another version, or the address is taken", "");
    if (!arena_init())
        refuse("cannot reserve memory for the runtime (is there a limit on address space, "
               "ulimit -v?)", "");
    env_restore(envp);
    hd_without_init(env_find(envp, HD_WITHOUT_ENV));
    hd_shadow_init();
    hd_site_init();
    hd_gate_init();
    struct hd_sched_config cfg = {.strategy = hd_strategy_at(0)};
    static const struct hd_learned none;
    cfg.strategy_arg.learned = &none;
    struct hd_sched_env env = {
        .load32 = load32, .alloc = hd_arena_alloc, .emit = hd_news_emit, .normal = hd_gate_normal,
        .has_children = hd_io_has_children, .has_watchdog = hd_timer_is_watchdog,
        .chosen = hd_search_chosen, .pending = hd_search_pending,
        .spill = hd_server_spill, .script = hd_server_script,
        .local = hd_state_local, .memory = hd_state_memory};
    hd_server_config(&cfg);
    hd_server_log();
    hd_sched_init(&hd_rt.sched, &cfg, &env, &hd_rt.run->log);
    hd_baton = 0;
    hd_thread[0].handle = pthread_self();
    u64 top = HD_ALIGN_UP((u64)envp, 4096);
    hd_stack_anchor = (u64)envp;
    hd_thread_enter(0, top - MAIN_STACK_MAX, top);
    hd_tls.info->state = HD_T_RUNNING;
    hd_sys(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    pin();
    hd_key_init();
    hd_exit_init();
    hd_verdict_init();
    hd_module_list();
    if (is_instrumented)
        hd_rt.run->stats.instrumented = 1;
    hd_rt.is_on = true;
}

__attribute__((constructor)) static void hd_init(int argc, char **argv, char **envp)
{
    const char *missing = NULL;
    if (hd_real_init(&missing))
        refuse("this C library lacks a function Heddle needs: ", missing);
    hd_is_ready = true;
    if (env_find(envp, "HEDDLE_SHM"))
        hd_init_take_over(envp);
    else if (env_find(envp, "HEDDLE_PRELOAD_WAS")) {
        const char *name = env_find(envp, HD_ASK_ENV);
        env_restore(envp);
        hd_stand_by(name, argc, argv, envp);
    }
}

bool hd_is_ready;

HD_EXPORT void __tsan_init(void);
HD_EXPORT void __tsan_init(void)
{
    is_instrumented = true;
    if (hd_rt.run)
        hd_rt.run->stats.instrumented = 1;
}
