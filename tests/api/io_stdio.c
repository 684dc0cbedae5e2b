/* stdio on pipes that another thread fills: lines, characters, blocks, scanf. */
#include "check.h"

#include <unistd.h>

static int fd[2];

static void *feed(void *arg)
{
    static const char *const text[] = {"first line\n", "second\n", "c", "0123456789", "17 18\n"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        IS(write(fd[1], text[i], strlen(text[i])), strlen(text[i]));
    IS(close(fd[1]), 0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    char line[32], *grown = NULL;
    size_t size = 0;
    int a, b;
    IS(pipe(fd), 0);
    FILE *f = fdopen(fd[0], "r");
    CHECK(f);
    IS(pthread_create(&t, NULL, feed, NULL), 0);
    CHECK(fgets(line, sizeof line, f) == line && !strcmp(line, "first line\n"));
    IS(getline(&grown, &size, f), 7);
    CHECK(!strcmp(grown, "second\n"));
    IS(getc(f), 'c');
    IS(fread(line, 1, 10, f), 10);
    CHECK(!memcmp(line, "0123456789", 10));
    IS(fscanf(f, "%d %d", &a, &b), 2);
    CHECK(a == 17 && b == 18);
    IS(fgetc(f), '\n');
    IS(fgetc(f), EOF);
    IS(pthread_join(t, NULL), 0);
    free(grown);
    fclose(f);
    return 0;
}
