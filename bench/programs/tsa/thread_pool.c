/* thread_pool.c [THREADS [TASKS]]: a pool of THREADS (3) workers with a queue of tasks;
 * main and one of the tasks hand in TASKS (10), wait for some of them, and close the
 * pool. For synchronization pairs (TSA): fifteen places that lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TASKS = 128, MAX_THREADS = 16 };

struct task {
    pthread_mutex_t m;
    pthread_cond_t is_over;
    int input, result, is_done;
};
static struct task task[MAX_TASKS];
static pthread_mutex_t queue_m = PTHREAD_MUTEX_INITIALIZER, stats_m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER, is_idle = PTHREAD_COND_INITIALIZER;
static int next, submitted, running, is_closed, done, busiest, threads = 3, tasks = 10;

static struct task *submit(int input)
{
    pthread_mutex_lock(&queue_m);
    struct task *t = &task[submitted++];
    t->input = input;
    pthread_cond_signal(&has_work);
    pthread_mutex_unlock(&queue_m);
    return t;
}

static struct task *take(void)
{
    struct task *t = NULL;
    pthread_mutex_lock(&queue_m);
    while (next == submitted && !is_closed)
        pthread_cond_wait(&has_work, &queue_m);
    if (next < submitted) {
        t = &task[next++];
        running++;
    }
    pthread_mutex_unlock(&queue_m);
    return t;
}

static void note_start(void)
{
    pthread_mutex_lock(&stats_m);
    busiest++;
    pthread_mutex_unlock(&stats_m);
}

static void note_end(void)
{
    pthread_mutex_lock(&stats_m);
    done++;
    pthread_mutex_unlock(&stats_m);
}

static void leave(void)
{
    pthread_mutex_lock(&queue_m);
    if (!--running && next == submitted)
        pthread_cond_broadcast(&is_idle);
    pthread_mutex_unlock(&queue_m);
}

static void fulfil(struct task *t, int result)
{
    pthread_mutex_lock(&t->m);
    t->result = result;
    t->is_done = 1;
    pthread_cond_broadcast(&t->is_over);
    pthread_mutex_unlock(&t->m);
}

static int result_of(struct task *t)
{
    pthread_mutex_lock(&t->m);
    while (!t->is_done)
        pthread_cond_wait(&t->is_over, &t->m);
    int result = t->result;
    pthread_mutex_unlock(&t->m);
    return result;
}

static int is_done(struct task *t)
{
    pthread_mutex_lock(&t->m);
    int yes = t->is_done;
    pthread_mutex_unlock(&t->m);
    return yes;
}

static int waiting_now(void)
{
    pthread_mutex_lock(&queue_m);
    int n = submitted - next;
    pthread_mutex_unlock(&queue_m);
    return n;
}

static int done_now(void)
{
    pthread_mutex_lock(&stats_m);
    int n = done;
    pthread_mutex_unlock(&stats_m);
    return n;
}

static void drain(void)
{
    pthread_mutex_lock(&queue_m);
    while (running || next < submitted)
        pthread_cond_wait(&is_idle, &queue_m);
    pthread_mutex_unlock(&queue_m);
}

static void close_pool(void)
{
    pthread_mutex_lock(&queue_m);
    is_closed = 1;
    pthread_cond_broadcast(&has_work);
    pthread_mutex_unlock(&queue_m);
}

static void *worker(void *arg)
{
    struct task *t;
    while ((t = take())) {
        note_start();
        if (t->input == 2)
            submit(100); /* a task that hands in another */
        else if (t->input % 3 == 0)
            waiting_now();
        fulfil(t, t->input * t->input);
        note_end();
        leave();
    }
    return arg;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        tasks = atoi(argv[2]);
    if (threads < 1 || threads > MAX_THREADS || tasks < 3 || tasks > MAX_TASKS - 1)
        return 64;
    for (int i = 0; i < MAX_TASKS; i++) {
        pthread_mutex_init(&task[i].m, NULL);
        pthread_cond_init(&task[i].is_over, NULL);
    }
    pthread_t t[MAX_THREADS];
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    int is_right = 1;
    for (int i = 0; i < tasks; i++) {
        struct task *s = submit(i);
        if (i % 4 == 1)
            is_right &= result_of(s) == i * i;
        else if (i % 4 == 2)
            is_done(s);
        else if (i % 4 == 3)
            done_now();
    }
    drain();
    close_pool();
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    is_right &= done == tasks + 1 && busiest == done;
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
