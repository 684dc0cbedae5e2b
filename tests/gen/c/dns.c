#include "dns.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    struct record *next;
    char *host, *address;
};

struct dns_cache {
    pthread_mutex_t lock;
    struct record *first;
};

int dns_open(dns_cache **out)
{
    dns_cache *c = calloc(1, sizeof *c);
    if (!c)
        return -1;
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return 0;
}

void dns_close(dns_cache *c)
{
    dns_flush(c);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct record *find(dns_cache *c, const char *host)
{
    struct record *r = c->first;
    while (r && strcmp(r->host, host) != 0)
        r = r->next;
    return r;
}

int dns_add(dns_cache *c, const char *host, const char *address)
{
    if (!host || !address)
        return -1;
    pthread_mutex_lock(&c->lock);
    struct record *r = find(c, host);
    if (!r) {
        r = calloc(1, sizeof *r);
        r->host = strdup(host);
        r->next = c->first;
        c->first = r;
    }
    free(r->address);
    r->address = strdup(address);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

int dns_lookup(dns_cache *c, const char *host, char *buffer, size_t size)
{
    int n = -1;
    if (!host)
        return -1;
    pthread_mutex_lock(&c->lock);
    struct record *r = find(c, host);
#ifndef FIXED
    pthread_mutex_unlock(&c->lock); /* bug */
#endif
    if (r)
        n = snprintf(buffer, size, "%s", r->address);
#ifdef FIXED
    pthread_mutex_unlock(&c->lock);
#endif
    return n;
}

int dns_flush(dns_cache *c)
{
    int n = 0;
    pthread_mutex_lock(&c->lock);
    struct record *r = c->first;
    c->first = NULL;
    while (r) {
        struct record *next = r->next;
        free(r->host);
        free(r->address);
        free(r);
        r = next;
        n++;
    }
    pthread_mutex_unlock(&c->lock);
    return n;
}
