/* A server on a socket of the abstract name space, a thread per connection, SCM_RIGHTS
 * cause:    none: descriptors go through a socket
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static struct sockaddr_un addr;
static socklen_t alen;
static void *serve(void *arg)
{
    int s = (int)(long)arg, fds[2];
    assert(!pipe(fds));
    assert(write(fds[1], "hi", 2) == 2);
    char c = 'x', ctl[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec io = {&c, 1};
    struct msghdr mh = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = ctl, .msg_controllen = sizeof ctl};
    struct cmsghdr *cm = CMSG_FIRSTHDR(&mh);
    cm->cmsg_level = SOL_SOCKET;
    cm->cmsg_type = SCM_RIGHTS;
    cm->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(cm), &fds[0], sizeof(int));
    assert(sendmsg(s, &mh, 0) == 1);
    close(fds[0]);
    close(fds[1]);
    close(s);
    return NULL;
}
static void *client(void *arg)
{
    int s = socket(AF_UNIX, SOCK_STREAM, 0), fd;
    assert(!connect(s, (struct sockaddr *)&addr, alen));
    char c, ctl[CMSG_SPACE(sizeof(int))], buf[4] = "";
    struct iovec io = {&c, 1};
    struct msghdr mh = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = ctl, .msg_controllen = sizeof ctl};
    assert(recvmsg(s, &mh, 0) == 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&mh)), sizeof fd);
    assert(read(fd, buf, 3) == 2 && !strcmp(buf, "hi"));
    close(fd);
    close(s);
    return arg;
}
int main(void)
{
    addr.sun_family = AF_UNIX;
    int n = snprintf(addr.sun_path + 1, 60, "hunt%d", (int)getpid());
    alen = (socklen_t)(sizeof(sa_family_t) + 1 + n);
    int l = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(!bind(l, (struct sockaddr *)&addr, alen) && !listen(l, 4));
    pthread_t c[2], s[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&c[i], NULL, client, NULL);
    for (int i = 0; i < 2; i++) {
        long fd = accept4(l, NULL, NULL, SOCK_CLOEXEC);
        pthread_create(&s[i], NULL, serve, (void *)fd);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(c[i], NULL);
        pthread_join(s[i], NULL);
    }
    close(l);
    return 0;
}
