/* A counter in a cache that misses an increment
 * cause:    increment by get and set, each under the lock of its bucket
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 2
struct item {
    char key[8], value[8];
};
static struct bucket {
    pthread_mutex_t m;
    struct item item;
} bucket[BUCKETS] = {{PTHREAD_MUTEX_INITIALIZER, {"hits", "0"}},
                     {PTHREAD_MUTEX_INITIALIZER, {"users", "0"}}};

static struct bucket *bucket_of(const char *key) { return &bucket[key[0] == 'u']; }

static void get(const char *key, char *value)
{
    struct bucket *b = bucket_of(key);
    pthread_mutex_lock(&b->m);
    strcpy(value, b->item.value); /* A */
    pthread_mutex_unlock(&b->m);
}

static void set(const char *key, const char *value)
{
    struct bucket *b = bucket_of(key);
    pthread_mutex_lock(&b->m);
    strcpy(b->item.value, value); /* B */
    pthread_mutex_unlock(&b->m);
}

static void increment(const char *key)
{
    char value[8];
    get(key, value);
    snprintf(value, sizeof value, "%d", atoi(value) + 1);
    set(key, value);
}

static void *connection(void *arg)
{
    increment("users");
    increment("hits");
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, connection, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    char users[8], hits[8];
    get("users", users);
    get("hits", hits);
    assert(!strcmp(users, "2") && !strcmp(hits, "2"));
    return 0;
}
