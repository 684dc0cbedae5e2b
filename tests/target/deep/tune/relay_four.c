/* A document is printed that its author withdrew: four people, one order of twelve steps
 * cause:    each step looks at the state that another thread left, outside of any lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   one interleaving of 12!/(3!)^4 = 369,600 of the steps
 * shape:    four threads, a chain of 11 orders; each that holds executes one more line
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void *author(void *arg)
{
    if (state == 0)
        state = 1; /* submitted */
    if (state == 4)
        state = 5; /* revised */
    if (state == 8)
        state = 9; /* signed */
    return arg;
}

static void *reviewer(void *arg)
{
    if (state == 1)
        state = 2; /* commented */
    if (state == 5)
        state = 6; /* accepted */
    if (state == 9)
        state = 10; /* archived */
    return arg;
}

static void *editor(void *arg)
{
    if (state == 2)
        state = 3; /* forwarded */
    if (state == 6)
        state = 7; /* typeset */
    if (state == 10)
        state = 11; /* withdrawn */
    return arg;
}

static void *printer(void *arg)
{
    if (state == 3)
        state = 4; /* queued */
    if (state == 7)
        state = 8; /* proofs */
    if (state == 11)
        state = 12; /* printed */
    return arg;
}

int main(void)
{
    pthread_t t[4];
    void *(*who[4])(void *) = {author, reviewer, editor, printer};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(state != 12);
    return 0;
}
