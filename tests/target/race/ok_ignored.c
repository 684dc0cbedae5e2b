/* Accesses that the program asks not to be looked at
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static int hits;

static void *writer(void *arg)
{
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    hits = 1;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return arg;
}

static void *reader(void *arg)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    int seen = hits;
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    return seen > 1 ? arg : NULL;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
