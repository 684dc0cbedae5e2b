/* A session goes on after it was closed
 * cause:    closing looks whether somebody resumes, resuming looks whether somebody closes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads; login, upgrade, transfer, resume and close have to fall into each other
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int user, rights, moved, resumed, closed;
static atomic_int went_on;

static void *client(void *arg)
{
    user = 1;
    if (rights == 1) /* granted by the server meanwhile */
        user = 2;
    else
        return arg;
    if (moved == 1)
        user = 3;
    else
        return arg;
    resumed = 1;
    if (moved == 2)
        resumed = 2;
    else
        return arg;
    if (closed == 1 && user == 4)
        went_on = 1;
    return arg;
}

static void *server(void *arg)
{
    if (user == 1)
        rights = 1;
    else
        return arg;
    if (user == 2)
        moved = 1;
    else
        return arg;
    if (user == 3)
        rights = 2;
    else
        return arg;
    if (resumed != 1 || closed != 1)
        return arg;
    moved = 2;
    if (resumed == 2)
        user = 4;
    return arg;
}

/* Closes what has been idle twice in a row at the right moment, else waits. */
static void *reaper(void *arg)
{
    for (int i = 0; i < 5; i++) {
        int before = user, r = rights;
        if (before == 3 && r == 2 && user == 3) {
            closed = 1;
            break;
        }
        if (before && !r)
            rights = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, client, NULL);
    pthread_create(&t[1], NULL, server, NULL);
    pthread_create(&t[2], NULL, reaper, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!went_on);
    return 0;
}
