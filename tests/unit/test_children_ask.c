/* test_children_ask.c: questions of processes that a busy machine stops at a bad moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "children/children.h"

static int connected(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    memcpy(to.sun_path + 1, name, strlen(name));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to,
                             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))), 0);
    return fd;
}

static void send_question(int fd, u32 kind)
{
    struct hd_ask a = {.magic = HD_ASK_MAGIC, .kind = kind};
    assert_int_equal(send(fd, &a, sizeof a, 0), sizeof a);
}

/* Whoever comes late is not turned away, and holds up nobody. */
static void a_late_question_is_taken(void **state)
{
    struct hd_listener l;
    char name[HD_ASK_NAME];
    struct hd_ask a;
    int pid, to;
    assert_int_equal(hd_children_listen(&l, name), 0);
    int late = connected(name), gone = connected(name), soon = connected(name);
    close(gone);
    send_question(soon, HD_ASK_THREADS);
    assert_true(hd_children_asked(&l, &a, &pid, &to));
    assert_int_equal(a.kind, HD_ASK_THREADS);
    assert_int_equal(pid, getpid());
    assert_true(hd_children_reply(to, HD_REPLY_FREE, "", NULL));
    assert_false(hd_children_asked(&l, &a, &pid, &to));
    assert_int_equal(l.n, 1);
    usleep(300000);
    assert_false(hd_children_asked(&l, &a, &pid, &to));
    send_question(late, HD_ASK_START);
    assert_true(hd_children_asked(&l, &a, &pid, &to));
    assert_int_equal(a.kind, HD_ASK_START);
    assert_true(hd_children_reply(to, HD_REPLY_PASSIVE, "", NULL));
    struct hd_reply reply;
    assert_int_equal(recv(late, &reply, sizeof reply, 0), sizeof reply);
    assert_int_equal(reply.kind, HD_REPLY_PASSIVE);
    close(late);
    close(soon);
    hd_children_listen_end(&l);
}

static void what_is_no_question_is_dropped(void **state)
{
    struct hd_listener l;
    char name[HD_ASK_NAME];
    struct hd_ask a;
    int pid, to;
    assert_int_equal(hd_children_listen(&l, name), 0);
    int other = connected(name);
    assert_int_equal(send(other, "hello", 5, 0), 5);
    assert_false(hd_children_asked(&l, &a, &pid, &to));
    assert_int_equal(l.n, 0);
    assert_int_equal(recv(other, &a, sizeof a, 0), 0); /* closed */
    close(other);
    hd_children_listen_end(&l);
}

/* A process that was ended with its run would count as the first one of the next run. */
static void an_earlier_run_asks_in_vain(void **state)
{
    struct hd_listener l;
    char name[HD_ASK_NAME];
    struct hd_ask a;
    int pid, to;
    assert_int_equal(hd_children_listen(&l, name), 0);
    int taken = connected(name);
    assert_false(hd_children_asked(&l, &a, &pid, &to)); /* connected, silent so far */
    int waiting = connected(name);
    send_question(taken, HD_ASK_THREADS);
    send_question(waiting, HD_ASK_THREADS);
    hd_children_listen_anew(&l);
    assert_false(hd_children_asked(&l, &a, &pid, &to));
    int next = connected(name);
    send_question(next, HD_ASK_START);
    assert_true(hd_children_asked(&l, &a, &pid, &to));
    assert_int_equal(a.kind, HD_ASK_START);
    close(to);
    close(taken);
    close(waiting);
    close(next);
    hd_children_listen_end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_earlier_run_asks_in_vain),
        cmocka_unit_test(a_late_question_is_taken),
        cmocka_unit_test(what_is_no_question_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
