/* Two numbers formatted into one buffer
 * cause:    function with a static result buffer called by two threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>

static __attribute__((noinline)) const volatile char *format(int n)
{
    static volatile char text[3];
    text[0] = '0' + n / 10;
    text[1] = '0' + n % 10; /* A */
    return text;
}

static void *printer(void *arg)
{
    int n = (int)(long)arg;
    const volatile char *text = format(n);
    assert(text[1] == '0' + n % 10); /* B */
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, printer, (void *)17);
    pthread_create(&b, NULL, printer, (void *)23);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
