/* A thread runs on the stack that the program gives it
 * text:   setstack names the memory the thread uses; after the join it is the program's again
 * expect: exit 0
 */
#include "check.h"
#include <sys/mman.h>

#define SIZE (256 * 1024)
static char *memory;

static void *user(void *arg)
{
    char here;
    TRUE(&here >= memory && &here < memory + SIZE);
    return NULL;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t;
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TRUE(memory != MAP_FAILED);
    OK(pthread_attr_init(&a));
    IS(pthread_attr_setstack(&a, memory, 100), EINVAL);
    OK(pthread_attr_setstack(&a, memory, SIZE));
    for (int i = 0; i < 2; i++) {
        OK(pthread_create(&t, &a, user, NULL));
        join(t);
        memset(memory, 0x5a, SIZE);
    }
    OK(munmap(memory, SIZE));
    return 0;
}
