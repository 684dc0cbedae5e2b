/* freed_in_use: a buffer is freed after the lock was given up too early
 * Lines that begin with @N+ are there from commit N on, with @N- before it (tests/long/versions.sh).
 */
#include "frame.h"
PART(a, 0)
PART(b, 1)
PART(c, 2)
PART(d, 3)
PART(e, 0)
PART(f, 1)
PART(g, 2)
PART(h, 3)
@2+ /* The parts above know nothing of each other,
@2+  * and nothing of what follows. */
@2+
static char *buffer;
static int sum;
static __attribute__((noinline)) void own_one(void)
{
    char *mine = NULL;
    pthread_mutex_lock(&lock_of[4]);
    mine = buffer;
@4+     pthread_mutex_unlock(&lock_of[4]);
    if (mine)
        sum += mine[0];
@4-     pthread_mutex_unlock(&lock_of[4]);
}
static __attribute__((noinline)) void own_two(void)
{
    pthread_mutex_lock(&lock_of[4]);
    free(buffer);
    buffer = NULL;
    pthread_mutex_unlock(&lock_of[4]);
}
static __attribute__((constructor)) void begin(void) { buffer = calloc(1, 8); }
static void finish(void) {}
@5+ /* Called by main, twice. */
static void *one(void *arg)
{
    a_put(); b_put(); c_put(); d_put(); e_put(); f_put(); g_put(); h_put();
    own_one();
    return arg;
}
static void *two(void *arg)
{
    own_two();
    a_take(); b_take(); c_take(); d_take(); e_take(); f_take(); g_take(); h_take();
    return arg;
}
@3+ static void usage(const char *name)
@3+ {
@3+     printf("usage: %s [anything]\n", name);
@3+     exit(2);
@3+ }
int main(int argc, char **argv)
{
    pthread_t x, y;
@3+     if (argc > 1 && !strcmp(argv[1], "--help"))
@3+         usage(argv[0]);
    pthread_create(&x, 0, one, 0);
    pthread_create(&y, 0, two, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    finish();
    return 0;
}
