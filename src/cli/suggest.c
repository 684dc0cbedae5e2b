/* suggest.c: "did you mean ...?": the candidate with the smallest edit distance
 * (insert, delete, change, swap of neighbours), if it is small enough. */
#include <string.h>

#include "cli/options.h"

#define MAX_WORD 63

static u32 distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    u8 d[MAX_WORD + 1][MAX_WORD + 1];
    if (n > MAX_WORD || m > MAX_WORD)
        return MAX_WORD;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (!i || !j) {
                d[i][j] = (u8)(i + j);
                continue;
            }
            u8 best = (u8)(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            best = HD_MIN(best, (u8)(d[i - 1][j] + 1));
            best = HD_MIN(best, (u8)(d[i][j - 1] + 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = HD_MIN(best, (u8)(d[i - 2][j - 2] + 1));
            d[i][j] = best;
        }
    return d[n][m];
}

const char *hd_suggest(const char *word, const char *const *candidates, u32 n)
{
    const char *best = NULL;
    /* One slip in three letters is a typing error, more is another word. */
    u32 limit = HD_MIN((u32)strlen(word) / 3 + 1, 4u);
    for (u32 i = 0; i < n; i++) {
        u32 d = distance(word, candidates[i]);
        bool is_begun = strlen(word) >= 3 && !strncmp(word, candidates[i], strlen(word));
        if (is_begun)
            d = 1;
        if (d <= limit) {
            best = candidates[i];
            limit = d ? d - 1 : 0;
            if (!d)
                break;
        }
    }
    return best;
}
