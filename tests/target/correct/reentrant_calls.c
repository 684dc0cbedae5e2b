/* Re-entrant library calls side by side
 * cause:    none: strtok_r, qsort, localtime_r and rand_r keep their state with the caller
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *worker(void *arg)
{
    unsigned seed = (unsigned)(long)arg;
    char text[] = "3 1 2", *at, *word;
    int n = 0, list[3];
    for (word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at))
        list[n++] = atoi(word);
    qsort(list, 3, sizeof *list, compare);
    time_t when = 86400;
    struct tm tm;
    localtime_r(&when, &tm);
    rand_r(&seed);
    return n == 3 && list[0] == 1 && list[2] == 3 && tm.tm_year >= 69 ? &compare : NULL;
}

int main(void)
{
    pthread_t t[3];
    void *good;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &good);
        assert(good);
    }
    return 0;
}
