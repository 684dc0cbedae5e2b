/* redis_client.c: drives a redis server over a unix socket and checks every reply: THREADS
 * connections, each setting, getting, incrementing and removing keys of its own (large sets by
 * UNLINK, which another thread of the server frees), and all of them incrementing one shared
 * counter whose final value proves that no update was lost. The requests of a round are sent in one
 * piece: with io-threads the server has several connections to read from at a time. Then ends the
 * server by SHUTDOWN and waits until it has hung up.
 *   redis_client SOCKET [ROUNDS [THREADS]]      (0 rounds: the server is only stopped)
 * Exit 0 and the seconds from the first reply to the last: all were right. */
#define PROGRAM "redis_client"
#include "line_client.h"

enum { MEMBERS = 80 }; /* of a set: redis frees more than 64 in the background */

static void want_text(struct link *l, const char *text)
{
    want(l, "$%zu", strlen(text));
    want(l, "%s", text);
}

static void one_round(struct link *l, int i)
{
    char value[128], sum[32], line[MAX_LINE];
    snprintf(value, sizeof value, "value-%d-of-%d-%.*s", i, l->id, i % 40,
             "........................................");
    snprintf(sum, sizeof sum, "%d", 3 * (i + 1));
    say(l, "SET key-%d-%d %s\r\nGET key-%d-%d\r\nINCRBY own-%d 3\r\nGET own-%d\r\nINCR shared\r\n", l->id, i % 5,
        value, l->id, i % 5, l->id, l->id);
    want(l, "+OK");
    want_text(l, value);
    want(l, ":%s", sum);
    want_text(l, sum);
    if (!hear(l, line) || line[0] != ':' || atoi(line + 1) <= 0 || atoi(line + 1) > rounds * threads)
        fail(l, "INCR of the shared counter: '%s'", line);

    for (int k = 0; k < MEMBERS; k += 8)
        say(l, "SADD set-%d m%d m%d m%d m%d m%d m%d m%d m%d\r\n", l->id, k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6,
            k + 7);
    for (int k = 0; k < MEMBERS; k += 8)
        want(l, ":8");
    say(l, "SCARD set-%d\r\nUNLINK set-%d\r\nEXISTS set-%d\r\n", l->id, l->id, l->id);
    want(l, ":%d", MEMBERS);
    want(l, ":1");
    want(l, ":0");

    if (i % 3 == 2) {
        say(l, "RPUSH list-%d a b c\r\nLPOP list-%d\r\nLLEN list-%d\r\nDEL list-%d key-%d-%d\r\n", l->id, l->id, l->id,
            l->id, l->id, i % 5);
        want(l, ":3");
        want_text(l, "a");
        want(l, ":2");
        want(l, ":2");
    }
}

static void drive(struct link *l)
{
    say(l, "SET own-%d 0\r\n", l->id);
    want(l, "+OK");
    for (int i = 0; i < rounds; i++)
        one_round(l, i);
}

static void begin(struct link *l)
{
    say(l, "SET shared 0\r\n");
    want(l, "+OK");
}

static void end(struct link *l, const char *total)
{
    say(l, "GET shared\r\n");
    want_text(l, total);
}

int main(int argc, char **argv)
{
    static const struct client it = {25, 4, begin, drive, end, "SHUTDOWN NOSAVE\r\n"};
    return run_client(&it, argc, argv);
}
