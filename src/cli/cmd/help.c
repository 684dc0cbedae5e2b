/* help.c: texts made from cmd.def, options.def and strategy.def. */
#include <string.h>

#include "cli/cli.h"

static const struct { const char *name, *usage, *doc; u32 mask; } commands[] = {
#define HD_CMD(ident, name, usage, doc) {name, usage, doc, HD_FOR_##ident},
#include "cli/cmd.def"
#undef HD_CMD
};

#define HELP_COLUMN 31
#define HELP_WIDTH 80

void hd_options_help_row(const char *left, const char *doc)
{
    int at = printf("  %-*s", HELP_COLUMN - 3, left);
    if (at >= HELP_COLUMN)
        at = printf("\n%*s", HELP_COLUMN - 1, "") - 1;
    while (*doc) {
        int n = (int)strcspn(doc, " \n");
        if (at + 1 + n > HELP_WIDTH)
            at = printf("\n%*s", HELP_COLUMN - 1, "") - 1;
        at += printf(" %.*s", n, doc);
        doc += n;
        doc += strspn(doc, " \n");
    }
    putchar('\n');
}

void hd_options_help(u32 command)
{
    bool has_any = false;
    struct hd_option_row r;
    for (u32 i = 0; hd_options_row(i, &r); i++) {
        char left[64], letter[5] = "    ";
        if (!(r.commands & command))
            continue;
        if (!has_any)
            printf("\nOptions:\n");
        has_any = true;
        if (r.letter)
            snprintf(letter, sizeof letter, "-%c, ", r.letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, r.name, r.arg ? " " : "",
                 r.arg ? r.arg : "");
        hd_options_help_row(left, r.doc);
    }
    if (has_any)
        printf("HEDDLE_OPTIONS holds options for every call, separated by blanks.\n");
}

static void print_strategies(void)
{
    const struct hd_strategy *s;
    printf("\nStrategies:\n");
    for (u32 i = 0; (s = hd_strategy_at(i)); i++) {
        char left[48], number[32] = "";
        if (s->param_name)
            snprintf(number, sizeof number, "=%s (%llu)", s->param_name,
                     (unsigned long long)s->param_default);
        snprintf(left, sizeof left, "%s%s", s->name, number);
        hd_options_help_row(left, s->doc);
    }
}

static void print_searches(void)
{
    const struct hd_search_method *s;
    printf("\nSearches over runs, named like strategies:\n");
    for (u32 i = 0; (s = hd_search_at(i)); i++) {
        char left[48], number[32] = "";
        if (s->param_name && s->param_default == HD_NO_BOUND)
            snprintf(number, sizeof number, "=%s (any)", s->param_name);
        else if (s->param_name)
            snprintf(number, sizeof number, "=%s (%llu)", s->param_name,
                     (unsigned long long)s->param_default);
        snprintf(left, sizeof left, "%s%s", s->name, number);
        hd_options_help_row(left, s->doc);
    }
}

static void print_list(void)
{
    printf("Heddle " HD_VERSION ": drives the threads of a program built with "
           "-fsanitize=thread\nthrough interleavings that were never tested, and replays every "
           "failure.\n\n"
           "Usage: heddle COMMAND ...\n\nCommands:\n");
    for (u32 i = 0; i < HD_COUNT(commands); i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].doc);
    printf("\n'heddle help COMMAND' lists a command's options. Begin with:\n"
           "  gcc -g -fsanitize=thread prog.c -o prog && heddle test -- ./prog\n"
           "Exit codes: 0 nothing found, 66 finding, 98 inconclusive, 99 Heddle failed,\n64 usage.\n");
}

void hd_cli_help(const char *name)
{
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        if (strcmp(commands[i].name, name))
            continue;
        printf("Usage: heddle %s %s\n%s\n", name, commands[i].usage, commands[i].doc);
        bool is_races = commands[i].mask == HD_FOR_races; /* a campaign as any other */
        u32 mask = is_races ? HD_FOR_test : commands[i].mask;
        hd_options_help(mask);
        if (mask & (HD_FOR_test | HD_FOR_run))
            print_strategies();
        if (mask & HD_FOR_test)
            print_searches();
    }
}

int hd_cli_unknown(const char *name)
{
    const char *names[HD_COUNT(commands)];
    for (u32 i = 0; i < HD_COUNT(commands); i++)
        names[i] = commands[i].name;
    const char *near = hd_suggest(name, names, HD_COUNT(names));
    if (near)
        return hd_cli_fail(HD_EXIT_USAGE, "unknown command '%s': did you mean '%s'?", name, near);
    return hd_cli_fail(HD_EXIT_USAGE, "unknown command '%s': 'heddle help' lists them", name);
}

int hd_cmd_help(char **argv)
{
    if (!argv[0]) {
        print_list();
        return HD_EXIT_OK;
    }
    for (u32 i = 0; i < HD_COUNT(commands); i++)
        if (!strcmp(argv[0], commands[i].name)) {
            hd_cli_help(argv[0]);
            return HD_EXIT_OK;
        }
    return hd_cli_unknown(argv[0]);
}
