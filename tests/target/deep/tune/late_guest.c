/* A guest is let in with a pass that was for the course before last
 * cause:    the pass is made out by a course that is over, at one turn of the kitchen
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads in loops; six courses are served within turn 7 of one, and round 5 of a third
 *           meets the turn after it two courses later
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { COURSES = 30, TURNS = 12, ROUNDS = 10 };
static atomic_int course, pass, issued, is_in;

static void *kitchen(void *arg)
{
    for (int i = 1; i <= COURSES; i++)
        course = i;
    return arg;
}

static void *door(void *arg)
{
    for (int i = 1; i <= TURNS; i++) {
        int c = course;
        pass = 2 * c;
        if (i == 7 && course == c + 6)
            issued = c;
        pass = 1;
    }
    return arg;
}

static void *guest(void *arg)
{
    for (int i = 1; i <= ROUNDS; i++) {
        int mine = pass, from = issued;
        if (i == 5 && from && course == from + 9 && mine == 2 * (from + 7))
            is_in = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {kitchen, door, guest};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_in);
    return 0;
}
