/* Threads load a library, look for functions, call them, and let it go
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "threads.h"

static void *user(void *arg)
{
    for (int i = 0; i < 2; i++) {
        void *m = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        if (!m)
            abort();
        double (*f)(double) = (double (*)(double))dlsym(m, "cbrt");
        if (!f || f(8) < 1.9 || f(8) > 2.1 || dlsym(m, "no_such_function") || !dlerror())
            abort();
        dlclose(m);
    }
    return arg;
}

int main(void)
{
    run_both(user, user);
    return 0;
}
