/* Aget's hang (Maple's bug 11), from its description there: a thread that handles signals may be cancelled
 * at any point. Where it is cancelled while it prints, the lock of the stream is never given back,
 * and main hangs when it prints itself. The downloaders are there for their accesses alone.
 * With an argument, another input: nobody sends a signal.
 *   build: gcc -g -O1 -pthread -fsanitize=thread
 *   expect: deadlock
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { PARTS = 2, BLOCKS = 3 };

static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static long written;

static void report(FILE *to, const char *what)
{
    flockfile(to);
    pthread_mutex_lock(&written_lock);
    long so_far = written;
    pthread_mutex_unlock(&written_lock);
    fprintf(to, "%s: %ld\n", what, so_far);
    funlockfile(to);
}

static void *on_signal(void *arg)
{
    sigset_t set;
    int got;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    if (!sigwait(&set, &got))
        report(stdout, "stopped");
    for (;;)
        pause();
    return arg;
}

static void *download(void *arg)
{
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&written_lock);
        written += 1024;
        pthread_mutex_unlock(&written_lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t handler, t[PARTS];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&handler, NULL, on_signal, NULL);
    for (int i = 0; i < PARTS; i++)
        pthread_create(&t[i], NULL, download, NULL);
    if (argc == 1)
        kill(getpid(), SIGINT); /* the user, while it goes on */
    for (int i = 0; i < PARTS; i++)
        pthread_join(t[i], NULL);
    pthread_cancel(handler);
    report(stdout, "complete");
    return 0;
}
