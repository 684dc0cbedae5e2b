/* Libraries loaded by several threads, with constructors that lock
 * cause:    none: no lock is held while a library is loaded
 * build:    gcc -g -O1 -fsanitize=thread -rdynamic
 * args:
 * expect:   none
 * races:    none
 * library:  gcc -g -O1 -fsanitize=thread -shared -fPIC -DLIBRARY
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>

extern pthread_mutex_t lock;
extern int loads, unloads;

#ifdef LIBRARY
__attribute__((constructor)) static void loaded(void)
{
    pthread_mutex_lock(&lock);
    loads++;
    pthread_mutex_unlock(&lock);
}
__attribute__((destructor)) static void unloaded(void)
{
    pthread_mutex_lock(&lock);
    unloads++;
    pthread_mutex_unlock(&lock);
}
int answer(void) { return 42; }
#else
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int loads, unloads;
static char path[4096];

static int count(struct dl_phdr_info *info, size_t size, void *arg)
{
    pthread_mutex_lock(&lock);
    ++*(int *)arg;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *user(void *arg)
{
    for (int i = 0; i < 3; i++) {
        void *lib = dlopen(path, RTLD_NOW);
        assert(lib);
        int (*f)(void) = (int (*)(void))dlsym(lib, "answer");
        assert(f && f() == 42);
        assert(!dlsym(lib, "nothing_of_this_name"));
        int n = 0;
        dl_iterate_phdr(count, &n);
        assert(n > 2);
        Dl_info info;
        assert(dladdr((void *)f, &info));
        dlclose(lib);
    }
    return arg;
}

int main(int argc, char **argv)
{
    snprintf(path, sizeof path, "%s.so", argv[0]);
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(loads >= 1 && loads <= 9 && unloads == loads);
    return 0;
}
#endif
