/* A frame is shown that mixes three passes
 * cause:    sound, picture and titles are numbered by counters of their own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads in loops: pass 5 of one, 17 of the second and 11 of the third have to meet, then
 *           the next pass of each in the opposite order, and one more of two of them
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PASSES = 20 };
static atomic_int sound, picture, titles, stage, is_mixed;

static void *play_sound(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        sound = i;
        if (i == 5 && picture == 17)
            stage = 1;
        if (i == 6 && stage == 4)
            stage = 5;
        if (i == 7 && stage == 6)
            is_mixed = 1;
    }
    return arg;
}

static void *show_picture(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        picture = i;
        if (i == 18 && stage == 3)
            stage = 4;
    }
    return arg;
}

static void *show_titles(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        titles = i;
        if (i == 11 && stage == 1 && sound == 5)
            stage = 2;
        if (i == 12 && stage == 2 && picture == 17)
            stage = 3;
        if (i == 13 && stage == 5)
            stage = 6;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {play_sound, show_picture, show_titles};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_mixed);
    return 0;
}
