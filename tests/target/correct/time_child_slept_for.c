/* A parent that sleeps for a second while its child works for 20 ms
 * cause:    none: a second is long enough, and the child's clock is the parent's
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     6, each sleeps beside a real child
 * races:    none
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
    atomic_int is_ready;
    atomic_llong ns;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static long long now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void *sleeper(void *arg)
{
    struct shared *s = arg;
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    sleep(1);
    if (!s->is_ready || now() < s->ns)
        abort();
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct shared *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(20000);
        s->ns = now();
        s->is_ready = 1;
        for (;;)
            pause();
    }
    pthread_create(&t, NULL, sleeper, s);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return 0;
}
