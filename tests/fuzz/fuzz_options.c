/* fuzz_options.c: command lines and HEDDLE_OPTIONS. The first byte chooses the command, the first
 * line is the variable, each further line a word. */
#include "fuzz/fuzz.h"

#include "cli/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *argv[66], *save = NULL;
    int argc = 0;
    struct hd_options o;
    struct hd_error err;
    struct hd_config cfg;
    if (!n)
        return 0;
    u32 command = 1u << data[0] % 16; /* any command of cmd.def */
    char *text = fuzz_text(data + 1, n - 1), *rest = strchr(text, '\n');
    if (rest)
        *rest++ = '\0';
    setenv("HEDDLE_OPTIONS", text, 1);
    for (char *w = rest ? strtok_r(rest, "\n", &save) : NULL; w && argc < 65; w = strtok_r(NULL, "\n", &save))
        argv[argc++] = w;
    argv[argc] = NULL;
    if (!hd_options_parse(&o, command, argv, &err)) {
        FUZZ_EXPECT(o.n_rest <= argc && o.strategy);
        hd_options_config(&o, &cfg);
        hd_options_strategy(&o);
        hd_options_is_driven(&o);
    }
    hd_options_release(&o);
    free(text);
    return 0;
}
