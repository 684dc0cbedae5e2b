/* Triple buffering: one exchange hands the middle buffer over
 * cause:    none: one exchange hands a buffer over and gets another
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct frame {
    int a, b;
};
static struct frame f[3];
static atomic_uint middle = 1;
static void *camera(void *arg)
{
    unsigned back = 0;
    for (int i = 1; i < 6; i++) {
        f[back].a = f[back].b = i;
        back = atomic_exchange_explicit(&middle, back | 4, memory_order_acq_rel) & 3;
    }
    return arg;
}
static void *screen(void *arg)
{
    unsigned front = 2;
    int last = 0;
    for (int i = 0; i < 5; i++) {
        if (atomic_load_explicit(&middle, memory_order_relaxed) & 4)
            front = atomic_exchange_explicit(&middle, front, memory_order_acq_rel) & 3;
        assert(f[front].a == f[front].b && f[front].a >= last);
        last = f[front].a;
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, camera, NULL);
    pthread_create(&u, NULL, screen, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
