/* fuzz.h: for the libFuzzer targets of this folder (README.md): input as a file. */
#ifndef HD_FUZZ_H
#define HD_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Something is wrong that no sanitizer notices. */
#define FUZZ_EXPECT(x)                                                                             \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct fuzz_file {
    int fd;
    char path[40];
};

/* A regular file in memory; the same one with new contents at each call. */
static inline const char *fuzz_file(struct fuzz_file *f, const void *data, size_t n)
{
    if (!f->path[0]) {
        f->fd = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_EXPECT(f->fd >= 0);
        snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    }
    FUZZ_EXPECT(!ftruncate(f->fd, 0) && pwrite(f->fd, data, n, 0) == (ssize_t)n);
    return f->path;
}

/* A text of its own: what is read past its end is noticed. */
static inline char *fuzz_text(const uint8_t *data, size_t n)
{
    char *s = malloc(n + 1);
    FUZZ_EXPECT(s);
    memcpy(s, data, n);
    s[n] = '\0';
    return s;
}

#endif
