/* Threads leave nested calls by longjmp, locks given back first
 * cause:    none: a jump stays inside its thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void deep(jmp_buf out, int n)
{
    if (n)
        deep(out, n - 1);
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    longjmp(out, 1);
}

static void *worker(void *arg)
{
    for (volatile int i = 0; i < 3; i++) {
        jmp_buf out;
        if (!setjmp(out))
            deep(out, 5);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(done == 6);
    return 0;
}
