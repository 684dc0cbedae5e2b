/* A process-shared rwlock between parent and child
 * text:   readers of both processes share it, a writer excludes them
 * expect: exit 0
 */
#include "check.h"
#include <sys/mman.h>

struct box {
    pthread_rwlock_t l;
    int a, b;
};

static void use(struct box *x)
{
    for (int i = 0; i < 5; i++) {
        OK(pthread_rwlock_wrlock(&x->l));
        x->a++;
        x->b++;
        OK(pthread_rwlock_unlock(&x->l));
        OK(pthread_rwlock_rdlock(&x->l));
        IS(x->a, x->b);
        OK(pthread_rwlock_unlock(&x->l));
    }
}

int main(void)
{
    struct box *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_rwlockattr_t a;
    TRUE(x != MAP_FAILED);
    OK(pthread_rwlockattr_init(&a));
    OK(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    OK(pthread_rwlock_init(&x->l, &a));
    pid_t child = fork();
    use(x);
    if (child == 0)
        _exit(0);
    IS(reap(child), 0);
    IS(x->a, 10);
    return 0;
}
