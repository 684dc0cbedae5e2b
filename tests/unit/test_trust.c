/* test_trust.c: the keyed hash by its authors' vectors, seals of replay files. */
#include "campaign/trust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void vectors(void **state)
{
    const u64 key[2] = {0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull};
    u8 in[64];
    for (u32 i = 0; i < sizeof in; i++)
        in[i] = (u8)i;
    assert_true(hd_trust_hash(key, in, 0) == 0x726fdb47dd0e0e31ull);
    assert_true(hd_trust_hash(key, in, 7) == 0xab0200f58b01d137ull);
    assert_true(hd_trust_hash(key, in, 8) == 0x93f5f5799a932462ull);
    assert_true(hd_trust_hash(key, in, 15) == 0xa129ca6149be45e5ull);
    assert_true(hd_trust_hash(key, in, 63) == 0x958a324ceb064572ull);
}

static void beside(void **state)
{
    char dir[] = "/tmp/test_trust-XXXXXX", path[128];
    hd_trust_init();
    assert_non_null(mkdtemp(dir));
    assert_true(hd_trust_beside(dir) == 0);
    snprintf(path, sizeof path, "%s/check.sh", dir);
    FILE *f = fopen(path, "w");
    fputs("true", f);
    fclose(f);
    u64 one = hd_trust_beside(dir);
    assert_true(one != 0 && one == hd_trust_beside(dir));
    f = fopen(path, "a");
    fputs(" ", f);
    fclose(f);
    assert_true(hd_trust_beside(dir) != one);
    char other[128];
    snprintf(other, sizeof other, "%s/setup.sh", dir);
    rename(path, other);
    u64 moved = hd_trust_beside(dir);
    assert_true(moved != 0 && moved != one);
    unlink(other);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(beside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
