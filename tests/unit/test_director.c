/* Unit tests of plan/director.c: which options get which director. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "plan/director.h"
#include "plan/look/look.h"
#include "plan/portfolio.h"
#include "strategy/strategy.h"

static struct hd_config config_of(const char *strategy)
{
    struct hd_config cfg = {0};
    cfg.strategy = hd_strategy_index(hd_strategy_find(strategy));
    return cfg;
}

static const char *name_for(const struct hd_director_opts *o)
{
    static char name[256];
    struct hd_director *d;
    struct hd_error err = {""};
    int e = hd_director_open(&d, o, &err);
    snprintf(name, sizeof name, "%.255s", e ? err.text : d->name);
    if (!e)
        hd_director_close(d);
    return name;
}

static void a_strategy_needs_nobody(void **state)
{
    struct hd_config cfg = config_of("random");
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1};
    assert_string_equal(name_for(&o), "plain");
}

static void patterns_need_their_coverage(void **state)
{
    struct hd_config cfg = config_of("map");
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1};
    assert_non_null(strstr(name_for(&o), "needs --coverage"));
}

static void a_search_comes_first(void **state)
{
    struct hd_config cfg = config_of("tsa");
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1, .search = hd_search_find("dfs"),
                                 .is_driven = true};
    assert_string_equal(name_for(&o), "search");
}

static void tsa_says_what_it_needs(void **state)
{
    struct hd_config cfg = config_of("tsa");
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1};
    assert_non_null(strstr(name_for(&o), "--coverage auto"));
}

static void driving_needs_coverage(void **state)
{
    struct hd_config cfg = config_of("active");
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1, .is_driven = true};
    assert_string_equal(name_for(&o), "plain");
}

static void the_default_drives(void **state)
{
    struct hd_config cfg = config_of("active");
    struct hd_cover_opts what = {.what.metrics = (u64)1 << HD_METRIC_iroot, .jobs = 1};
    struct hd_cover *cover = hd_cover_open(&what);
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1, .is_driven = true, .cover = cover};
    assert_string_equal(name_for(&o), "drive");
    hd_cover_close(cover);
}

/* Only where races are observed, and they are what is looked for. */
static void an_input_of_a_suite_is_looked_at(void **state)
{
    struct hd_config cfg = config_of("active");
    struct hd_cover_opts what = {.what.metrics = (u64)1 << HD_METRIC_race, .jobs = 1};
    struct hd_cover *cover = hd_cover_open(&what);
    struct hd_look look = {0};
    struct hd_races races;
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1, .is_driven = true, .cover = cover, .look = &look};
    assert_string_not_equal(name_for(&o), "look");
    hd_races_init(&races);
    hd_cover_races(cover, &races);
    assert_string_equal(name_for(&o), "look");
    hd_look_release(&look);
    hd_cover_close(cover);
    hd_races_release(&races);
}

/* So many pairs of sites that no call before had. */
static void add_pairs(struct hd_races *r, u32 n)
{
    static u64 site = 0x1000;
    for (; n; n--, site += 2) {
        struct hd_race_seen seen = {.site = {site, site + 1}};
        hd_races_add(r, &seen, false);
    }
}

/* Runs of a look each of which shows `news` pairs, where `known` were shown before. */
static u32 runs_of_look(u32 known, u32 news)
{
    struct hd_config cfg = config_of("active");
    struct hd_cover_opts what = {.what.metrics = (u64)1 << HD_METRIC_race, .jobs = 1};
    struct hd_cover *cover = hd_cover_open(&what);
    struct hd_shm_host *host = calloc(1, sizeof *host);
    size_t room = hd_shm_shared_bytes() - hd_shm_server_bytes(); /* of which a run that learned nothing has touched hardly any */
    struct hd_shm_run *run = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct hd_worker w = {.host = host, .run.shm.run = run};
    struct hd_look look = {0};
    struct hd_races before, races;
    struct hd_director *d;
    struct hd_error err;
    u32 runs = 0, count;
    hd_races_init(&before);
    hd_races_init(&races);
    add_pairs(&before, known);
    hd_known_add(&look.known, &before, &(struct hd_known_upto){0});
    hd_cover_races(cover, &races);
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1, .is_driven = true, .cover = cover, .look = &look};
    assert_int_equal(hd_director_open(&d, &o, &err), 0);
    for (; d->begin(d, &w, &count) == HD_NEXT_RUN; runs++) {
        add_pairs(&races, news);
        d->ran(d, &w, 1);
    }
    hd_director_close(d);
    hd_look_release(&look);
    hd_cover_close(cover);
    hd_races_release(&before);
    hd_races_release(&races);
    hd_snapshot_release(&w.run);
    munmap(run, room);
    free(host);
    return runs;
}

/* Every strategy has had a run; a few of a thousand are hardly anything, one of ten is not. */
static void a_look_ends_when_hardly_anything_is_new(void **state)
{
    assert_int_equal(runs_of_look(0, 0), HD_ARM_STRATEGIES);
    assert_int_equal(runs_of_look(1000, 0), HD_ARM_STRATEGIES);
    assert_int_equal(runs_of_look(1000, 3), 24);
    assert_int_equal(runs_of_look(10, 1), 24);
    assert_int_equal(runs_of_look(4000, 1), HD_ARM_STRATEGIES);
}

static void a_search_owns_its_schedule(void **state)
{
    struct hd_config cfg = config_of("random");
    struct hd_director_opts o = {.cfg = &cfg, .jobs = 1, .search = hd_search_find("dpor")};
    struct hd_director *d;
    struct hd_error err;
    assert_int_equal(hd_director_open(&d, &o, &err), 0);
    assert_true(d->owns_schedule);
    assert_true(d->is_single);
    hd_director_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strategy_needs_nobody), cmocka_unit_test(a_search_comes_first),
        cmocka_unit_test(patterns_need_their_coverage), cmocka_unit_test(tsa_says_what_it_needs),
        cmocka_unit_test(driving_needs_coverage),
        cmocka_unit_test(the_default_drives),
        cmocka_unit_test(an_input_of_a_suite_is_looked_at),
        cmocka_unit_test(a_look_ends_when_hardly_anything_is_new),
        cmocka_unit_test(a_search_owns_its_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
