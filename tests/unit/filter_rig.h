/* filter_rig.h: the real filter (runtime/filter) without threads: accesses come from a
 * script, and what the filter decides about each of them is written down.
 *
 * The test is the server: a run is a forked child, what it learned is in shared memory.
 * A script is words:
 *   0rxa   thread 0 reads variable x (4 bytes) at site a; w: writes
 *   0rXa   all 8 bytes that x is the lower half of; y is the upper half, z is elsewhere
 *   0+m    thread 0 releases m (unlocks), 0-m acquires it (locks)
 *   0!x    the block with x is freed and given out anew
 * What came of it has one letter per access: p scheduling point, s streamed, y yield of a
 * thread that polls, h sign of life (another address streamed instead), . nothing.
 */
#ifndef HD_TEST_FILTER_RIG_H
#define HD_TEST_FILTER_RIG_H

#include "runtime/core/gate.h"
#include "runtime/core/stop.h"
#include "runtime/filter/exclusive.h"
#include "runtime/filter/patch.h"
#include "runtime/filter/shadow.h"
#include "runtime/filter/site.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_check.h"
#include "runtime/hook/point.h"
#include "runtime/libc/module.h"
#include "runtime/libc/user_mem.h"
#include "runtime/news/news.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RIG_THREADS = 8, RIG_SAID = 1 << 22 };
#define RIG_SITE(letter) (0x400000ull + 64u * (u32)((letter) - 'a'))

/* In memory that runs and test share. */
struct rig_shared {
    char said[RIG_SAID];
    u32 n_said;
    u32 patched; /* calls taken out */
    u32 n_quick; /* for the test's own use, as is: */
    u64 result;
    u64 memory[1 << 16];
};
static struct rig_shared *rig;
static struct hd_tls rig_tls[RIG_THREADS];

/* ---- what the filter needs of the runtime ----------------------------------------- */

__thread struct hd_tls hd_tls;
struct hd_rt hd_rt;
struct hd_thread hd_thread[HD_MAX_THREADS];
struct hd_heap hd_heap;
u64 hd_heap_watched;

static void rig_say(char what)
{
    if (rig->n_said < RIG_SAID - 1)
        rig->said[rig->n_said++] = what;
}

void *hd_arena_alloc(void *self, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
bool hd_on_slow(void) { return true; }
struct hd_res hd_gate(struct hd_op *op)
{
    rig_say(op->kind == HD_EV_YIELD ? 'y' : 'p');
    hd_epoch++;
    return (struct hd_res){0};
}
void hd_point(struct hd_op *op) { hd_gate(op); }
void hd_note_access(u8 kind, u64 addr, u32 size, u64 site, u32 arg)
{
    rig_say(addr == (u64)&hd_tls ? 'h' : 's');
    hd_rt.run->stats.events++;
}
bool hd_is_waiting;
u32 hd_news_accesses;
void hd_news_many(void) { hd_news_accesses = 0; }
void hd_stop_poll(void) { rig_say('P'); }
void hd_module_know(u64 addr) {}
bool hd_user_read(void *to, const volatile void *from, size_t n)
{
    memcpy(to, (const void *)from, n);
    return true;
}
bool hd_user_write(volatile void *to, const void *from, size_t n)
{
    memcpy((void *)to, from, n);
    return true;
}
bool hd_patch_open(void) { return true; }
void hd_patch_keep_open(void) {}
void hd_patch_at_once(u64 pc) {}
void hd_patch_close(void) {}
void hd_patch_call(u64 pc, bool is_patched_out) { rig->patched += is_patched_out; }
void hd_heap_bad_access(u64 addr, u32 size, bool is_write, u64 site) { rig_say('!'); }

/* ---- threads and runs --------------------------------------------------------------- */

static inline void rig_switch(u16 t)
{
    if (hd_tls.tid == t)
        return;
    rig_tls[hd_tls.tid] = hd_tls;
    hd_tls = rig_tls[t];
    hd_epoch++;
}

static struct hd_shm_host *rig_host;
static struct hd_shm_server *rig_server;

static inline void *rig_map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    return p;
}

static inline void rig_init(void)
{
    /* What is a sample depends on the address: the same one each time. */
    rig = mmap((void *)0x500000000, sizeof *rig, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    rig_host = rig_map(hd_shm_host_bytes());
    rig_server = rig_map(hd_shm_shared_bytes());
    assert_ptr_not_equal(rig, MAP_FAILED);
    hd_rt.host = rig_host;
    hd_rt.server = rig_server;
    hd_rt.run = (void *)((char *)rig_server + hd_shm_server_bytes());
    hd_shadow_init();
    hd_site_init();
    assert_non_null(hd_cells);
    assert_non_null(hd_exclusive);
}

/* The next program: nothing is known of it. */
static inline void rig_fresh(void)
{
    assert_int_equal(madvise(rig_server, hd_shm_shared_bytes() & ~4095ul, MADV_REMOVE), 0);
    madvise(rig->memory, sizeof rig->memory, MADV_REMOVE);
    for (u64 *p = rig->memory; p < rig->memory + (1 << 16); p += 1 << 12)
        memset(hd_exclusive_at((u64)p), 0, 1 << 12);
}

/* The server is about to begin a run. */
static inline void rig_begin(u32 mode)
{
    rig_server->cfg.mode = mode;
    rig_server->run++;
    rig->n_said = rig->patched = 0;
    hd_heap_check_plan(rig_server->run);
    hd_site_begin();
    hd_rt.run->stats = (struct hd_stats){0};
}

/* ... and this is the child. */
static inline void rig_child(void)
{
    hd_rt.sched.n_threads = RIG_THREADS;
    for (u16 t = 0; t < RIG_THREADS; t++) {
        rig_tls[t] = (struct hd_tls){.tid = t, .is_known = true, .stack_lo = 1, .stack_hi = 1};
        hd_thread[t].tls = &hd_tls; /* its segment is cleared by hand, below */
    }
    hd_tls = rig_tls[0];
    hd_shadow_begin();
    hd_heap_check_begin();
    hd_rt.is_on = true;
}

static inline u64 rig_addr(char name)
{
    static const u32 at[] = {0, 4, 64}; /* x y z */
    return (u64)rig->memory + at[(name | 32) - 'x'];
}

static inline void rig_sync(u16 t, u8 kind, u64 obj)
{
    rig_switch(t);
    struct hd_event ev = {.tid = t, .kind = kind, .obj = obj};
    hd_shadow_sync(&ev);
    hd_epoch++;
}

/* One word of a script. */
static inline void rig_word(const char *w)
{
    u16 t = (u16)(w[0] - '0');
    u32 said = rig->n_said;
    rig_switch(t);
    switch (w[1]) {
    case 'r':
    case 'w':
        hd_site_access(rig_addr(w[2]), w[2] < 'a' ? 8 : 4, w[1] == 'w', RIG_SITE(w[3]));
        if (rig->n_said == said)
            rig_say('.');
        break;
    case '+': rig_sync(t, HD_EV_UNLOCK, (u64)w[2]); break;
    case '-': rig_sync(t, HD_EV_LOCK, (u64)w[2]); break;
    case '!': hd_shadow_clear(rig_addr(w[2]), 16); break;
    default: abort();
    }
}

static inline void rig_script(const char *script)
{
    char text[4096], *save, *w;
    assert_true(strlen(script) < sizeof text);
    strcpy(text, script);
    for (w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        rig_word(w);
}

/* Does `body` as a run; what it returns. */
static inline int rig_run(u32 mode, int (*body)(const void *), const void *arg)
{
    int status;
    rig_begin(mode);
    fflush(NULL);
    int child = fork();
    assert_true(child >= 0);
    if (!child) {
        rig_child();
        _exit(body(arg));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    rig->said[rig->n_said] = 0;
    return WEXITSTATUS(status);
}

static inline u8 rig_known(char site)
{
    const struct hd_site *s = hd_shm_site(hd_rt.run, RIG_SITE(site));
    return s ? s->known : 0;
}

#endif
