/* Wide string functions: results by the standard
 * text:   as the functions of bytes
 * expect: exit 0
 */
#include "check.h"
#include <wchar.h>

static const wchar_t *volatile source = L"wide text";

int main(void)
{
    const wchar_t *s = source;
    wchar_t buf[32];
    IS(wcslen(s), 9);
    IS(wcsnlen(s, 4), 4);
    OK(wcscmp(wcscpy(buf, s), s));
    TRUE(wcscmp(L"a", L"b") < 0 && wcsncmp(L"ab", L"ac", 1) == 0);
    wmemset(buf, L'x', 32);
    wcsncpy(buf, L"ab", 4);
    TRUE(buf[2] == 0 && buf[3] == 0 && buf[4] == L'x');
    TRUE(wcschr(s, L't') == s + 5 && wcsrchr(s, L't') == s + 8 && wcsstr(s, L"text") == s + 5);
    TRUE(wmemcpy(buf, s, 9) == buf && wmemcmp(buf, s, 9) == 0);
    TRUE(wmemmove(buf + 1, buf, 8) == buf + 1 && buf[1] == L'w');
    TRUE(wmemchr(s, L'x', 9) == s + 7);
    OK(wcscmp(wcscat(wcscpy(buf, L"a"), L"b"), L"ab"));
    return 0;
}
