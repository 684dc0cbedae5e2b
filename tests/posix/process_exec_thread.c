/* exec in a thread replaces the whole process
 * text:   a call from any thread ends all others; no destructors or cleanup handlers run
 * expect: exit 0
 */
#include "check.h"

static char *self;
static pthread_key_t key;

static void never(void *arg) { _exit(50); }

static void *execs(void *arg)
{
    OK(pthread_setspecific(key, &key));
    char *args[] = {self, "second", NULL};
    execv("/proc/self/exe", args);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return 21;
    self = argv[0];
    pid_t child = fork();
    if (child == 0) {
        OK(pthread_key_create(&key, never));
        join(start(execs, NULL));
        _exit(51);
    }
    int status = reap(child);
    TRUE(WIFEXITED(status));
    IS(WEXITSTATUS(status), 21);
    return 0;
}
