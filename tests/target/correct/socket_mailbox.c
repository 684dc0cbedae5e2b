/* Threads as actors with socket pairs for mailboxes
 * cause:    none: each message is a datagram; only its reader owns the state
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int box[2];

static void *sender(void *arg)
{
    for (int i = 1; i <= 3; i++)
        if (send(box[1], &i, sizeof i, 0) != sizeof i)
            return NULL;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int sum = 0, v;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, box))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sender, &box);
    for (int i = 0; i < 6; i++) {
        if (recv(box[0], &v, sizeof v, 0) != sizeof v)
            return 2;
        sum += v;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 12);
    return 0;
}
