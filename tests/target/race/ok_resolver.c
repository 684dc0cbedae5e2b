/* Names are looked up in threads, and numbers turned into texts
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <netdb.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "threads.h"

static char day[2][64];

static void *user(void *arg)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;
    char host[64], text[64];
    int i = arg ? 1 : 0;
    if (getaddrinfo("127.0.0.1", "80", &hints, &found))
        abort();
    if (getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST) || strcmp(host, "127.0.0.1"))
        abort();
    freeaddrinfo(found);
    time_t t = 86400 * (i + 1);
    struct tm now;
    localtime_r(&t, &now);
    strftime(day[i], sizeof day[i], "%c", &now);
    strerror_r(4444 + i, text, sizeof text);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return !strcmp(day[0], day[1]);
}
