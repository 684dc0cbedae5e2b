/* test_store_kill.c: SIGKILL at any moment. The store opens again, has all that
 * was committed, and of no run a part. */
#include "store_rig.h"

#include <poll.h>

enum { KILLS = 50, ELEMENTS = 5 };

/* What the child says once a commit has returned. */
struct ack {
    s64 campaign;
    u64 run;
};

/* Writes until it is killed; opens and closes on the way, for these are moments
 * too. */
static void writer(const char *dir, int to, u32 kill_number)
{
    struct hd_store *st;
    for (u64 base = 0;; base += 20) {
        if (hd_store_open(&st, dir, HD_STORE_WRITE, 0, &rig_err))
            _exit(1);
        s64 p = hd_store_program(st, "/p"), b = hd_store_build(st, p, "b", 1, "/p");
        s64 i = hd_store_input(st, (char *[]){"p", NULL}, -1);
        s64 c = hd_store_campaign_begin(st, p, b, i, "pct", 1);
        for (u64 run = 1; run <= 20; run++) {
            struct ack ack = {c, run};
            for (u64 k = 0; k < ELEMENTS; k++) {
                u64 extra[] = {kill_number, base + run, k};
                struct hd_store_site s = {.build = b, .offset = (base + run) * ELEMENTS + k};
                struct hd_store_element e = {.metric = "pset", .n = 1, .extra = extra,
                                             .extra_len = sizeof extra,
                                             .site = {hd_store_site(st, &s)}};
                if (hd_store_element_add(st, c, &e, run, 1) < 0)
                    _exit(2);
            }
            if (hd_store_run(st, c, &(struct hd_store_run){run, 1, "pct", "clean", 1, 1, 1}))
                _exit(3);
            if (run % 3 == 0 && (hd_store_commit(st) || write(to, &ack, sizeof ack) != sizeof ack))
                _exit(4);
        }
        if (hd_store_close(st, &rig_err))
            _exit(5);
    }
}

static void whole(const char *dir)
{
    rig_check(dir);
    /* Every run has all its elements, no element is of a run that is not there. */
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM (SELECT 1 FROM seen GROUP BY campaign, run "
                                  "HAVING count(*) <> 5)"), 0);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM (SELECT campaign, number FROM run EXCEPT "
                                  "SELECT campaign, run FROM seen)"), 0);
    assert_int_equal(rig_ask(dir, "SELECT count(*) FROM (SELECT campaign, run FROM seen EXCEPT "
                                  "SELECT campaign, number FROM run)"), 0);
}

static void has_run(const char *dir, const struct ack *a)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM run WHERE campaign = %lld AND number <= %llu",
             (long long)a->campaign, (unsigned long long)a->run);
    assert_int_equal(rig_ask(dir, sql), a->run);
}

static void kill_after(pid_t pid, u64 us)
{
    int status;
    usleep((useconds_t)us);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFSIGNALED(status))
        fail_msg("the child ended by itself: %x", status);
}

static void test_kill(void **state)
{
    struct hd_rng rng = {3};
    u32 acks = 0;
    for (u32 i = 0; i < KILLS; i++) {
        /* Mostly one store; now and then a new one, killed early. */
        bool is_new = i % 5 == 4;
        const char *dir = is_new ? rig_path("new-%u", i) : rig_path("store");
        int fd[2];
        assert_int_equal(pipe(fd), 0);
        fcntl(fd[0], F_SETPIPE_SZ, 1 << 20);
        pid_t pid = fork();
        if (!pid)
            writer(dir, fd[1], i);
        close(fd[1]);
        /* Every other time it has committed once, however busy the machine is. */
        if (!is_new && i % 2)
            poll(&(struct pollfd){.fd = fd[0], .events = POLLIN}, 1, -1);
        kill_after(pid, hd_rng_below(&rng, is_new ? 8000 : 60000));
        struct ack ack, last = {0};
        while (read(fd[0], &ack, sizeof ack) == sizeof ack) {
            if (last.campaign && ack.campaign != last.campaign)
                has_run(dir, &last);
            last = ack;
            acks++;
        }
        close(fd[0]);
        mkdir(dir, 0777); /* killed before it did even that */
        whole(dir);
        if (last.campaign)
            has_run(dir, &last);
    }
    print_message("%u kills, %u commits, %lld runs\n", KILLS, acks,
                  (long long)rig_ask(rig_path("store"), "SELECT count(*) FROM run"));
    assert_true(acks > KILLS / 3);
}

/* A merge is all there or not at all. */
static void test_kill_merge(void **state)
{
    struct hd_rng rng = {5};
    char name[2][128];
    snprintf(name[0], sizeof name[0], "%s/ours", rig_dir);
    snprintf(name[1], sizeof name[1], "%s/theirs", rig_dir);
    for (u32 i = 0; i < 2; i++) {
        struct hd_store *st = rig_open(name[i], HD_STORE_WRITE);
        for (u32 k = 0; k < 5; k++)
            rig_fill(st, &rng, 0, 300);
        rig_close(st);
    }
    rig_copy(name[0], rig_path("united"));
    struct hd_store *st = rig_open(rig_path("united"), HD_STORE_WRITE);
    rig_ok(st, hd_store_merge(st, name[1]));
    rig_close(st);
    char *before = rig_dump(name[0]), *after = rig_dump(rig_path("united"));
    assert_true(strcmp(before, after) != 0);
    u32 undone = 0;
    for (u32 i = 0; i < 20; i++) {
        const char *dir = rig_path("merge-%u", i);
        rig_copy(name[0], dir);
        pid_t pid = fork();
        if (!pid) {
            if (hd_store_open(&st, dir, HD_STORE_WRITE, 0, &rig_err) || hd_store_merge(st, name[1]))
                _exit(1);
            pause();
        }
        kill_after(pid, hd_rng_below(&rng, 25000));
        rig_check(dir);
        char *now = rig_dump(dir);
        bool is_before = !strcmp(now, before);
        assert_true(is_before || !strcmp(now, after));
        undone += is_before;
        free(now);
    }
    print_message("%u of 20 merges undone\n", undone);
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_kill_merge),
    };
    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
