/* Double-checked initialisation with a plain pointer
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <stdlib.h>

struct config {
    int level;
};
static struct config *config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void)
{
    if (!config) { /* R1 */
        pthread_mutex_lock(&lock);
        if (!config) {
            struct config *c = malloc(sizeof *c);
            c->level = 3;
            config = c; /* R2 */
        }
        pthread_mutex_unlock(&lock);
    }
    return config;
}

static void *one(void *arg)
{
    get();
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("level %d\n", get()->level);
    free(config);
    return 0;
}
