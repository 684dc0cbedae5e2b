/* A sleeper beside a thread that counts on a plain flag
 * cause:    none: a volatile flag is a race by the letter, and works
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    is_running: read in count(), written in main()
 * tsan:     skip, the flag is volatile, not atomic
 */
#include <pthread.h>
#include <unistd.h>

static volatile int is_running = 1;
static volatile long n;

static void *count(void *arg)
{
    while (is_running) {
        n++;
        getpid();
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    usleep(1000);
    is_running = 0;
    pthread_join(t, NULL);
    return n < 0;
}
