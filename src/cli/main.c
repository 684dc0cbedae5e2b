/* main.c: find the command and call it. */
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "campaign/trust.h"
#include "process/interrupt.h"
#include "process/inherit.h"
#include "cli/cli.h"

static const struct {
    const char *name;
    int (*run)(char **argv);
} commands[] = {
#define HD_CMD(ident, name, usage, doc) {name, hd_cmd_##ident},
#include "cli/cmd.def"
#undef HD_CMD
};

/* Tables that grow move by mremap and go back to the system when they are freed: left to itself
 * libc raises the limit with the first large block that is freed, and keeps the holes. */
#define MMAP_FROM (128 << 10)

static void on_bug(const char *file, int line, const char *text)
{
    fprintf(stderr, "heddle: internal error: %s:%d %s\n", file, line, text);
}

/* With one of 0..2 closed, a pipe of ours would take its number, and what is
 * printed would go there. */
static void fill_standard_fds(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    hd_bug_hook = on_bug;
    mallopt(M_MMAP_THRESHOLD, MMAP_FROM);
    fill_standard_fds();
    hd_inherit_note();
    hd_trust_init();
    hd_inherit_make_room();
    hd_signals_ignore();
    if (argc < 2) {
        hd_cmd_help(argv + argc);
        return HD_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        name = "version";
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, HD_GDB_TARGET))
        return hd_gdb_target(argv + 2);
    for (u32 i = 0; i < HD_COUNT(commands); i++)
        if (!strcmp(name, commands[i].name)) {
            int code = commands[i].run(argv + 2);
            if (fflush(stdout) && code == HD_EXIT_OK)
                return hd_cli_fail(HD_EXIT_FAILED, "cannot write to standard output");
            return code;
        }
    return hd_cli_unknown(name);
}
