/* Left-right: wait-free readers, a writer that waits for both sides
 * cause:    none: the writer waits for the readers of both sides
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static struct {
    int a, b;
} copies[2];
static atomic_int side, version, readers[2];
static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int v = atomic_load(&version);
        atomic_fetch_add(&readers[v], 1);
        int s = atomic_load(&side);
        assert(copies[s].a == copies[s].b);
        atomic_fetch_sub(&readers[v], 1);
    }
    return arg;
}
static void write_both(int n)
{
    int s = atomic_load(&side);
    copies[!s].a = copies[!s].b = n;
    atomic_store(&side, !s);
    int v = atomic_load(&version);
    while (atomic_load(&readers[!v]))
        sched_yield();
    atomic_store(&version, !v);
    while (atomic_load(&readers[v]))
        sched_yield();
    copies[s].a = copies[s].b = n;
}
static void *writer(void *arg)
{
    write_both(1);
    write_both(2);
    return arg;
}
int main(void)
{
    pthread_t t, u, w;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(w, NULL);
    return 0;
}
