/* What printf and scanf do not touch: behind the precision, what did not match, what was skipped
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static char text[8] = "abcdef", word[16] = "xxxxxxxxxxxxxxx";
static int first, second = 5, third = 6, position = 9;
static struct tm day;
static char *no_text;

static void *format(void *arg)
{
    char line[64];
    snprintf(line, sizeof line, "%.3s %.*s", text, 2, text);
    if (strcmp(line, "abc ab"))
        abort();
    if (sscanf("12 x", "%d %d %*d %d %n", &first, &second, &third, &position) != 1)
        abort();
    if (sscanf("abc", "%7s", word) != 1)
        abort();
    snprintf(line, sizeof line, "%s %5.1f %p %2$s", no_text, 1.0, (void *)text);
    time_t far = (time_t)1 << 60;
    if (localtime_r(&far, &day))
        abort();
    return arg;
}

static void *change(void *arg)
{
    text[3] = 'x';
    text[4] = 0;
    second = third = position = 1;
    word[4] = 'y';
    day.tm_mon = 1;
    return arg;
}

int main(void)
{
    run_both(format, change);
    return first != 12 || second != 1 || word[4] != 'y';
}
