/* circles of members of two types
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};
struct file {
    pthread_mutex_t lock;
    int size;
};
static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 2}};
static struct file files[2] = {{PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 2}};

static void transfer(int from, int to)
{
    pthread_mutex_lock(&accounts[from].lock);
    pthread_mutex_lock(&accounts[to].lock); /* bug 1 */
    accounts[to].balance++;
    pthread_mutex_unlock(&accounts[to].lock);
    pthread_mutex_unlock(&accounts[from].lock);
}

static void append(int from, int to)
{
    pthread_mutex_lock(&files[from].lock);
    pthread_mutex_lock(&files[to].lock); /* bug 2 */
    files[to].size++;
    pthread_mutex_unlock(&files[to].lock);
    pthread_mutex_unlock(&files[from].lock);
}

static void *first(void *unused)
{
    transfer(0, 1);
    append(0, 1);
    return NULL;
}

static void *second(void *unused)
{
    transfer(1, 0);
    append(1, 0);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
