/* Opens of a FIFO that wait for each other: threads of one process, a child, streams
 * cause:    none: every open has a partner, or is not to wait
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     60, each waits for a real child
 * races:    none
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #x), abort()))

static char dir[] = "/tmp/fifo_open_XXXXXX", path[64];

static void *writer(void *arg)
{
    int fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && !(fcntl(fd, F_GETFL) & O_NONBLOCK));
    CHECK(write(fd, "hello", 5) == 5);
    close(fd);
    return arg;
}

static void *stream_writer(void *arg)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs("hello", f) >= 0);
    fclose(f);
    return arg;
}

static void *waits_for_ever(void *arg)
{
    close(open(path, O_RDONLY));
    CHECK(0);
    return arg;
}

static void read_all(void)
{
    char text[6] = {0};
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && !(fcntl(fd, F_GETFL) & O_NONBLOCK));
    CHECK(read(fd, text, 5) == 5 && !strcmp(text, "hello"));
    CHECK(read(fd, text, 5) == 0);
    close(fd);
}

int main(void)
{
    pthread_t t;
    void *end;
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/fifo", dir);
    CHECK(!mkfifo(path, 0600));
    CHECK(open(path, O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO);

    pthread_create(&t, NULL, writer, NULL);
    read_all();
    pthread_join(t, NULL);
    pthread_create(&t, NULL, stream_writer, NULL);
    read_all();
    pthread_join(t, NULL);

    pthread_create(&t, NULL, writer, NULL);
    FILE *f = fopen(path, "r");
    char text[8];
    CHECK(f && fgets(text, sizeof text, f) && !strcmp(text, "hello"));
    fclose(f);
    pthread_join(t, NULL);

    pthread_create(&t, NULL, waits_for_ever, NULL);
    pthread_cancel(t);
    pthread_join(t, &end);
    CHECK(end == PTHREAD_CANCELED);

    pid_t pid = fork();
    if (pid == 0) {
        writer(NULL);
        _exit(0);
    }
    read_all();
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && !status);
    CHECK(open(path, O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO);
    int both = open(path, O_RDWR), fd = open(path, O_WRONLY);
    CHECK(both >= 0 && fd >= 0);
    unlink(path);
    rmdir(dir);
    return 0;
}
