/* fopencookie and fmemopen: streams of the program's own
 * text:   the functions of the cookie are called; a memory stream ends at its size
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char store[256];
static size_t used;

static ssize_t put(void *cookie, const char *buf, size_t n)
{
    OK(pthread_mutex_lock(&m));
    memcpy(store + used, buf, n);
    used += n;
    OK(pthread_mutex_unlock(&m));
    return (ssize_t)n;
}

static void *user(void *arg)
{
    for (int i = 0; i < 4; i++) {
        TRUE(fputs("12345\n", arg) >= 0);
        OK(fflush(arg));
    }
    return NULL;
}

int main(void)
{
    FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});
    TRUE(f != NULL);
    pthread_t a = start(user, f), b = start(user, f);
    join(a);
    join(b);
    OK(fclose(f));
    IS(used, 48);
    for (int i = 0; i < 48; i += 6)
        OK(memcmp(store + i, "12345\n", 6));
    char buf[8];
    f = fmemopen("abc", 3, "r");
    IS(fread(buf, 1, 8, f), 3);
    TRUE(feof(f));
    OK(fclose(f));
    return 0;
}
