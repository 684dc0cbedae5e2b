/* fuzz_suppress.c: files of suppressions, and their patterns on texts. */
#include "fuzz/fuzz.h"

#include "report/suppress.h"

static struct fuzz_file file;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const texts[] = {"", "queue_take", "ns::Queue<int>::take(int)", "/usr/lib/liba.so",
                                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"};
    struct hd_suppressions s = {0};
    struct hd_error err;
    char line[256];
    if (!hd_suppress_load(&s, fuzz_file(&file, data, n), &err))
        for (size_t i = 0; i < s.v.n; i++) {
            hd_suppress_text(&s.v.at[i], line, sizeof line);
            for (size_t k = 0; k < HD_COUNT(texts); k++)
                hd_suppress_matches(s.v.at[i].pattern, texts[k]);
        }
    hd_suppress_release(&s);
    return 0;
}
