/* memcached_client.c: drives a memcached server over a unix socket and checks
 * every reply: THREADS connections, each setting, getting, incrementing and
 * deleting keys of its own, and all of them incrementing one shared counter
 * whose final value proves that no update was lost. Then ends the server by
 * `shutdown` (the server needs -A) and waits until it has hung up.
 *   memcached_client SOCKET [ROUNDS [THREADS]]      (0 rounds: the server is only stopped)
 * Exit 0 and the seconds from the first reply to the last: all were right. */
#define PROGRAM "memcached_client"
#include "line_client.h"

static void want_value(struct link *l, const char *key, const char *value)
{
    say(l, "get %s\r\n", key);
    want(l, "VALUE %s 7 %zu", key, strlen(value));
    want(l, "%s", value);
    want(l, "END");
}

static void one_round(struct link *l, int i)
{
    char key[32], value[128], sum[32];
    snprintf(key, sizeof key, "key-%d-%d", l->id, i % 5);
    snprintf(value, sizeof value, "value %d of connection %d %.*s", i, l->id, i % 40,
             "........................................");
    say(l, "set %s 7 0 %zu\r\n%s\r\n", key, strlen(value), value);
    want(l, "STORED");
    want_value(l, key, value);
    say(l, "incr own-%d 3\r\n", l->id);
    want(l, "%d", 3 * (i + 1));
    snprintf(sum, sizeof sum, "%d", 3 * (i + 1));
    say(l, "get own-%d\r\n", l->id);
    want(l, "VALUE own-%d 0 %zu", l->id, strlen(sum));
    want(l, "%s", sum);
    want(l, "END");

    char line[MAX_LINE];
    say(l, "incr shared 1\r\n");
    if (!hear(l, line) || atoi(line) <= 0 || atoi(line) > rounds * threads)
        fail(l, "incr of the shared counter: '%s'", line);

    if (i % 3 == 2) {
        say(l, "delete %s\r\n", key);
        want(l, "DELETED");
        say(l, "get %s\r\n", key);
        want(l, "END");
    }
}

static void drive(struct link *l)
{
    say(l, "set own-%d 0 0 1\r\n0\r\n", l->id);
    want(l, "STORED");
    for (int i = 0; i < rounds; i++)
        one_round(l, i);
}

static void begin(struct link *l)
{
    say(l, "set shared 0 0 1\r\n0\r\n");
    want(l, "STORED");
}

static void end(struct link *l, const char *total)
{
    say(l, "get shared\r\n");
    want(l, "VALUE shared 0 %zu", strlen(total));
    want(l, "%s", total);
    want(l, "END");
}

int main(int argc, char **argv)
{
    static const struct client it = {25, 4, begin, drive, end, "shutdown\r\n"};
    return run_client(&it, argc, argv);
}
