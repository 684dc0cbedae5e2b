/* Unit tests of campaign/script*.c: names in texts, what a file says and what it
 * inherits, who listens, and that a command takes everything with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script/script.h"

static struct hd_error err;
static char dir[64];

/* ---- names ------------------------------------------------------------------------ */

static void test_expand(void **state)
{
    static const struct { const char *text, *shell, *plain; } c[] = {
        {"-p ${port}", "-p 4711", "-p 4711"},
        {"${tmp}/${input}.${worker}", "/t/in.3", "/t/in.3"},
        {"${run}", "9", "9"},
        {"$port $ ${", "$port $ ${", "$port $ ${"},
        {"$${port}", "$4711", "${port}"},
        {"${HD_TEST_SET}", "${HD_TEST_SET}", "yes"},
        {"${HD_TEST_UNSET:-no}", "${HD_TEST_UNSET:-no}", "no"},
        {"${HD_TEST_UNSET}", "${HD_TEST_UNSET}", NULL},
        {"${x y}", "${x y}", NULL},
        {"for i in a; do echo ${i}; done", "for i in a; do echo ${i}; done", NULL},
    };
    struct hd_script_vars v = {.port = 4711, .worker = 3, .run = 9, .has_run = true, .tmp = "/t",
                               .input = "in"};
    setenv("HD_TEST_SET", "yes", 1);
    unsetenv("HD_TEST_UNSET");
    unsetenv("i");
    for (u32 i = 0; i < HD_COUNT(c); i++) {
        char *shell = hd_script_expand(c[i].text, &v, true, &err);
        char *plain = hd_script_expand(c[i].text, &v, false, &err);
        assert_string_equal(shell, c[i].shell);
        if (c[i].plain)
            assert_string_equal(plain, c[i].plain);
        else
            assert_null(plain);
        free(shell);
        free(plain);
    }
    v.has_run = false;
    assert_null(hd_script_expand("${run}", &v, false, &err));
}

/* ---- the file ------------------------------------------------------------------------ */

static int load(struct hd_script_file *s, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/t.toml", dir);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
    return hd_script_load(s, path, NULL, &err);
}

static void test_inputs(void **state)
{
    struct hd_script_file s;
    assert_int_equal(load(&s, "setup = 'true'\n"
                              "[program]\npath = 'bin/x'\nargs = ['-a']\nstdin = 'file'\n"
                              "[drive]\ncommands = ['one', ['two', 'words']]\ntimeout = 1.5\n"
                              "exit_ok = 3\n"
                              "[check]\ncommand = 'c'\nwhen = 'ended'\n"
                              "[options]\nexit_ok = [1, 2]\nkeep_going = true\nquiet = false\n"
                              "[[input]]\nname = 'a'\n"
                              "[[input]]\nname = 'b'\nargs = ['-b']\nstdin = 'b'\ndrive = 'other'\n"
                              "check = {command = 'd', when = 'running'}\n"),
                     0);
    const struct hd_script_input *a = hd_script_find(&s, "a"), *b = hd_script_find(&s, "b");
    assert_non_null(a);
    assert_non_null(b);
    assert_null(hd_script_find(&s, "c"));
    assert_string_equal(s.program + strlen(s.program) - 6, "/bin/x");
    assert_int_equal(s.program[0], '/');
    assert_int_equal(a->argv.n, 2);
    assert_int_equal(b->argv.n, 3);
    assert_string_equal(b->argv.at[2], "-b");
    assert_string_equal(a->text, "file");
    assert_string_equal(b->text, "b");
    assert_int_equal(a->drive.n, 2);
    assert_false(a->drive.command[1].is_shell);
    assert_string_equal(a->drive.command[1].text, "two words");
    assert_int_equal(b->drive.n, 1);
    assert_int_equal(b->drive.timeout_ms, 1500); /* the file's */
    assert_int_equal(b->drive.exit_ok[0], 3);
    assert_true(a->is_checked_late);
    assert_false(b->is_checked_late);
    assert_int_equal(s.stop.signo, SIGTERM);
    assert_int_equal(s.option.n, 2);
    assert_string_equal(s.option.at[0].name, "exit-ok");
    assert_string_equal(s.option.at[0].value, "1,2");
    assert_null(s.option.at[1].value);
    hd_script_release(&s);
}

/* Without drivers and [stop] the program ends by itself. */
static void test_stop(void **state)
{
    static const struct { const char *text; int signo; } c[] = {
        {"", 0},
        {"drive = 'x'\n", SIGTERM},
        {"[stop]\ntimeout = 1\n", SIGTERM},
        {"[stop]\nsignal = 'int'\n", SIGINT},
        {"drive = 'x'\n[stop]\nsignal = 'none'\n", 0},
        {"drive = 'x'\nstop = 'shut'\n", 0},
        {"[stop]\nsignal = 'SIGHUP'\ncommand = 'shut'\n", SIGHUP},
    };
    for (u32 i = 0; i < HD_COUNT(c); i++) {
        struct hd_script_file s;
        char text[256];
        snprintf(text, sizeof text, "program.path = 'x'\n%s", c[i].text);
        assert_int_equal(load(&s, text), 0);
        assert_int_equal(s.stop.signo, c[i].signo);
        hd_script_release(&s);
    }
}

static void test_lines(void **state)
{
    static const struct { const char *text; u32 line; } c[] = {
        {"program.path = 'x'\n\n\n[check]\nwhen = 'never'\n", 5},
        {"program.path = 'x'\n[drive]\ncommand = ''\n", 3},
        {"program.path = 'x'\n[drive]\ncommands = [\n'a',\n7]\n", 5},
        {"program.path = 'x'\nprogram.cwd = 'nowhere'\n", 2},
        {"program.path = 'x'\n\n[[input]]\nargs = []\n", 3},
        {"program.path = 'x'\n[ready]\ntcp = 70000\n", 3},
        {"program.path = 'x'\n[program2]\n", 2},
        {"program.path = 'x'\nx = 'not closed\n", 2},
        {"program.path = 'x'\n[ # no name\n", 2}, /* once an assertion of the library */
    };
    for (u32 i = 0; i < HD_COUNT(c); i++) {
        struct hd_script_file s;
        char want[128];
        assert_int_not_equal(load(&s, c[i].text), 0);
        snprintf(want, sizeof want, "%s/t.toml:%u: ", dir, c[i].line);
        if (strncmp(err.text, want, strlen(want)))
            fail_msg("'%s' instead of line %u", err.text, c[i].line);
        hd_script_release(&s);
    }
}

/* Letters past ASCII: fine in comments and texts, none of a bare key. The library took them for
 * impossible, which only a sanitizer notices. */
static void test_letters(void **state)
{
    struct hd_script_file s;
    assert_int_equal(load(&s, "# gr\xc3\xbc\xc3\x9f\nprogram.path = 'x'\nprogram.args = ['\xc3\xbc', '\xe2\x80\x8a']\n"), 0);
    assert_string_equal(s.input.at[0].argv.at[1], "\xc3\xbc");
    hd_script_release(&s);
    assert_int_not_equal(load(&s, "program.path = 'x'\n\xc3\xbc = 1\n"), 0);
    hd_script_release(&s);
    assert_int_not_equal(load(&s, "program.path = 'x'\n[drive]\nk\xd1\xa6 = 1\n"), 0);
    hd_script_release(&s);
}

/* ---- who listens? ------------------------------------------------------------------------ */

static void test_tcp(void **state)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    u32 port = hd_script_free_port(0);
    assert_int_not_equal(port, 0);
    assert_true(hd_script_is_port_free(port));
    a.sin_port = htons((u16)port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_false(hd_script_tcp_listens(port)); /* bound is not enough */
    assert_int_equal(listen(fd, 1), 0);
    assert_true(hd_script_tcp_listens(port));
    assert_false(hd_script_is_port_free(port));
    assert_int_not_equal(hd_script_free_port(0), port);
    close(fd);
    assert_false(hd_script_tcp_listens(port));
}

static void test_unix(void **state)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "sock"};
    char path[128];
    snprintf(path, sizeof path, "%s/sock", dir);
    assert_int_equal(chdir(dir), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_false(hd_script_unix_listens(path));
    assert_int_equal(listen(fd, 1), 0);
    assert_true(hd_script_unix_listens(path)); /* bound by a relative name */
    assert_false(hd_script_unix_listens("/sock2"));
    close(fd);
    assert_false(hd_script_unix_listens(path));
    unlink("sock");
}

/* ---- commands ---------------------------------------------------------------------------- */

static void await(struct hd_script_proc *p)
{
    struct pollfd f = {p->fd, POLLIN, 0};
    while (!hd_script_proc_poll(p))
        assert_int_equal(poll(&f, 1, 10000), 1);
}

static void test_proc(void **state)
{
    struct hd_script_proc p = {0};
    char words[64], *env[] = {(char *)"HD_TEST_WORD=here", NULL};
    char *shell[] = {(char *)"echo one; echo $HD_TEST_WORD; pwd >&2; exit 5", NULL};
    assert_int_equal(hd_script_proc_start(&p, shell, true, env, "/"), 0);
    await(&p);
    assert_int_equal(WEXITSTATUS(p.status), 5);
    hd_script_last_words(p.out, words, sizeof words);
    assert_string_equal(words, "one here /");
    hd_script_last_words(p.out, words, 5);
    assert_string_equal(words, "e /");
    char *missing[] = {(char *)"./no_such_command", NULL};
    assert_int_equal(hd_script_proc_start(&p, missing, false, NULL, "/"), 0);
    await(&p);
    assert_int_equal(WEXITSTATUS(p.status), 127);
    hd_script_proc_release(&p);
}

/* How many processes run this very sleep? */
static int sleepers(void)
{
    int n = -1;
    FILE *f = popen("pgrep -fc '^sleep 1000[.]77'", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

/* Also what has left its group and its parent. */
static void test_proc_takes_all(void **state)
{
    struct hd_script_proc p = {0};
    char *shell[] = {(char *)"sleep 1000.77 & (setsid sh -c 'sleep 1000.77 & sleep 1000.77' &) "
                             "& sleep 0.2",
                     NULL};
    assert_int_equal(sleepers(), 0);
    assert_int_equal(hd_script_proc_start(&p, shell, true, NULL, "/"), 0);
    await(&p);
    for (u32 i = 0; i < 100 && sleepers() < 3; i++)
        usleep(20000);
    assert_int_equal(sleepers(), 3);
    hd_script_proc_end(&p);
    assert_int_equal(sleepers(), 0);
    hd_script_proc_release(&p);
}

static int set_up(void **state)
{
    strcpy(dir, "/tmp/hd-test-script-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/t.toml", dir);
    unlink(path);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expand), cmocka_unit_test(test_inputs), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_tcp),    cmocka_unit_test(test_unix),
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_proc),   cmocka_unit_test(test_proc_takes_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
