/* dlopen: symbols, errors, reference counts
 * text:   a missing library gives NULL and a text once; a missing symbol gives NULL; the same library
 *         gives the same handle
 * expect: exit 0
 * flags: -ldl
 */
#include "check.h"
#include <dlfcn.h>

static void *user(void *arg)
{
    void *h = dlopen("libm.so.6", RTLD_NOW);
    TRUE(h != NULL);
    double (*cosine)(double) = (double (*)(double))dlsym(h, "cos");
    TRUE(cosine != NULL);
    IS((int)cosine(0.0), 1);
    TRUE(dlsym(h, "no_such_symbol_here") == NULL);
    TRUE(dlerror() != NULL);
    TRUE(dlerror() == NULL);
    void *again = dlopen("libm.so.6", RTLD_LAZY);
    TRUE(again == h);
    OK(dlclose(again));
    OK(dlclose(h));
    return NULL;
}

int main(void)
{
    TRUE(dlopen("./no-such-library.so", RTLD_NOW) == NULL);
    TRUE(dlerror() != NULL);
    pthread_t a = start(user, NULL), b = start(user, NULL);
    join(a);
    join(b);
    TRUE(dlsym(RTLD_DEFAULT, "printf") != NULL);
    return 0;
}
