#include "journal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 16, BYTES = 24 };

struct journal {
    pthread_mutex_t writers;
    atomic_int length;
    struct {
        size_t size;
        char data[BYTES];
    } record[RECORDS];
};

int journal_open(struct journal **out)
{
    struct journal *j = calloc(1, sizeof *j);
    pthread_mutex_init(&j->writers, NULL);
    *out = j;
    return 0;
}

void journal_close(struct journal *j)
{
    pthread_mutex_destroy(&j->writers);
    free(j);
}

int journal_append(struct journal *j, const void *data, size_t size)
{
    size_t n = size < BYTES ? size : BYTES;
    pthread_mutex_lock(&j->writers);
    int at = atomic_load(&j->length);
    if (at == RECORDS) {
        pthread_mutex_unlock(&j->writers);
        return -1;
    }
#ifndef FIXED
    atomic_store(&j->length, at + 1); /* bug */
#endif
    memcpy(j->record[at].data, data, n);
    j->record[at].size = n;
#ifdef FIXED
    atomic_store(&j->length, at + 1);
#endif
    pthread_mutex_unlock(&j->writers);
    return at;
}

int journal_read(struct journal *j, int number, char *buf, size_t size)
{
    if (number < 0 || number >= atomic_load(&j->length))
        return -1;
    size_t n = j->record[number].size < size ? j->record[number].size : size;
    memcpy(buf, j->record[number].data, n);
    return (int)n;
}

int journal_length(const struct journal *j) { return atomic_load(&j->length); }
