/* The time since start-up goes on while a thread sleeps, as all clocks do.
 * text:   times returns the elapsed real time; sysinfo the seconds since the system was started
 * expect: exit 0
 */
#include "check.h"
#include <sys/sysinfo.h>
#include <sys/times.h>

static void *sleeps(void *arg)
{
    struct sysinfo before, after;
    struct tms unused;
    clock_t ticks = times(&unused);
    OK(sysinfo(&before));
    sleep(2);
    OK(sysinfo(&after));
    TRUE(after.uptime >= before.uptime + 1);
    TRUE(after.uptime <= before.uptime + 60);
    TRUE(after.totalram > 0);
    TRUE(times(&unused) - ticks >= sysconf(_SC_CLK_TCK));
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        OK(pthread_create(&t[i], NULL, sleeps, NULL));
    for (int i = 0; i < 2; i++)
        OK(pthread_join(t[i], NULL));
    return 0;
}
