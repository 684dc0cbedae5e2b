/* A setting is applied that was made for another level: each level is entered by another thread
 * cause:    the level is checked under one lock and used under another
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    four threads, two locks; a chain of 10 orders over functions that each thread calls once
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t level_lock = PTHREAD_MUTEX_INITIALIZER, value_lock = PTHREAD_MUTEX_INITIALIZER;
static int level, value, wrong;

static int enter(int from)
{
    pthread_mutex_lock(&level_lock);
    int is_there = level == from;
    if (is_there)
        level = from + 1;
    pthread_mutex_unlock(&level_lock);
    return is_there;
}

static int apply(int from)
{
    pthread_mutex_lock(&value_lock);
    int was = value;
    if (was == from)
        value = from + 1;
    pthread_mutex_unlock(&value_lock);
    return was == from;
}

static void *admin(void *arg)
{
    if (enter(0) && apply(2) && enter(3))
        apply(5);
    return arg;
}

static void *user(void *arg)
{
    if (enter(1) && apply(0) && enter(4))
        apply(3);
    return arg;
}

static void *robot(void *arg)
{
    if (enter(2) && apply(1) && enter(5))
        apply(4);
    return arg;
}

static void *checker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&level_lock);
        int l = level;
        pthread_mutex_unlock(&level_lock);
        pthread_mutex_lock(&value_lock);
        if (l == 3 && value == 6)
            wrong = 1;
        pthread_mutex_unlock(&value_lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    void *(*who[4])(void *) = {admin, user, robot, checker};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(!wrong);
    return 0;
}
