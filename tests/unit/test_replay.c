/* test_replay.c: the replay file survives a round trip and nothing else does:
 * every cut, every flipped bit and every odd number is refused with a sentence. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "event/replay/replay.h"
#include "unit/shm_rig.h"

static char dir[] = "/tmp/heddle-replay-XXXXXX";
static char saved_path[128]; /* a real file, where save puts it */
static char path[64];        /* a file in memory: tens of thousands are read */
static int memory_fd;

static void site_put(struct rig *m, u64 pc, u32 since, u8 known)
{
    struct hd_site *s = hd_shm_site(m->run, pc);
    s->since = since;
    s->known = known;
}

static void modules_put(struct rig *m, u64 bias0, u64 bias1)
{
    struct hd_module *mod = hd_shm_modules(m->run);
    mod[0] =
        (struct hd_module){bias0, bias0 + 0x10000, bias0, {1, 2, 0xff}, 3, 0, "/bin/a \"b\"\n"};
    mod[1] = (struct hd_module){bias1, bias1 + 0x10000, bias1, {0}, 0, 0, "/lib/libx.so"};
    m->run->n_modules = 2;
}

static void run_put(struct rig *m)
{
    modules_put(m, 0x550000000000, 0x7f0000000000);
    m->host->cfg = (struct hd_config){.mode = HD_MODE_LEARN | HD_MODE_DETAIL, .strategy = 1,
        .strategy_param = 3, .seed = UINT64_MAX, .step_limit = 2000000, .early_per_1024 = 8,
        .spin_limit = 5, .step_ns = 1000, .epoch_ns = -5, .data_seed = 7, .patience_ms = 20,
        .context = HD_CTX_DEPTH};
    hd_bit_set(m->host->inherited, 3);
    hd_bit_set(m->host->inherited, HD_SHM_FD - 1);
    m->server->run = 41;
    m->run->verdict.kind = HD_V_DEADLOCK;
    m->run->stats = (struct hd_stats){.steps = 1234, .hash = 0xfedcba9876543210};
    site_put(m, 0x550000000040, 3, HD_SITE_EVENT | HD_SITE_POINT);
    site_put(m, 0x7f0000000080, 41, HD_SITE_EVENT);
    site_put(m, 0x5500000000c0, 42, HD_SITE_EVENT); /* found by the run itself */
    site_put(m, 0x550000000100, 0, 0);
    static const struct hd_choice c[] = {{1, 0, HD_CHOICE_PICK, 0},
                                         {70000, 4095, HD_CHOICE_PICK, 0},
                                         {1, 2, HD_CHOICE_WAKE, 0},
                                         {1, 3, HD_CHOICE_TIMEOUT, 0},
                                         {2, 1, HD_CHOICE_SIGNAL, 0}};
    static const u64 site[] = {0x550000000040, 0x7f0000000080, 0, 0x5500000000c0, 0x7e0000001000};
    for (u32 i = 0; i < HD_COUNT(c); i++) {
        hd_shm_log_choice(m->run)[i] = c[i];
        hd_shm_log_site(m->run)[i] = site[i];
        hd_shm_log_check(m->run)[i] = i * 0x1111111111111111ull;
    }
    m->run->log.n = HD_COUNT(c);
    hd_shm_io_results(m->run)[0] =
        (struct hd_io_result){.step = 7, .value = INT64_MIN, .what = -1, .tid = 2};
    hd_shm_io_results(m->run)[1] = (struct hd_io_result){.step = UINT64_MAX, .value = 512, .what = 9};
    m->run->n_io_results = 2;
}

/* As the host sees it. */
static int from_run(struct hd_replay *r, struct rig *m, const char *program, char **argv)
{
    struct hd_snapshot run;
    rig_take(&run, m);
    int e = hd_replay_from_run(r, &run, program, argv);
    hd_snapshot_release(&run);
    return e;
}

static void inherit_put(struct hd_inherited *h)
{
    h->is_complete = true;
    h->umask = 027;
    h->uid = 1000;
    h->online = 2;
    h->configured = 4;
    h->ignored = (u64)1 << 63 | 1 << 12;
    h->cpus[0] = 5;
    h->cpus[15] = (u64)1 << 63;
    for (u32 i = 0; i < HD_LIMITS; i++)
        h->limit[i] = (struct hd_rlimit){7, HD_LIMIT_NONE};
    assert_int_equal(hd_inherited_add(h, "A=1 \"2\"\n\xff"), 0);
    assert_int_equal(hd_inherited_add(h, "EMPTY="), 0);
    assert_int_equal(hd_inherited_add(h, "MY_API_TOKEN=hush"), 0);
}

static void sample(struct hd_replay *r)
{
    char *argv[] = {"./a", "", "two words", "tab\tquote\"back\\slash\nnewline \xc3\xa9\x01", NULL};
    struct rig rig = rig_make(), *m = &rig;
    run_put(m);
    assert_int_equal(from_run(r, m, "/bin/a", argv), 0);
    strcpy(r->strategy, "pct");
    strcpy(r->input, "stdin");
    inherit_put(&r->inherited);
    rig_drop(m);
}

static char *slurp(size_t *n)
{
    FILE *f = fopen(saved_path, "r");
    char *text = calloc(1, 1 << 16);
    assert_non_null(f);
    *n = fread(text, 1, 1 << 16, f);
    fclose(f);
    return text;
}

static void spill(const char *text, size_t n)
{
    assert_int_equal(ftruncate(memory_fd, 0), 0);
    assert_int_equal(pwrite(memory_fd, text, n, 0), (ssize_t)n);
}

/* Loads `path`, expects failure with a sentence; returns it. */
static const char *refused(void)
{
    static struct hd_error err;
    struct hd_replay r;
    err.text[0] = '\0';
    assert_true(hd_replay_load(&r, path, &err) < 0);
    assert_true(strlen(err.text) > strlen(path) + 5);
    assert_non_null(strstr(err.text, path));
    return err.text;
}

/* Puts the right checksum behind an edited body (everything before "end "). */
static void seal(const char *body, size_t n, u32 entries)
{
    char *text = malloc(n + 64);
    memcpy(text, body, n);
    int k = sprintf(text + n, "end %u %016llx\n", entries,
                    (unsigned long long)hd_replay_sum(body, n));
    spill(text, n + (size_t)k);
    free(text);
}

/* What inherit_put gave, with the secret's value left out. */
static void assert_inherited(const struct hd_inherited *h)
{
    assert_true(h->is_complete);
    assert_int_equal(h->umask, 027);
    assert_int_equal(h->uid, 1000);
    assert_int_equal(h->online, 2);
    assert_int_equal(h->configured, 4);
    assert_true(h->ignored == ((u64)1 << 63 | 1 << 12));
    assert_true(h->cpus[0] == 5 && h->cpus[15] == (u64)1 << 63);
    assert_true(h->limit[0].soft == 7 && h->limit[0].hard == HD_LIMIT_NONE);
    assert_int_equal(h->n_env, 3);
    assert_string_equal(h->env[0].text, "A=1 \"2\"\n\xff");
    assert_string_equal(h->env[1].text, "EMPTY=");
    assert_string_equal(h->env[2].text, "MY_API_TOKEN");
    assert_true(h->env[2].is_secret && h->env[2].hash == hd_replay_sum("hush", 4));
    assert_ptr_equal(hd_inherited_find(h, "A", 1), &h->env[0]);
    assert_null(hd_inherited_find(h, "EMPT", 4));
}

static void test_secrets_stay_out_of_the_file(void **state)
{
    struct hd_replay a;
    struct hd_error err;
    size_t n;
    sample(&a);
    assert_int_equal(hd_replay_save(&a, saved_path, &err), 0);
    char *text = slurp(&n);
    assert_null(strstr(text, "hush"));
    assert_non_null(strstr(text, "MY_API_TOKEN"));
    free(text);
    hd_replay_release(&a);
}

static void test_round_trip(void **state)
{
    struct hd_replay a, b;
    struct hd_error err;
    sample(&a);
    assert_int_equal(hd_replay_save(&a, saved_path, &err), 0);
    assert_int_equal(hd_replay_load(&b, saved_path, &err), 0);
    assert_string_equal(b.program, "/bin/a");
    assert_string_equal(a.cwd, b.cwd);
    assert_string_equal(b.strategy, "pct");
    assert_string_equal(b.input, "stdin");
    assert_int_equal(b.argc, 4);
    for (u32 i = 0; i < 4; i++)
        assert_string_equal(a.argv[i], b.argv[i]);
    assert_null(b.argv[4]);
    a.cfg.strategy = 0; /* an index is not saved, its name is */
    assert_memory_equal(&a.cfg, &b.cfg, sizeof a.cfg);
    assert_int_equal(b.cfg.mode, HD_MODE_LEARN);
    assert_int_equal(b.cfg.epoch_ns, -5);
    assert_true(b.cfg.seed == UINT64_MAX);
    assert_int_equal(hd_bits_count(b.inherited.fds, HD_INHERIT_WORDS), 2);
    assert_memory_equal(a.inherited.fds, b.inherited.fds, sizeof a.inherited.fds);
    assert_inherited(&b.inherited);
    assert_int_equal(b.run, 41);
    assert_int_equal(b.verdict, HD_V_DEADLOCK);
    assert_int_equal(b.steps, 1234);
    assert_true(b.hash == 0xfedcba9876543210);
    assert_int_equal(b.n_modules, 2);
    assert_memory_equal(a.modules, b.modules, 2 * sizeof *a.modules);
    assert_int_equal(b.n_sites, 2);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(a.sites[i].module, b.sites[i].module);
        assert_int_equal(a.sites[i].flags, b.sites[i].flags);
        assert_int_equal(a.sites[i].offset, b.sites[i].offset);
    }
    assert_int_equal(b.n_io_results, 2);
    assert_memory_equal(a.io_results, b.io_results, 2 * sizeof *a.io_results);
    assert_int_equal(b.n, 5);
    assert_memory_equal(a.choice, b.choice, 5 * sizeof *a.choice);
    assert_memory_equal(a.site, b.site, 5 * sizeof *a.site);
    assert_memory_equal(a.check, b.check, 5 * sizeof *a.check);
    hd_replay_release(&a);
    hd_replay_release(&b);
}

static void test_to_shm_relocates(void **state)
{
    struct hd_replay r;
    struct rig rig = rig_make(), *m = &rig;
    sample(&r);
    modules_put(m, 0x560000000000, 0x7a0000000000);
    m->host->cfg = (struct hd_config){.mode = HD_MODE_NO_FORK, .cpu = 1};
    site_put(m, 0x560000000400, 1, HD_SITE_EVENT); /* of another run: must go */
    struct hd_snapshot run;
    rig_snapshot(&run, m);
    assert_int_equal(hd_replay_to_shm(&r, &run), 0);
    hd_snapshot_release(&run);
    m->host->cmd.number++; /* sent */
    assert_true(hd_shm_take_marks(m->run, m->host));
    assert_int_equal(m->run->n_sites, 3);
    struct hd_site *s = hd_shm_sites(m->run);
    assert_int_equal(s[(0x560000000400 >> 2) & (HD_SHM_SITES - 1)].known, 0);
    assert_int_equal(s[(0x560000000040 >> 2) & (HD_SHM_SITES - 1)].known,
                     HD_SITE_EVENT | HD_SITE_POINT);
    assert_int_equal(s[(0x7a0000000080 >> 2) & (HD_SHM_SITES - 1)].known, HD_SITE_EVENT);
    assert_int_equal(m->host->script_n, 5);
    assert_int_equal(m->host->io_results_for, 5);
    assert_int_equal(m->host->n_script_io_results, 2);
    assert_int_equal(hd_shm_script_io_results(m->host)[1].value, 512);
    static const u64 want[] = {0x560000000040, 0x7a0000000080, 0, 0x5600000000c0, 0x7e0000001000};
    assert_memory_equal(hd_shm_script_site(m->host), want, sizeof want);
    assert_memory_equal(hd_shm_script_choice(m->host), r.choice, 5 * sizeof *r.choice);
    assert_memory_equal(hd_shm_script_check(m->host), r.check, 5 * sizeof *r.check);
    assert_int_equal(m->host->cfg.mode,
                     HD_MODE_REPLAY | HD_MODE_STRICT | HD_MODE_LEARN | HD_MODE_NO_FORK |
                         HD_MODE_HEAP_ALL);
    assert_int_equal(m->host->cfg.cpu, 1);
    assert_true(m->host->cfg.seed == UINT64_MAX);
    hd_replay_release(&r);
    rig_drop(m);
}

static void test_torn_log_ends_early(void **state)
{
    struct rig rig = rig_make(), *m = &rig;
    struct hd_replay r;
    char *argv[] = {"a", NULL};
    run_put(m);
    hd_shm_log_choice(m->run)[3].count = 0;
    assert_int_equal(from_run(&r, m, "/a", argv), 0);
    assert_int_equal(r.n, 3);
    hd_replay_release(&r);
    run_put(m);
    m->run->log.n = UINT32_MAX; /* garbage: must not read past the table */
    assert_int_equal(from_run(&r, m, "/a", argv), 0);
    assert_int_equal(r.n, 5);
    hd_replay_release(&r);
    rig_drop(m);
}

static char *saved(size_t *n)
{
    struct hd_replay r;
    struct hd_error err;
    sample(&r);
    assert_int_equal(hd_replay_save(&r, saved_path, &err), 0);
    hd_replay_release(&r);
    return slurp(n);
}

static void test_every_cut_is_refused(void **state)
{
    size_t n;
    char *text = saved(&n);
    for (size_t k = 0; k < n; k++) {
        spill(text, k);
        refused();
    }
    spill(text, n / 2);
    assert_non_null(strstr(refused(), "cut short"));
    spill(text, 0);
    assert_non_null(strstr(refused(), "is empty"));
    free(text);
}

static void test_every_flip_is_refused(void **state)
{
    size_t n;
    char *text = saved(&n);
    for (size_t k = 0; k < n; k++)
        for (int bit = 0; bit < 8; bit++) {
            text[k] ^= (char)(1 << bit);
            spill(text, n);
            refused();
            text[k] ^= (char)(1 << bit);
        }
    free(text);
}

/* With a correct checksum the parser itself must cope: it either refuses with a
 * line number or returns something within the limits. */
static void test_sealed_garbage(void **state)
{
    size_t n;
    char *text = saved(&n);
    size_t body = n - strlen("end 5 0123456789abcdef\n");
    struct hd_rng rng = hd_rng_make(1, 2, 3);
    u32 accepted = 0, refusals = 0;
    for (int i = 0; i < 20000; i++) {
        char *copy = malloc(body);
        memcpy(copy, text, body);
        for (u64 k = 1 + hd_rng_below(&rng, 3); k; k--) {
            size_t at = 16 + hd_rng_below(&rng, body - 16);
            static const char odd[] = "\n \"\\x0123456789abcdef-+?";
            copy[at] = hd_rng_chance(&rng, 1, 4) ? (char)hd_rng_next(&rng)
                                                 : odd[hd_rng_below(&rng, sizeof odd - 1)];
        }
        seal(copy, body, 5);
        struct hd_replay r;
        if (hd_replay_load(&r, path, NULL)) {
            refusals++;
        } else {
            accepted++;
            for (u32 k = 0; k < r.n; k++)
                assert_true(r.choice[k].tid < HD_MAX_THREADS && r.choice[k].count &&
                            hd_replay_choice_word(r.choice[k].kind));
            for (u32 k = 0; k < r.n_sites; k++)
                assert_true(r.sites[k].module < r.n_modules);
            hd_replay_release(&r);
        }
        free(copy);
    }
    assert_true(accepted > 0 && refusals > 0);
    free(text);
}

static void expect_sealed(const char *from, const char *to, const char *sentence)
{
    size_t n;
    char *text = saved(&n), *copy = calloc(1, n + 4096);
    char *at = strstr(text, from);
    assert_non_null(at);
    size_t head = (size_t)(at - text), tail = n - head - strlen(from);
    memcpy(copy, text, head);
    strcpy(copy + head, to);
    memcpy(copy + head + strlen(to), at + strlen(from), tail);
    char *end = strstr(copy, "end 5");
    seal(copy, (size_t)(end - copy), 5);
    const char *said = refused();
    if (!strstr(said, sentence))
        fail_msg("'%s' instead of '%s'", said, sentence);
    free(text);
    free(copy);
}

static void test_sentences(void **state)
{
    expect_sealed("heddle-replay 5", "heddle-replay 6", "use a newer heddle");
    expect_sealed("heddle-replay 5", "#!/bin/sh", "is not a replay file");
    expect_sealed("pick 0 1 ", "pick 4096 1 ", "bad schedule entry");
    expect_sealed("pick 0 1 ", "pick 0 0 ", "bad schedule entry");
    expect_sealed("pick 0 1 0+40", "pick 0 1 2+40", "bad schedule entry");
    expect_sealed("wake 2 1", "woke 2 1", "unknown keyword 'woke'");
    expect_sealed("run 41\n", "", "is incomplete");
    expect_sealed("run 41", "run 18446744073709551616", "bad number after 'run'");
    expect_sealed("module 1", "module 2", "bad module");
    expect_sealed("verdict deadlock", "verdict blue", "unknown verdict 'blue'");
    expect_sealed("input \"stdin\"", "input \"../../etc/passwd\"", "outside its own folder");
    expect_sealed("program \"/bin/a\"", "program \"bin/a\"", "no absolute program path");
    expect_sealed("inherits 3", "inherits 2", "bad value after 'inherits'");
    expect_sealed("inherits 1012", "inherits 1013", "bad value after 'inherits'");
    expect_sealed("umask 27", "umask 28", "bad value after 'umask'");
    expect_sealed("ignores 13", "ignores 0", "bad value after 'ignores'");
    expect_sealed("rlimit as 7 unlimited", "rlimit as 7 6", "bad value after 'rlimit'");
    expect_sealed("rlimit as 7 unlimited", "rlimit ass 7 7", "bad value after 'rlimit'");
    expect_sealed("may-use 2", "may-use 1024", "bad value after 'may-use'");
    expect_sealed("env \"EMPTY=\"", "env \"EMPTY\"", "bad value after 'env'");
    expect_sealed("env \"EMPTY=\"", "env \"=x\"", "bad value after 'env'");
    expect_sealed("\"MY_API_TOKEN\"", "\"MY_API_TOKEN=x\"", "bad value after 'secret'");
    expect_sealed("io-result 2 7 -1", "io-result 4096 7 -1", "bad I/O result");
    expect_sealed("io-result 2 7 -1", "io-result 2 7 4294967296", "bad I/O result");
    expect_sealed(" 9 512 0", " 9", "bad I/O result");
    expect_sealed(" 9 512 0", " 9 512 65536", "bad I/O result");
    expect_sealed("wake 2 1 -", "wake 2 1  -", "line 60");
    expect_sealed("verdict deadlock", "verdict limit", "names no known limit");
    expect_sealed("verdict deadlock", "verdict deadlock\nlimit 1", "names no known limit");
    expect_sealed("verdict deadlock", "verdict limit\nlimit 77", "names no known limit");
    struct hd_error err;
    struct hd_replay r;
    assert_int_equal(hd_replay_load(&r, dir, &err), -EISDIR);
    assert_int_equal(hd_replay_load(&r, "/nonexistent/x", &err), -ENOENT);
    assert_non_null(strstr(err.text, "cannot read /nonexistent/x"));
}

/* What is missing in files of older versions has a value; what is there is kept. */
static void test_optional_rows(void **state)
{
    struct hd_replay r, back;
    struct hd_error err = {""};
    size_t n;
    char *text = saved(&n);
    assert_null(strstr(text, "\nlimit"));
    memcpy(text, "heddle-replay 2", 15);
    for (char *at; (at = strstr(text, "\nio-result "));) { /* its name up to version 3 */
        memcpy(at, "\nanswer ", 8);
        memmove(at + 8, at + 11, strlen(at + 11) + 1);
    }
    char *end = strstr(text, "end 5");
    seal(text, (size_t)(end - text), 5);
    free(text);
    assert_int_equal(hd_replay_load(&back, path, &err), 0);
    assert_int_equal(back.version, 2);
    assert_int_equal(back.limit, HD_RUN_LIMIT_NONE);
    assert_int_equal(back.n_io_results, 2);
    hd_replay_release(&back);
    sample(&r);
    r.verdict = HD_V_LIMIT;
    r.limit = HD_RUN_LIMIT_TIME;
    assert_int_equal(hd_replay_save(&r, saved_path, &err), 0);
    assert_int_equal(hd_replay_load(&back, saved_path, &err), 0);
    assert_int_equal(back.verdict, HD_V_LIMIT);
    assert_int_equal(back.limit, HD_RUN_LIMIT_TIME);
    hd_replay_release(&back);
    hd_replay_release(&r);
}

static void test_failed_save_leaves_nothing(void **state)
{
    struct hd_replay r;
    struct hd_error err = {""};
    sample(&r);
    assert_int_equal(hd_replay_save(&r, "/nonexistent/x", &err), -ENOENT);
    assert_non_null(strstr(err.text, "cannot save /nonexistent/x"));
    /* the name is taken by a folder: the rename fails, the old name stays */
    char taken[160], tmp[192];
    snprintf(taken, sizeof taken, "%s/taken", dir);
    assert_int_equal(mkdir(taken, 0777), 0);
    assert_true(hd_replay_save(&r, taken, &err) < 0);
    snprintf(tmp, sizeof tmp, "%s.tmp-%d", taken, (int)getpid());
    assert_int_not_equal(access(tmp, F_OK), 0);
    rmdir(taken);
    hd_replay_release(&r);
}

/* ---- long ones --------------------------------------------------------------------- */

static struct hd_choice nth_choice(u64 i)
{
    if (i % 1000 == 999)
        return (struct hd_choice){(u32)i, (u16)(i % 7), HD_CHOICE_CLOCK, 0};
    return (struct hd_choice){((u32)(i * 2654435761u) >> (8 + i % 24)) | 1, (u16)(i % 5 ? i % 40 : i % 4096),
                              HD_CHOICE_PICK, 0};
}

#define LONG (HD_SHM_LOG + 300000u)

/* As a target leaves it: arrays full, the rest packed, the last one in the last slot. */
static void long_run_put(struct rig *m, int fd)
{
    struct hd_log *l = &m->run->log;
    u8 entry[HD_PACKED_MOST], *ring = hd_shm_log_ring(m->run);
    for (u32 i = 0; i + 1 < HD_SHM_LOG; i++) {
        hd_shm_log_choice(m->run)[i] = nth_choice(i);
        hd_shm_log_site(m->run)[i] = 0x550000000040;
        hd_shm_log_check(m->run)[i] = i + 1;
    }
    l->n = HD_SHM_LOG;
    for (u32 i = HD_SHM_LOG - 1; i + 1 < LONG; i++) {
        struct hd_choice c = nth_choice(i);
        u32 n = hd_packed_put(entry, &c, i % 1024 ? 0 : i + 1);
        for (u32 k = 0; k < n; k++, l->packed++) {
            ring[l->packed % HD_LOG_RING] = entry[k];
            if (l->packed % HD_LOG_BLOCK == HD_LOG_BLOCK - 1)
                assert_int_equal(pwrite(fd, ring + l->packed / HD_LOG_BLOCK * HD_LOG_BLOCK % HD_LOG_RING,
                                        HD_LOG_BLOCK, (off_t)(l->packed / HD_LOG_BLOCK * HD_LOG_BLOCK)),
                                 HD_LOG_BLOCK);
        }
    }
    hd_shm_log_choice(m->run)[HD_SHM_LOG - 1] = nth_choice(LONG - 1);
}

static void expect_long(const struct hd_replay *r, u32 with_site)
{
    struct hd_tail_reader more;
    struct hd_choice c;
    u64 check, i = 0;
    assert_true(r->n + r->more.n == LONG);
    hd_tail_reader_init(&more, &r->more);
    for (; i < LONG; i++) {
        struct hd_choice want = nth_choice(i);
        if (i < r->n) {
            c = r->choice[i];
            check = r->check[i];
            assert_true((r->site[i] != HD_REPLAY_NO_SITE) == (i < with_site));
        } else {
            assert_true(hd_tail_next(&more, &c, &check));
        }
        assert_memory_equal(&c, &want, sizeof c);
        assert_true(!check || check == i + 1);
        assert_true(check || i >= with_site);
    }
    assert_true(!hd_tail_next(&more, &c, &check));
}

/* 8 bytes a switch also where there are few more than have a line each. */
static void test_many_round_trip(void **state)
{
    char *argv[] = {"./a", NULL};
    struct rig rig = rig_make(), *m = &rig;
    struct hd_replay r, back;
    struct hd_snapshot run;
    struct hd_error err = {""};
    struct stat st;
    u32 many = HD_REPLAY_ENTRIES + 4000;
    run_put(m);
    for (u32 i = 0; i < many; i++) {
        hd_shm_log_choice(m->run)[i] = nth_choice(i);
        hd_shm_log_site(m->run)[i] = 0x550000000040;
        hd_shm_log_check(m->run)[i] = i + 1;
    }
    m->run->log.n = many;
    rig_take(&run, m);
    assert_int_equal(hd_replay_from_run(&r, &run, "/bin/a", argv), 0);
    assert_int_equal(hd_replay_save(&r, saved_path, &err), 0);
    assert_int_equal(stat(saved_path, &st), 0);
    assert_in_range((u64)st.st_size, 3ull * many, 8ull * many);
    hd_replay_release(&r);
    assert_int_equal(hd_replay_load(&back, saved_path, &err), 0);
    assert_true(back.n == many && !back.more.n);
    for (u32 i = 0; i < many; i++) {
        struct hd_choice want = nth_choice(i);
        assert_memory_equal(&back.choice[i], &want, sizeof want);
        assert_true(!back.check[i] || back.check[i] == i + 1);
        assert_true((back.site[i] != HD_REPLAY_NO_SITE) == (i < many / 16));
    }
    hd_replay_release(&back);
    hd_snapshot_release(&run);
}

/* Memory and file hold what does not fit in the arrays, in a few bytes each. */
static void test_long_round_trip(void **state)
{
    char *argv[] = {"./a", NULL};
    struct rig rig = rig_make(), *m = &rig;
    struct hd_replay r, back, copy;
    struct hd_snapshot run;
    struct hd_error err = {""};
    struct stat st;
    int fd = hd_tail_file(), script = hd_tail_file();
    assert_true(fd > 2 && script > 2);
    run_put(m);
    long_run_put(m, fd);
    rig_take(&run, m);
    run.shm.log_fd = fd;
    run.shm.script_fd = script;
    assert_int_equal(hd_replay_from_run(&r, &run, "/bin/a", argv), 0);
    expect_long(&r, HD_SHM_LOG - 1);
    assert_int_equal(hd_replay_save(&r, saved_path, &err), 0);
    assert_int_equal(stat(saved_path, &st), 0);
    assert_true((u64)st.st_size < 8ull * LONG);
    hd_replay_release(&r);
    assert_int_equal(hd_replay_load(&back, saved_path, &err), 0);
    expect_long(&back, HD_REPLAY_ENTRIES);
    assert_int_equal(hd_replay_copy(&copy, &back), 0);
    hd_replay_release(&back);
    expect_long(&copy, HD_REPLAY_ENTRIES);
    assert_int_equal(hd_replay_to_shm(&copy, &run), 0);
    assert_true(m->host->script_n == copy.n && m->host->script_packed_for == copy.n);
    assert_true(m->host->script_packed == copy.more.bytes && copy.more.bytes);
    assert_int_equal(fstat(script, &st), 0);
    assert_true((u64)st.st_size == copy.more.bytes);
    hd_replay_release(&copy);
    /* A target that lies about how much there is. */
    u64 lies[] = {~(u64)0, HD_LOG_MOST + 5, m->run->log.packed + 100000};
    for (u32 i = 0; i < HD_COUNT(lies); i++) {
        m->run->log.packed = lies[i];
        hd_snapshot_clear(&run);
        assert_int_equal(hd_replay_from_run(&r, &run, "/bin/a", argv), 0);
        assert_true(r.n + r.more.n >= HD_SHM_LOG - 1);
        hd_replay_release(&r);
    }
    hd_snapshot_release(&run);
    close(fd);
    close(script);
    rig_drop(m);
}

static void test_packed_lines(void **state)
{
    struct hd_replay r;
    struct hd_error err;
    size_t n;
    char *text = saved(&n), *at = strstr(text, "pick 0 1 ");
    size_t head = (size_t)(at - text);
    static const struct {
        const char *line;
        int entries; /* -1: refused */
    } is[] = {{"packed 1 AAA=\n", 1}, {"packed 2 AAAIAA==\n", 2}, {"packed 0 \n", -1},
              {"packed 1 AAAI\n", -1}, {"packed 3 AAAIAA==\n", -1}, {"packed 1 AAB=\n", -1},
              {"packed 1 AA==\n", -1}, {"packed 1 A===\n", -1}, {"packed 1 AAA=AAA=\n", -1},
              {"packed 1 A*A=\n", -1}, {"packed 1 ////\n", -1}, {"packed 1 AAA\n", -1},
              {"packed 1 AQAAAA==\n", -1}, {"packed 1 AQACAA==\n", 1}};
    for (u32 i = 0; i < HD_COUNT(is); i++) {
        char *copy = calloc(1, n + 4096);
        memcpy(copy, text, head);
        strcpy(copy + head, is[i].line);
        seal(copy, head + strlen(is[i].line), is[i].entries < 0 ? 1 : (u32)is[i].entries);
        int e = hd_replay_load(&r, path, &err);
        if ((e != 0) != (is[i].entries < 0))
            fail_msg("%s: %d %s", is[i].line, e, e ? err.text : "");
        if (!e)
            hd_replay_release(&r);
        free(copy);
    }
    free(text);
}

static int setup(void **state)
{
    if (!mkdtemp(dir))
        return -1;
    snprintf(saved_path, sizeof saved_path, "%s/x.heddle", dir);
    memory_fd = memfd_create("replay", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory_fd);
    return memory_fd < 0;
}

static int teardown(void **state)
{
    unlink(saved_path);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_secrets_stay_out_of_the_file),
        cmocka_unit_test(test_to_shm_relocates),
        cmocka_unit_test(test_torn_log_ends_early),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_every_flip_is_refused),
        cmocka_unit_test(test_sealed_garbage),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_optional_rows),
        cmocka_unit_test(test_failed_save_leaves_nothing),
        cmocka_unit_test(test_many_round_trip),
        cmocka_unit_test(test_long_round_trip),
        cmocka_unit_test(test_packed_lines),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
