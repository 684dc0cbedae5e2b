/* Threads work on parts of a mapped file
 * cause:    none: parts do not overlap; main looks after the join and after msync
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *map;

static void *worker(void *arg)
{
    long i = (long)arg;
    memset(map + i * 100, 'a' + (int)i, 100);
    return NULL;
}

int main(void)
{
    char path[] = "/tmp/map-XXXXXX", back[300];
    pthread_t t[3];
    int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, 300))
        return 1;
    map = mmap(NULL, 300, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return 1;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    msync(map, 300, MS_SYNC);
    if (pread(fd, back, 300, 0) != 300)
        return 1;
    unlink(path);
    assert(back[0] == 'a' && back[150] == 'b' && back[299] == 'c');
    return 0;
}
