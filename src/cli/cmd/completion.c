/* completion.c: heddle completion: what a shell needs to complete command lines, made from
 * cmd.def, options.def and the tables of strategies and metrics. docs/cmd/completion.md */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "observe/observe.h"

static const struct command {
    const char *name, *doc;
    u32 bit;
} commands[] = {
#define HD_CMD(ident, name, usage, doc) {name, doc, HD_FOR_##ident},
#include "cli/cmd.def"
#undef HD_CMD
};

static bool has(const struct hd_option_row *r, const struct command *c)
{
    u32 bit = c->bit == HD_FOR_races ? HD_FOR_test : c->bit; /* which it takes the options of */
    return r->commands & bit && !(c->bit & (HD_FOR_cc | HD_FOR_cxx | HD_FOR_help | HD_FOR_version |
                                            HD_FOR_completion));
}

static bool takes_program(const struct command *c)
{
    return c->bit & (HD_FOR_test | HD_FOR_races | HD_FOR_run);
}

/* Words that the option's value can be; "" = they are not known. */
static void values(const struct hd_option_row *r, char *buf, size_t size)
{
    size_t n = 0;
    const struct hd_strategy *s;
    const struct hd_search_method *m;
    *buf = '\0';
    if (!strcmp(r->name, "strategy")) {
        for (u32 i = 0; (s = hd_strategy_at(i)) && n < size; i++)
            n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", s->name);
        for (u32 i = 0; (m = hd_search_at(i)) && n < size; i++)
            n += (size_t)snprintf(buf + n, size - n, " %s", m->name);
    } else if (!strcmp(r->name, "coverage") || !strcmp(r->name, "metric") || !strcmp(r->name, "list")) {
        if (!strcmp(r->name, "coverage"))
            n = (size_t)snprintf(buf, size, "all none auto");
        for (u32 i = 0; i < HD_METRIC_COUNT && n < size; i++)
            n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", hd_metric_name(i));
    } else if (!strcmp(r->name, "until") && !strcmp(r->arg, "WHEN")) {
        snprintf(buf, size, "saturated");
    }
}

static bool is_file(const struct hd_option_row *r) { return r->arg && !strcmp(r->arg, "FILE"); }
static bool is_folder(const struct hd_option_row *r) { return r->arg && !strcmp(r->arg, "DIR"); }

/* The help text on one line, in quotes of the shell: without what would end them. */
static void put_doc(const char *doc)
{
    for (; *doc; doc++)
        if (*doc == '\n')
            putchar(' ');
        else if (!strchr("'[]:\\", *doc))
            putchar(*doc);
}

/* ---- bash -------------------------------------------------------------------------------- */

static void put_bash_values(void)
{
    struct hd_option_row r;
    char words[1024];
    printf("    case \"$prev\" in\n");
    for (u32 i = 0; hd_options_row(i, &r); i++) {
        if (!r.arg)
            continue;
        values(&r, words, sizeof words);
        printf("    --%s", r.name);
        if (r.letter)
            printf(" | -%c", r.letter);
        if (*words)
            printf(") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", words);
        else if (is_file(&r) || is_folder(&r))
            printf(") compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n",
                   is_file(&r) ? 'f' : 'd');
        else
            printf(") return ;;\n");
    }
    printf("    esac\n");
}

static void bash(void)
{
    struct hd_option_row r;
    printf("# bash completion of heddle, made by 'heddle completion bash'\n_heddle()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i options=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (u32 i = 0; i < HD_COUNT(commands); i++)
        printf("%s%s", i ? " " : "", commands[i].name);
    printf("' -- \"$cur\"))\n        return\n    fi\n"
           "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
           "        if [ \"${COMP_WORDS[i]}\" = -- ]; then\n"
           "            compopt -o filenames 2>/dev/null\n"
           "            if [ $((i + 1)) = \"$COMP_CWORD\" ] && [ \"${cur#*/}\" = \"$cur\" ]; then\n"
           "                COMPREPLY=($(compgen -c -- \"$cur\"))\n"
           "            else\n                COMPREPLY=($(compgen -f -- \"$cur\"))\n            fi\n"
           "            return\n        fi\n    done\n");
    put_bash_values();
    printf("    case \"${COMP_WORDS[1]}\" in\n");
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        printf("    %s) options='", commands[i].name);
        for (u32 k = 0; hd_options_row(k, &r); k++)
            if (has(&r, &commands[i]))
                printf("--%s ", r.name);
        printf("%s' ;;\n", takes_program(&commands[i]) ? "--" : "");
    }
    printf("    esac\n"
           "    case \"$cur\" in\n"
           "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
           "    *) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
           "    esac\n}\ncomplete -F _heddle heddle\n");
}

/* ---- zsh --------------------------------------------------------------------------------- */

static void put_zsh_option(const struct hd_option_row *r)
{
    char words[1024];
    values(r, words, sizeof words);
    printf("            '--%s%s[", r->name, r->arg ? "=" : "");
    put_doc(r->doc);
    printf("]");
    if (r->arg && *words)
        printf(":%s:(%s)", r->arg, words);
    else if (r->arg)
        printf(":value:%s", is_file(r) ? "_files" : is_folder(r) ? "_files -/" : "");
    printf("' \\\n");
}

static void zsh(void)
{
    struct hd_option_row r;
    printf("#compdef heddle\n# zsh completion of heddle, made by 'heddle completion zsh'\n"
           "_heddle() {\n    local -a commands\n    commands=(\n");
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        printf("        '%s:", commands[i].name);
        put_doc(commands[i].doc);
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
           "    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
           "    case $command in\n");
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        printf("    %s)\n        _arguments -S \\\n", commands[i].name);
        for (u32 k = 0; hd_options_row(k, &r); k++)
            if (has(&r, &commands[i]))
                put_zsh_option(&r);
        printf("            '%s' ;;\n",
               takes_program(&commands[i]) ? "*::program:_normal" : "*:file:_files");
    }
    printf("    esac\n}\n_heddle \"$@\"\n");
}

/* ---- fish -------------------------------------------------------------------------------- */

static void fish(void)
{
    struct hd_option_row r;
    char words[1024];
    printf("# fish completion of heddle, made by 'heddle completion fish'\n");
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        printf("complete -c heddle -n __fish_use_subcommand -f -a '%s' -d '", commands[i].name);
        put_doc(commands[i].doc);
        printf("'\n");
    }
    for (u32 k = 0; hd_options_row(k, &r); k++) {
        values(&r, words, sizeof words);
        printf("complete -c heddle -n '__fish_seen_subcommand_from");
        for (u32 i = 0; i < HD_COUNT(commands); i++)
            if (has(&r, &commands[i]))
                printf(" %s", commands[i].name);
        printf("' -l %s", r.name);
        if (r.letter)
            printf(" -s %c", r.letter);
        if (r.arg && *words)
            printf(" -x -a '%s'", words);
        else if (r.arg)
            printf(is_file(&r) ? " -r -F" : is_folder(&r) ? " -x -a '(__fish_complete_directories)'" : " -x");
        printf(" -d '");
        put_doc(r.doc);
        printf("'\n");
    }
}

int hd_cmd_completion(char **argv)
{
    static const struct { const char *name; void (*print)(void); } shells[] = {
        {"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    const char *shell = argv[0] ? argv[0] : "";
    if (!strcmp(shell, "-h") || !strcmp(shell, "--help")) {
        hd_cli_help("completion");
        return HD_EXIT_OK;
    }
    for (u32 i = 0; i < HD_COUNT(shells); i++)
        if (!strcmp(shell, shells[i].name)) {
            shells[i].print();
            return HD_EXIT_OK;
        }
    return hd_cli_fail(HD_EXIT_USAGE, "completion is there for bash, zsh and fish: heddle completion "
                       "bash");
}
