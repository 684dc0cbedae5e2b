/* start.c: __libc_start_main: puts the fork server between the program's
 * constructors and its main. */
#include "runtime/core/server.h"

#include "runtime/icept/process/exit.h"

#include <dlfcn.h>

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static main_fn *program_main;

static int hd_main(int argc, char **argv, char **envp)
{
    hd_server_start();
    hd_exit(program_main(argc, argv, envp), 0); /* a return would call libc's own */
}

HD_EXPORT int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
HD_EXPORT int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_fn *real = (start_fn *)dlsym(RTLD_NEXT, "__libc_start_main");
    HD_ASSERT(real);
    program_main = main;
    return real(hd_rt.is_on ? hd_main : main, argc, argv, init, fini, rtld_fini, stack_end);
}
