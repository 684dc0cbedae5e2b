/* Data is handed over by a connection over the loopback device
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "threads.h"

static int listener, data, answer;
static struct sockaddr_in address = {.sin_family = AF_INET};

static void *server(void *arg)
{
    char c;
    int fd = accept(listener, NULL, NULL);
    if (fd < 0 || read(fd, &c, 1) != 1)
        abort();
    answer = data * 2;
    if (write(fd, "y", 1) != 1)
        abort();
    close(fd);
    return arg;
}

static void *client(void *arg)
{
    char c;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    data = 21;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) || write(fd, "x", 1) != 1 || read(fd, &c, 1) != 1)
        abort();
    if (answer != 42)
        abort();
    close(fd);
    return arg;
}

int main(void)
{
    socklen_t n = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, n) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&address, &n))
        return 0; /* no network here */
    run_both(server, client);
    close(listener);
    return 0;
}
