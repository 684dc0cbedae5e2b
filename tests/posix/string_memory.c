/* memcpy, memmove, memset, memcmp and search: results at every length and overlap
 * text:   memmove copies as if through another buffer; memcmp compares unsigned bytes
 * expect: exit 0
 */
#include "check.h"

static void *user(void *arg)
{
    char a[300], b[300];
    volatile size_t n;
    for (n = 0; n < 290; n += 1 + n / 8) {
        for (int i = 0; i < 300; i++)
            a[i] = (char)(i * 31);
        TRUE(memcpy(b, a, n) == b);
        OK(memcmp(a, b, n));
        TRUE(memmove(a + 5, a, n) == a + 5);
        OK(memcmp(a + 5, b, n));
        TRUE(memmove(a, a + 5, n) == a);
        OK(memcmp(a, b, n));
        TRUE(memset(b, 0xee, n) == b);
        TRUE(n == 0 || (unsigned char)b[n - 1] == 0xee);
        TRUE((char *)mempcpy(b, a, n) == b + n);
    }
    TRUE(memcmp("\x80", "\x01", 1) > 0);
    TRUE(memcmp("abc", "abd", 3) < 0);
    n = 4;
    TRUE(*(char *)memchr("abcb", 'b', n) == 'b');
    TRUE(memchr("abc", 'x', 3) == NULL);
    const char *s = "abcbx";
    TRUE((char *)memrchr(s, 'b', 5) == s + 3);
    TRUE((char *)memmem(s, 5, "cb", 2) == s + 2);
    TRUE(memmem(s, 5, "zz", 2) == NULL);
    return NULL;
}

int main(void)
{
    pthread_t t = start(user, NULL);
    user(NULL);
    join(t);
    return 0;
}
