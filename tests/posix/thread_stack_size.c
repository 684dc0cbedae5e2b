/* A thread has at least the stack size asked for
 * text:   the attribute is the minimum size of the stack of the created thread
 * expect: exit 0
 */
#include "check.h"

#define SIZE (512 * 1024)

static void *user(void *arg)
{
    volatile char use[SIZE - 64 * 1024];
    pthread_attr_t a;
    size_t size;
    void *low;
    for (size_t i = 0; i < sizeof use; i += 4096)
        use[i] = 1;
    OK(pthread_getattr_np(pthread_self(), &a));
    OK(pthread_attr_getstack(&a, &low, &size));
    TRUE(size >= SIZE);
    TRUE((char *)use >= (char *)low && (char *)use < (char *)low + size);
    OK(pthread_attr_destroy(&a));
    return NULL;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t[2];
    OK(pthread_attr_init(&a));
    OK(pthread_attr_setstacksize(&a, SIZE));
    for (int i = 0; i < 2; i++)
        OK(pthread_create(&t[i], &a, user, NULL));
    for (int i = 0; i < 2; i++)
        join(t[i]);
    return 0;
}
