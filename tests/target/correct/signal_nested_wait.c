/* A handler that waits for data while the read it interrupted waits, too
 * cause:    none: both get their byte from different pipes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int outer[2], inner[2];
static volatile sig_atomic_t nested;

static void on_usr2(int signo) { nested++; }

static void on_usr1(int signo)
{
    char c;
    raise(SIGUSR2);
    assert(read(inner[0], &c, 1) == 1 && c == 'i');
}

static void *reader(void *arg)
{
    char c;
    assert(read(outer[0], &c, 1) == 1 && c == 'o');
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction a = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    a.sa_handler = on_usr2;
    sigaction(SIGUSR2, &a, NULL);
    assert(pipe(outer) == 0 && pipe(inner) == 0);
    pthread_create(&t, NULL, reader, NULL);
    pthread_kill(t, SIGUSR1);
    assert(write(outer[1], "o", 1) == 1);
    assert(write(inner[1], "i", 1) == 1);
    pthread_join(t, NULL);
    assert(nested <= 1);
    return 0;
}
