/* nested: a thread made by a thread
 * pairs: b+y
 */
#include "cfp.h"
WORK(x)
WORK(y)
WORK(z)
WORK(b)
THREAD(two, b();)
THREAD(one, x(); pthread_create(&thread_of[1], 0, two, 0); y(); pthread_join(thread_of[1], 0); z();)
int main(void)
{
    pthread_create(&thread_of[0], 0, one, 0);
    pthread_join(thread_of[0], 0);
    return 0;
}
