/* main_beside: main does something between create and join
 * pairs: a+m
 */
#include "cfp.h"
WORK(a)
WORK(m)
WORK(before)
WORK(after)
THREAD(one, a();)
int main(void)
{
    before();
    pthread_create(&thread_of[0], 0, one, 0);
    m();
    pthread_join(thread_of[0], 0);
    after();
    return 0;
}
