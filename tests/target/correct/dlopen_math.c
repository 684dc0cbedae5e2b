/* A plug-in uses the mathematics library, which the program itself does not have
 * cause:    none: each thread has its own numbers
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * library:  gcc -g -O1 -fno-builtin -fsanitize=thread -shared -fPIC -DLIBRARY -Wl,--no-as-needed -lm
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#ifdef LIBRARY
double gamma_of(double x) { return exp(lgamma(x)); } /* sets a variable of the library's: one thread only */

int answer(double x)
{
    double sine, cosine;
    int sign, quotient;
    sincos(x, &sine, &cosine);
    double one = sine * sine + cosine * cosine;
    double six = exp(lgamma_r(4, &sign));
    double rest = remquo(7, 3, &quotient);
    return one > 0.99 && one < 1.01 && six > 5.99 && six < 6.01 && rest > 0.99 && quotient == 2;
}
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int (*answer)(double), answers;

static void *user(void *arg)
{
    assert(answer(0.5));
    pthread_mutex_lock(&lock);
    answers++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s.so", argv[0]);
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert(lib);
    answer = (int (*)(double))dlsym(lib, "answer");
    double (*gamma_of)(double) = (double (*)(double))dlsym(lib, "gamma_of");
    assert(gamma_of(3) > 1.99);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(answers == 2);
    dlclose(lib);
    return 0;
}
#endif
