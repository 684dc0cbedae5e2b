/* Shared memory as its readers see it: whatever a run wrote, the host's copy is in range and
 * stays as it is; a site is where both sides look for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "unit/shm_rig.h"

#define SAME_PLACE (4ull * HD_SHM_SITES) /* addresses so far apart have the same slot */

/* Half of it looks like numbers that mean something. */
static void put_noise(void *to, size_t bytes, u64 seed)
{
    struct hd_rng rng = hd_rng_make(seed, 1, 2);
    u64 *word = to;
    for (size_t i = 0; i < bytes / sizeof *word; i++) {
        u64 x = hd_rng_next(&rng);
        word[i] = x & 1 ? x : x >> 8 & 0xff;
    }
}

static bool is_thread(u16 tid) { return tid < HD_MAX_THREADS || tid == HD_NO_THREAD; }

static void assert_verdict(const struct hd_verdict *v)
{
    assert_true(v->kind < HD_V_COUNT && v->limit < HD_RUN_LIMIT_COUNT && v->signo <= 64);
    assert_true(is_thread(v->tid) && is_thread(v->exit_tid));
    assert_non_null(memchr(v->msg, 0, sizeof v->msg));
    assert_true(v->cycle.n <= HD_COUNT(v->cycle.tid));
    assert_true(v->heap.kind <= HD_HEAP_INVALID_FREE && v->heap.use.n <= HD_HEAP_FRAMES);
    assert_true(v->misuse.kind <= HD_MISUSE_EXIT_HOLDING);
    assert_null(v->diverged.why);
}

static void assert_events(struct hd_snapshot *s)
{
    u32 n;
    const struct hd_event *e = hd_snapshot_events(s, &n);
    const struct hd_detail *d = hd_snapshot_details(s);
    assert_true(n <= HD_SHM_RING);
    for (u32 i = 0; i < n; i++)
        assert_true(e[i].kind < HD_EV_COUNT && e[i].tid < HD_MAX_THREADS &&
                    d[i].n_callers <= HD_DETAIL_CALLERS);
}

static void assert_choices(struct hd_snapshot *s)
{
    u32 n;
    const struct hd_choice *c = hd_snapshot_choices(s, &n);
    assert_true(n <= HD_SHM_LOG);
    for (u32 i = 0; i < n; i++)
        assert_true(c[i].count && c[i].tid < HD_MAX_THREADS && c[i].kind &&
                    c[i].kind <= HD_CHOICE_RULE);
    assert_non_null(hd_snapshot_choice_sites(s));
    assert_non_null(hd_snapshot_choice_checks(s));
}

static void assert_threads(struct hd_snapshot *s)
{
    u32 n, depth;
    const struct hd_shm_thread *t = hd_snapshot_threads(s, &n);
    assert_true(n <= HD_MAX_THREADS);
    for (u32 i = 0; i < n; i++) {
        assert_true(t[i].state <= HD_T_FINISHED && t[i].op_kind < HD_EV_COUNT);
        assert_non_null(memchr(t[i].name, 0, sizeof t[i].name));
        hd_snapshot_frames(s, i, &depth);
        assert_true(depth <= HD_SHM_FRAMES);
    }
    hd_snapshot_frames(s, HD_MAX_THREADS + 7, &depth);
    assert_int_equal(depth, 0);
}

static void assert_rest(struct hd_snapshot *s)
{
    u32 n;
    const struct hd_module *mod = hd_snapshot_modules(s, &n);
    assert_true(n <= HD_SHM_MODULES);
    for (u32 i = 0; i < n; i++)
        assert_true(memchr(mod[i].path, 0, sizeof mod[i].path) &&
                    mod[i].build_id_len <= sizeof mod[i].build_id);
    const struct hd_option *o = hd_snapshot_options(s, &n);
    assert_true(n <= HD_SHM_OPTIONS);
    for (u32 i = 0; i < n; i++)
        assert_true(is_thread(o[i].tid) && o[i].kind && o[i].kind <= HD_CHOICE_FOREIGN);
    for (u32 i = 0; i < HD_SEARCH_THREADS; i++)
        assert_true(hd_snapshot_pending(s)[i].kind < HD_EV_COUNT);
    const struct hd_io_result *r = hd_snapshot_io_results(s, &n);
    assert_true(n <= HD_SHM_IO_RESULTS);
    for (u32 i = 0; i < n; i++)
        assert_true(r[i].tid < HD_MAX_THREADS);
    hd_snapshot_sites(s, &n);
    assert_true(n <= HD_SHM_SITES);
    assert_true(s->notes.n <= HD_SHM_NOTES && s->totals.max_threads <= HD_MAX_THREADS);
    assert_non_null(memchr(s->stats.uncontrolled_call, 0, sizeof s->stats.uncontrolled_call));
}

static void test_noise_is_bounded(void **state)
{
    struct rig rig = rig_make(), *m = &rig;
    static struct hd_choice kept[100];
    for (u64 seed = 0; seed < 3; seed++) {
        struct hd_snapshot s;
        put_noise(m->server, hd_shm_shared_bytes(), seed);
        if (seed == 2) /* lengths as long as they can be */
            memset(m->run, 0xff, sizeof *m->run);
        rig_take(&s, m);
        assert_verdict(&s.verdict);
        assert_events(&s);
        assert_choices(&s);
        assert_threads(&s);
        assert_rest(&s);
        assert_true(s.bad > 0);
        for (u64 i = 0; i < 2 * HD_SHM_RUNS; i++) {
            struct hd_run_end ran = hd_shm_ran(&s.shm, i);
            assert_true(ran.verdict < HD_V_COUNT && ran.log_at <= HD_SHM_LOG);
            assert_true(!ran.log_at || ran.log_at - 1 + ran.log_n <= HD_SHM_LOG);
            assert_true(hd_shm_saved_choices(&s.shm, &ran, kept, HD_COUNT(kept)) <= HD_COUNT(kept));
        }
        hd_snapshot_release(&s);
    }
    rig_drop(m);
}

/* A process that outlives its run writes into it again. */
static void test_copy_is_private(void **state)
{
    struct rig rig = rig_make(), *m = &rig;
    struct hd_snapshot s;
    u32 n, again;
    m->run->verdict.kind = m->server->end.kind = HD_V_DEADLOCK;
    m->run->stats.threads = 2;
    m->run->stats.events = m->run->ring_written = 3;
    m->run->log.n = 2;
    for (u32 i = 0; i < 2; i++)
        hd_shm_log_choice(m->run)[i] = (struct hd_choice){i + 1, 1, HD_CHOICE_PICK, 0};
    hd_shm_ring(m->run)[2] = (struct hd_event){.step = 7, .kind = HD_EV_YIELD};
    rig_take(&s, m);
    const struct hd_choice *c = hd_snapshot_choices(&s, &n);
    const struct hd_event *e = hd_snapshot_events(&s, &n);
    memset(m->run, 0xff, hd_shm_shared_bytes() - hd_shm_server_bytes());
    assert_int_equal(s.verdict.kind, HD_V_DEADLOCK);
    assert_ptr_equal(hd_snapshot_choices(&s, &again), c);
    assert_int_equal(again, 2);
    assert_int_equal(c[1].count, 2);
    assert_ptr_equal(hd_snapshot_events(&s, &again), e);
    assert_true(again == 3 && e[2].step == 7);
    hd_snapshot_threads(&s, &n); /* asked for now: two, whatever they are */
    assert_int_equal(n, 2);
    hd_snapshot_release(&s);
    rig_drop(m);
}

/* The server died before it began: what is there is an earlier batch's. */
static void test_earlier_batch(void **state)
{
    struct rig rig = rig_make(), *m = &rig;
    struct hd_snapshot s;
    m->run->verdict.kind = m->server->end.kind = HD_V_SIGNAL;
    m->run->ring_written = 5;
    m->server->batch = 8;
    m->host->cmd = (struct hd_command){HD_CMD_RUN, 4, 100, 9};
    rig_snapshot(&s, m);
    hd_snapshot_take(&s, &m->host->cfg, &m->host->cmd, 1);
    assert_int_equal(s.verdict.kind, HD_V_NONE);
    assert_int_equal(s.number, 100);
    assert_int_equal(hd_shm_written(&s.shm), 0);
    m->server->batch = 9;
    assert_int_equal(hd_shm_written(&s.shm), 5);
    hd_snapshot_release(&s);
    rig_drop(m);
}

/* ---- sites ---------------------------------------------------------------------------------- */

/* More sites with one place than the search goes: what the host marks has a slot if and only if
 * the target finds it there, and nothing is lost of a cluster within the bound. */
static void test_site_cluster(void **state)
{
    for (u32 all = 65; all <= HD_SITE_PROBES + 50; all += HD_SITE_PROBES - 15) {
        struct rig rig = rig_make(), *m = &rig;
        for (u32 i = 0; i < all; i++)
            assert_true(hd_shm_mark(m->host, 0x400004 + (all - i) * SAME_PLACE, 3, HD_SITE_POINT));
        m->host->cmd.number++;
        assert_true(hd_shm_take_marks(m->run, m->host));
        u32 found = 0;
        for (u32 i = 0; i < all; i++) {
            u64 pc = 0x400004 + (all - i) * SAME_PLACE;
            const struct hd_site *s = hd_site_slot(hd_shm_sites(m->run), pc);
            assert_ptr_equal(s, hd_shm_site(m->run, pc));
            assert_true(!s || (s->pc == pc && s->known == HD_SITE_POINT && s->since == 3));
            found += s != NULL;
        }
        assert_int_equal(found, HD_MIN(all, HD_SITE_PROBES));
        assert_int_equal(m->run->n_sites, found);
        struct hd_snapshot run;
        u32 n;
        rig_take(&run, m);
        hd_snapshot_sites(&run, &n);
        assert_int_equal(n, found);
        hd_snapshot_release(&run);
        rig_drop(m);
    }
}

static u8 known(struct rig *m, u64 pc)
{
    const struct hd_site *s = hd_site_slot(hd_shm_sites(m->run), pc);
    return s && s->pc == pc ? s->known : 0;
}

static bool send_marks(struct rig *m)
{
    m->host->cmd.number++;
    return hd_shm_take_marks(m->run, m->host);
}

/* A replay begins with what its run began with, whatever that run and later ones found out. */
static void test_known_to_a_run(void **state)
{
    struct hd_site s = {.pc = 0x1000};
    const u8 event = HD_SITE_EVENT, spin = HD_SITE_SPIN, point = HD_SITE_POINT, goal = HD_SITE_GOAL;
    hd_site_found(&s, 0, event);
    assert_int_equal(hd_site_known_to(&s, 0), 0);
    hd_site_found(&s, 0, event | spin); /* in the same run */
    assert_int_equal(hd_site_known_to(&s, 0), 0);
    assert_int_equal(hd_site_known_to(&s, 1), event | spin);
    s.known |= goal;
    hd_site_found(&s, 4, event | point); /* a race: the loop that polls was known before */
    assert_int_equal(hd_site_known_to(&s, 4), event | spin | goal);
    assert_int_equal(hd_site_known_to(&s, 5), event | spin | point | goal);
    hd_site_found(&s, 7, HD_SITE_CLEAN); /* it was a point in that run */
    assert_true(hd_site_known_to(&s, 7) & point);

    struct hd_site polls = {.pc = 0x2000};
    hd_site_found(&polls, 2, event);
    hd_site_found(&polls, 5, event | spin);
    assert_int_equal(hd_site_known_to(&polls, 5), event);
    assert_int_equal(hd_site_known_to(&polls, 6), event | spin);
    struct hd_site given = {.pc = 0x3000, .since = HD_SINCE_START, .known = event | point};
    assert_int_equal(hd_site_known_to(&given, 0), event | point);
    struct hd_site wanted = {.pc = 0x4000, .known = goal}; /* nothing was found out */
    assert_int_equal(hd_site_known_to(&wanted, 3), goal);
}

static void test_marks(void **state)
{
    struct rig rig = rig_make(), *m = &rig;
    assert_false(send_marks(m)); /* none */
    hd_shm_mark(m->host, 0x1000, 0, HD_SITE_GOAL);
    hd_shm_mark(m->host, 0x2000, 5, HD_SITE_EVENT);
    hd_shm_mark(m->host, 0x2000, 6, HD_SITE_POINT);
    assert_true(send_marks(m));
    assert_int_equal(known(m, 0x1000), HD_SITE_GOAL);
    assert_int_equal(known(m, 0x2000), HD_SITE_EVENT | HD_SITE_POINT);
    assert_int_equal(hd_shm_site(m->run, 0x2000)->since, 5);
    assert_false(send_marks(m)); /* the next batch: as it was */
    assert_int_equal(known(m, 0x1000), HD_SITE_GOAL);
    hd_shm_marks_begin(m->host, false); /* another list: these goals are over */
    assert_true(send_marks(m));
    assert_int_equal(known(m, 0x1000), 0);
    assert_int_equal(known(m, 0x2000), HD_SITE_EVENT | HD_SITE_POINT);
    hd_shm_mark(m->host, 0x3000, 1, HD_SITE_EVENT); /* forgotten, ... */
    hd_shm_marks_begin(m->host, true);
    hd_shm_mark(m->host, 0x4000, 1, HD_SITE_EVENT); /* ... there is this, */
    hd_shm_marks_begin(m->host, false);
    hd_shm_mark(m->host, 0x5000, 1, HD_SITE_GOAL); /* ... and that besides */
    assert_true(send_marks(m));
    assert_int_equal(known(m, 0x2000) | known(m, 0x3000), 0);
    assert_int_equal(known(m, 0x4000), HD_SITE_EVENT);
    assert_int_equal(known(m, 0x5000), HD_SITE_GOAL);
    assert_int_equal(m->run->n_sites, 4); /* the others stay, as if they had just been met; */
    assert_int_equal(hd_shm_site(m->run, 0x2000)->since, 0);
    hd_shm_site(m->run, 0x2000)->known = HD_SITE_CLEAN | HD_SITE_EVENT;
    hd_shm_marks_begin(m->host, true);
    assert_true(send_marks(m));
    assert_int_equal(known(m, 0x2000), HD_SITE_CLEAN); /* ... that their accesses were fine stays, too */
    hd_shm_marks_begin(m->host, true);
    for (u32 i = 0; i < HD_SHM_MARKS; i++)
        assert_true(hd_shm_mark(m->host, 0x10000 + 8 * i, 1, HD_SITE_EVENT));
    assert_false(hd_shm_mark(m->host, 0x10, 1, HD_SITE_EVENT));
    assert_true(send_marks(m)); /* what the host knows has room in any case */
    assert_int_equal(m->run->n_sites, HD_SHM_MARKS);
    assert_int_equal(hd_site_slot(hd_shm_sites(m->run), 0x2000)->pc, 0);
    rig_drop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_is_bounded), cmocka_unit_test(test_copy_is_private),
        cmocka_unit_test(test_earlier_batch), cmocka_unit_test(test_site_cluster),
        cmocka_unit_test(test_known_to_a_run), cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
