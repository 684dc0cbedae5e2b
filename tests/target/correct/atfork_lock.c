/* Handlers of fork that lock, and forks by several threads
 * cause:    none: they lock before and unlock on both sides
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, it does not follow locks over a fork of a program with threads
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pairs[2];

static void before(void) { pthread_mutex_lock(&lock); }
static void after(void) { pthread_mutex_unlock(&lock); }

static void *forker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (!pid) {
            pthread_mutex_lock(&lock); /* free, and what it guards is whole */
            _exit(pairs[0] == pairs[1] ? 0 : 1);
        }
        int status;
        assert(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    }
    return arg;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        pairs[0]++;
        pairs[1]++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_atfork(before, after, after);
    pthread_t t[3];
    pthread_create(&t[0], NULL, forker, NULL);
    pthread_create(&t[1], NULL, forker, NULL);
    pthread_create(&t[2], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
