/* fuzz_script.c: test.toml of scripted tests, and the names in their texts. */
#include "fuzz/fuzz.h"

#include "script/script.h"

static struct fuzz_file file;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct hd_script_file s;
    struct hd_error err;
    int e = hd_script_load(&s, fuzz_file(&file, data, n), "/tmp", &err);
    for (size_t i = 0; !e && i < s.input.n; i++) {
        FUZZ_EXPECT(s.input.at[i].argv.n > 0);
        hd_script_longest_ms(&s.input.at[i]);
        FUZZ_EXPECT(hd_script_find(&s, s.input.at[i].name));
    }
    hd_script_release(&s);
    char *text = fuzz_text(data, n);
    struct hd_script_vars v = {.port = 1, .has_run = true, .tmp = "/tmp/x y", .input = "a'b"};
    for (int is_shell = 0; is_shell < 2; is_shell++)
        free(hd_script_expand(text, &v, is_shell, &err));
    free(text);
    return 0;
}
