/* Streams on pipes: reading waits for the other thread
 * text:   fgets, fscanf, getc and fread block until there is data or the end
 * expect: exit 0
 */
#include "check.h"

static int p[2];

static void *writer(void *arg)
{
    FILE *f = fdopen(p[1], "w");
    TRUE(f != NULL);
    fprintf(f, "line one\n42 ");
    OK(fflush(f));
    fprintf(f, "xyz");
    OK(fclose(f));
    return NULL;
}

int main(void)
{
    char line[32], rest[8] = "";
    int v = 0;
    OK(pipe(p));
    FILE *f = fdopen(p[0], "r");
    pthread_t t = start(writer, NULL);
    TRUE(fgets(line, sizeof line, f) != NULL);
    OK(strcmp(line, "line one\n"));
    IS(fscanf(f, "%d ", &v), 1);
    IS(v, 42);
    IS(getc(f), 'x');
    IS(fread(rest, 1, 8, f), 2);
    OK(strcmp(rest, "yz"));
    IS(fgetc(f), EOF);
    TRUE(feof(f));
    join(t);
    OK(fclose(f));
    return 0;
}
