/* String functions: results by the standard
 * text:   comparison by unsigned char, searches, spans, bounded copies padded with zeros
 * expect: exit 0
 */
#include "check.h"
#include <strings.h>

static volatile const char *source = "Hello, World";

int main(void)
{
    const char *s = (const char *)source;
    char buf[32];
    volatile size_t three = 3;
    IS(strlen(s), 12);
    IS(strnlen(s, three), 3);
    TRUE(strcpy(buf, s) == buf);
    OK(strcmp(buf, s));
    memset(buf, 'x', sizeof buf);
    strncpy(buf, "ab", 5);
    OK(memcmp(buf, "ab\0\0\0x", 6));
    buf[three] = 0;
    TRUE(stpcpy(buf, s) == buf + 12);
    OK(strcmp(strcat(buf, "!"), "Hello, World!"));
    OK(strcmp(strncat(buf, "???", 2), "Hello, World!??"));
    TRUE(strcmp("a", "b") < 0 && strcmp("b", "a") > 0 && strcmp("\xff", "a") > 0);
    OK(strncmp("abcd", "abxx", 2));
    TRUE(strncmp("abcd", "abxx", three) < 0);
    OK(strcasecmp("HELLO", "hello"));
    OK(strncasecmp("HELlo", "helXX", three));
    TRUE(strchr(s, 'o') == s + 4 && strrchr(s, 'o') == s + 8 && strchr(s, 'z') == NULL);
    TRUE(strchr(s, 0) == s + 12 && strchrnul(s, 'z') == s + 12);
    TRUE(strstr(s, "Wor") == s + 7 && strstr(s, "") == s && strstr(s, "none") == NULL);
    TRUE(strcasestr(s, "wORLD") == s + 7);
    IS(strspn(s, "leH"), 4);
    IS(strcspn(s, " ,"), 5);
    TRUE(strpbrk(s, "dW") == s + 7);
    strcpy(buf, "a,b;;c");
    char *save, *t = strtok_r(buf, ",;", &save);
    OK(strcmp(t, "a"));
    OK(strcmp(strtok_r(NULL, ",;", &save), "b"));
    OK(strcmp(strtok_r(NULL, ",;", &save), "c"));
    TRUE(strtok_r(NULL, ",;", &save) == NULL);
    return 0;
}
