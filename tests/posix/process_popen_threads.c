/* Threads that call popen at the same time have a stream and a shell each: pclose gives the status
 * of its own, and no shell holds the end of another one's pipe.
 * text:   each call of popen has a stream and a process of its own; streams of earlier calls are
 *         closed in the new process
 * expect: exit 0
 */
#include "check.h"

static void *reads(void *arg)
{
    char text[16];
    FILE *f = popen("echo abc; exit 3", "r");
    TRUE(f);
    TRUE(fgets(text, sizeof text, f));
    TRUE(!fgets(text, sizeof text, f));
    int status = pclose(f);
    TRUE(WIFEXITED(status));
    IS(WEXITSTATUS(status), 3);
    return arg;
}

/* Ends when all who could write to it have closed. */
static void *writes(void *arg)
{
    FILE *f = popen("cat >/dev/null", "w");
    TRUE(f);
    TRUE(fputs("abc\n", f) >= 0);
    OK(pclose(f));
    return arg;
}

int main(void)
{
    pthread_t t[3];
    OK(pthread_create(&t[0], NULL, reads, NULL));
    OK(pthread_create(&t[1], NULL, writes, NULL));
    OK(pthread_create(&t[2], NULL, writes, NULL));
    for (int i = 0; i < 3; i++)
        OK(pthread_join(t[i], NULL));
    return 0;
}
