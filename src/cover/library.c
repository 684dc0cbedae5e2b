/* library.c: libraries of a program that are built with the compiler's instrumentation. Their functions
 * are noted when one of their places first gets into the store. Where a campaign finds another file
 * in the same place, what was tested holds in functions whose code is the same, as in the
 * program itself (inherit.c). Others, like libc, have no places of their own to speak of. */
#include "cover/library.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/target.h"

/* It names a hook. */
static bool is_instrumented(const char *path)
{
    static const char hook[] = "__tsan_func_entry";
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = false;
    if (fd < 0)
        return false;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        is = p != MAP_FAILED && memmem(p, (size_t)st.st_size, hook, sizeof hook - 1);
        if (p != MAP_FAILED)
            munmap(p, (size_t)st.st_size);
    }
    close(fd);
    return is;
}

int hd_cover_library_note(struct hd_store *st, s64 build, const char *path)
{
    struct hd_fingerprints f = {0};
    s64 known = hd_store_has_functions(st, build);
    if (known || !is_instrumented(path))
        return known < 0 ? (int)known : 0;
    int e = hd_fingerprints_make(&f, path) || !f.v.n ? 0 : hd_cover_functions_save(st, build, &f);
    hd_fingerprints_release(&f);
    return e;
}

/* ---- which have changed ---------------------------------------------------------------- */

struct listing {
    HD_VEC(struct hd_cover_library) v; /* all that the store knows, newest first */
};

static int take(void *self, const struct hd_store_build *b)
{
    struct listing *l = self;
    struct hd_cover_library *to = hd_vec_add(&l->v);
    *to = (struct hd_cover_library){.old = b->id, .path = strdup(b->path)};
    HD_ASSERT(to->path);
    return 0;
}

static bool is_listed(const struct hd_cover_libraries *out, const char *path)
{
    for (size_t i = 0; i < out->v.n; i++)
        if (!strcmp(out->v.at[i].path, path))
            return true;
    return false;
}

/* Is there another file in its place, which this build was not tested with? 1, 0 or negative errno. */
static int has_changed(struct hd_store *st, s64 from, s64 build, struct hd_cover_library *l)
{
    l->hash_len = hd_target_build_id(l->path, l->hash, sizeof l->hash);
    if (!l->hash_len)
        return 0;
    s64 id = hd_store_build(st, 0, l->hash, l->hash_len, l->path);
    s64 was = id > 0 && id != l->old ? hd_store_touches(st, from, l->old) : id;
    s64 is = was > 0 && id != l->old ? hd_store_touches(st, build, id) : was;
    l->new = id;
    return is < 0 ? (int)is : id != l->old && was > 0 && !is;
}

int hd_cover_libraries_find(struct hd_store *st, s64 from, s64 build, struct hd_cover_libraries *out)
{
    struct listing l = {0};
    int e = hd_store_libraries(st, take, &l);
    for (size_t i = 0; i < l.v.n; i++) {
        struct hd_cover_library *a = &l.v.at[i];
        int is = e || is_listed(out, a->path) ? 0 : has_changed(st, from, build, a);
        if (is > 0)
            is = hd_cover_library_note(st, a->new, a->path) ? -1 : 1;
        if (is <= 0) {
            e = e ? e : is;
            free(a->path);
            continue;
        }
        e = hd_cover_functions(st, a->old, &a->was);
        hd_fingerprints_make(&a->is, a->path);
        *hd_vec_add(&out->v) = *a;
    }
    hd_vec_release(&l.v);
    return e;
}

void hd_cover_libraries_release(struct hd_cover_libraries *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        hd_fingerprints_release(&l->v.at[i].was);
        hd_fingerprints_release(&l->v.at[i].is);
        free(l->v.at[i].path);
    }
    hd_vec_release(&l->v);
}
