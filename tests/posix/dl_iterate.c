/* dl_iterate_phdr and dladdr see the program and its libraries
 * text:   each loaded object is given once; dladdr names the object of an address
 * expect: exit 0
 * flags: -ldl
 */
#include "check.h"
#include <dlfcn.h>
#include <link.h>

static int each(struct dl_phdr_info *info, size_t size, void *arg)
{
    ++*(int *)arg;
    return 0;
}

static void *user(void *arg)
{
    int n = 0;
    Dl_info info;
    OK(dl_iterate_phdr(each, &n));
    TRUE(n >= 2);
    TRUE(dladdr((void *)user, &info) != 0);
    TRUE(info.dli_fbase != NULL);
    return NULL;
}

int main(void)
{
    pthread_t a = start(user, NULL);
    user(NULL);
    join(a);
    return 0;
}
