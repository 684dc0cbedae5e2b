/* main.c: all unit tests in one program (../CMakeLists.txt). Which of them runs is the name it is
 * started by; the main functions have other names here. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name##_main(void);
#include "unit_list.def"
#undef TEST

static const struct {
    const char *name;
    int (*main)(void);
} tests[] = {
#define TEST(name) {#name, name##_main},
#include "unit_list.def"
#undef TEST
};

int main(int argc, char **argv)
{
    const char *slash = argc ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argv[0];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(tests[i].name, name))
            return tests[i].main();
    fprintf(stderr, "%s is not the name of a test: start it by one of the links to it\n", name);
    return 64;
}
