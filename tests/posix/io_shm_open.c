/* shm_open: shared memory objects by name
 * text:   as open; unlink removes the name while mappings stay
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

static int *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
    OK(pthread_mutex_lock(&m));
    shared[0]++;
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    char name[64];
    snprintf(name, sizeof name, "/heddle-posix-shm-%d", (int)getpid());
    FAILS(shm_open(name, O_RDWR, 0), ENOENT);
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    TRUE(fd >= 0);
    FAILS(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
    OK(ftruncate(fd, 4096));
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    TRUE(shared != MAP_FAILED);
    OK(shm_unlink(name));
    FAILS(shm_unlink(name), ENOENT);
    pthread_t a = start(user, NULL), b = start(user, NULL);
    join(a);
    join(b);
    pid_t child = fork();
    if (child == 0) {
        shared[0] += 10;
        _exit(0);
    }
    IS(reap(child), 0);
    IS(shared[0], 12);
    return 0;
}
