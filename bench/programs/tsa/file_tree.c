/* file_tree.c [THREADS [OPS]]: folders with files in memory, a lock per folder, one for
 * the space left, one for the journal. THREADS (3) do OPS (16) operations each, drawn by
 * the thread's own number. For synchronization pairs (TSA): fifteen places that lock.
 * Order of locks: parent before child, else smaller number first; then space, journal. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FOLDERS = 4, FILES = 5, SPACE = 24, MAX_THREADS = 16 };

/* Folder 0 is the root, the others are in it. */
static struct folder {
    pthread_mutex_t m;
    int size[FILES]; /* -1: no such file */
} folder[FOLDERS];
static pthread_mutex_t space_m = PTHREAD_MUTEX_INITIALIZER, journal_m = PTHREAD_MUTEX_INITIALIZER;
static int space = SPACE, journal, changes, threads = 3, ops = 16;

static void note_change(void)
{
    pthread_mutex_lock(&journal_m);
    journal++;
    pthread_mutex_unlock(&journal_m);
}

static int reserve(int n)
{
    pthread_mutex_lock(&space_m);
    int is_there = space >= n;
    if (is_there)
        space -= n;
    pthread_mutex_unlock(&space_m);
    return is_there;
}

static void release(int n)
{
    pthread_mutex_lock(&space_m);
    space += n;
    pthread_mutex_unlock(&space_m);
}

static int create(struct folder *d, int f)
{
    pthread_mutex_lock(&d->m);
    int is_new = d->size[f] < 0;
    if (is_new) {
        d->size[f] = 0;
        note_change();
    }
    pthread_mutex_unlock(&d->m);
    return is_new;
}

static int extend(struct folder *d, int f)
{
    pthread_mutex_lock(&d->m);
    int is_done = d->size[f] >= 0 && reserve(1);
    if (is_done) {
        d->size[f]++;
        note_change();
    }
    pthread_mutex_unlock(&d->m);
    return is_done;
}

static int take_out(struct folder *d, int f)
{
    pthread_mutex_lock(&d->m);
    int size = d->size[f];
    d->size[f] = -1;
    if (size > 0)
        release(size);
    if (size >= 0)
        note_change();
    pthread_mutex_unlock(&d->m);
    return size >= 0;
}

static int move(struct folder *from, struct folder *to, int f)
{
    struct folder *low = from < to ? from : to, *high = from < to ? to : from;
    if (low == high)
        return 0;
    pthread_mutex_lock(&low->m);
    pthread_mutex_lock(&high->m);
    int is_done = from->size[f] >= 0 && to->size[f] < 0;
    if (is_done) {
        to->size[f] = from->size[f];
        from->size[f] = -1;
        note_change();
    }
    pthread_mutex_unlock(&high->m);
    pthread_mutex_unlock(&low->m);
    return is_done;
}

static int look_up(struct folder *d, int f)
{
    pthread_mutex_lock(&d->m);
    int size = d->size[f];
    pthread_mutex_unlock(&d->m);
    return size;
}

static int used_in(struct folder *d)
{
    int sum = 0;
    for (int f = 0; f < FILES; f++)
        sum += d->size[f] > 0 ? d->size[f] : 0;
    return sum;
}

/* From the root: all folders are locked, so that the sum is of one moment. */
static int used_in_all(void)
{
    int sum = 0;
    pthread_mutex_lock(&folder[0].m);
    for (int i = 1; i < FOLDERS; i++)
        pthread_mutex_lock(&folder[i].m);
    for (int i = 0; i < FOLDERS; i++)
        sum += used_in(&folder[i]);
    pthread_mutex_lock(&space_m);
    int is_right = sum + space == SPACE;
    pthread_mutex_unlock(&space_m);
    for (int i = FOLDERS; i--;)
        pthread_mutex_unlock(&folder[i].m);
    return is_right;
}

static int space_now(void)
{
    pthread_mutex_lock(&space_m);
    int n = space;
    pthread_mutex_unlock(&space_m);
    return n;
}

static int journal_now(void)
{
    pthread_mutex_lock(&journal_m);
    int n = journal;
    pthread_mutex_unlock(&journal_m);
    return n;
}

static void *work(void *arg)
{
    unsigned draw = (unsigned)(long)arg * 2654435761u + 41;
    int is_right = 1, changed = 0;
    for (int i = 0; i < ops; i++) {
        draw = draw * 1664525u + 1013904223u;
        struct folder *d = &folder[(draw >> 16) % FOLDERS], *e = &folder[(draw >> 24) % FOLDERS];
        int f = (int)(draw >> 12) % FILES;
        switch (draw >> 8 & 7) {
        case 0:
        case 1: changed += create(d, f); break;
        case 2: changed += extend(d, f); break;
        case 3: changed += take_out(d, f); break;
        case 4: changed += move(d, e, f); break;
        case 5: is_right &= used_in_all(); break;
        case 6: look_up(d, f); break;
        default: is_right &= i & 1 ? space_now() >= 0 : journal_now() >= 0; break;
        }
    }
    pthread_mutex_lock(&journal_m);
    changes += changed;
    pthread_mutex_unlock(&journal_m);
    return (void *)(long)!is_right;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        ops = atoi(argv[2]);
    if (threads < 1 || threads > MAX_THREADS)
        return 64;
    for (int i = 0; i < FOLDERS; i++) {
        pthread_mutex_init(&folder[i].m, NULL);
        for (int f = 0; f < FILES; f++)
            folder[i].size[f] = -1;
    }
    pthread_t t[MAX_THREADS];
    int is_right = 1;
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++) {
        void *is_wrong;
        pthread_join(t[i], &is_wrong);
        is_right &= !is_wrong;
    }
    is_right &= used_in_all() && changes == journal;
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
