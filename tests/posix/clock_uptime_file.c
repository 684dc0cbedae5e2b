/* /proc/uptime goes on while a thread sleeps, as all clocks do.
 * text:   proc(5): the file has the seconds since the system was started, and those that processors were idle
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

static double told(const char *text)
{
    double up = 0, idle = -1;
    IS(sscanf(text, "%lf %lf", &up, &idle), 2);
    TRUE(idle >= 0);
    return up;
}

static double by_stream(void)
{
    char line[128] = "";
    FILE *f = fopen("/proc/uptime", "r");
    TRUE(f != NULL);
    TRUE(fgets(line, sizeof line, f) != NULL);
    OK(fclose(f));
    return told(line);
}

static double by_descriptor(int fd)
{
    char text[128] = "";
    IS(lseek(fd, 0, SEEK_SET), 0);
    TRUE(read(fd, text, sizeof text - 1) > 0);
    return told(text);
}

static void *sleeps(void *arg)
{
    int fd = open("/proc/uptime", O_RDONLY | O_CLOEXEC);
    TRUE(fd >= 0);
    double stream = by_stream(), descriptor = by_descriptor(fd);
    sleep(2);
    TRUE(by_stream() - stream >= 1.98 && by_stream() - stream < 60);
    TRUE(by_descriptor(fd) - descriptor >= 1.98);
    struct timespec now;
    OK(clock_gettime(CLOCK_BOOTTIME, &now));
    TRUE(by_stream() >= (double)now.tv_sec - 0.02);
    OK(close(fd));
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        t[i] = start(sleeps, NULL);
    for (int i = 0; i < 2; i++)
        join(t[i]);
    return 0;
}
