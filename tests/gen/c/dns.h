/* Addresses of hosts that were looked up before.
 * bug: dns_lookup copies the address out after it has given the lock back: dns_flush has freed it by then.
 * kind: heap */
#ifndef DNS_H
#define DNS_H
#include <stddef.h>

typedef struct dns_cache dns_cache;

/* 0, or -1 if there is no memory. */
int dns_open(dns_cache **out);
void dns_close(dns_cache *cache);
int dns_add(dns_cache *cache, const char *host, const char *address);
/* The address into `buffer`; how long it is, or -1 if it is not known. */
int dns_lookup(dns_cache *cache, const char *host, char *buffer, size_t size);
/* How many there were. */
int dns_flush(dns_cache *cache);
#endif
