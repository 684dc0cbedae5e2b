/* A spin lock in inline assembly
 * cause:    none: xchg is atomic on x86
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     28, what is not seen is stopped or noticed by time
 * races:    none
 * tsan:     skip, it does not see what assembly does
 */
#include <assert.h>
#include <pthread.h>

static int word, n;

static void lock(void)
{
    int taken = 1;
    __asm__ volatile("1: movl $1, %0\n\txchgl %0, %1\n\ttestl %0, %0\n\tjz 3f\n"
                     "2: pause\n\tcmpl $0, %1\n\tjne 2b\n\tjmp 1b\n3:"
                     : "=&r"(taken), "+m"(word)::"memory", "cc");
}

static void unlock(void) { __asm__ volatile("movl $0, %0" : "+m"(word)::"memory"); }

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        lock();
        pthread_mutex_lock(&other); /* a scheduling point under the spin lock */
        n++;
        pthread_mutex_unlock(&other);
        unlock();
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(n == 9);
    return 0;
}
