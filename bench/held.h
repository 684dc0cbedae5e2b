/* held.h: what a process and its descendants hold in memory together, in KiB, for measure.c.
 *
 * A page that several of them share counts once; one of a file (code of libraries) counts in full,
 * whoever else on the machine has it too. The proportional set size alone would divide it by all of
 * those, so that the same command takes 2 MiB less while other campaigns run beside it.
 *
 *   memory of their own, shared memory   smaps_rollup: Pss_Anon, Pss_Shmem
 *   files                                maps, pagemap: which pages any of them has
 */
#ifndef HELD_H
#define HELD_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FILES = 512, PAGE_KIB = 4, TMPFS = 0x01021994 };

static struct held_file {
    unsigned long long inode;
    char dev[16];
    int is_shmem;                /* counted as that */
    unsigned char *has;          /* by page: */
    size_t pages, n;             /* bytes of has; pages that anybody has */
} held_file[FILES];
static int n_held_files;

static struct held_file *held_file_of(const char *dev, unsigned long long inode, const char *path)
{
    struct statfs fs;
    struct held_file *f = held_file;
    for (; f < held_file + n_held_files; f++)
        if (f->inode == inode && !strcmp(f->dev, dev))
            return f;
    if (n_held_files == FILES)
        return NULL;
    n_held_files++;
    *f = (struct held_file){.inode = inode};
    snprintf(f->dev, sizeof f->dev, "%s", dev);
    f->is_shmem = statfs(path, &fs) || fs.f_type == TMPFS; /* memfd and the like are nowhere */
    return f;
}

/* Pages [first, first + n) of the file are mapped at `at`. */
static void held_pages(struct held_file *f, int pagemap, unsigned long at, size_t first, size_t n)
{
    unsigned long long entry[512];
    if (first + n > f->pages) {
        f->has = realloc(f->has, first + n);
        memset(f->has + f->pages, 0, first + n - f->pages);
        f->pages = first + n;
    }
    for (size_t i = 0; i < n;) {
        size_t k = n - i < 512 ? n - i : 512;
        ssize_t got = pread(pagemap, entry, k * 8, (off_t)((at / 4096 + i) * 8));
        if (got <= 0)
            return;
        for (size_t j = 0; j < (size_t)got / 8; j++, i++) {
            int is_there = entry[j] >> 63 && entry[j] >> 61 & 1; /* and no copy of its own */
            f->n += is_there && !f->has[first + i];
            f->has[first + i] |= (unsigned char)is_there;
        }
    }
}

/* Memory of the process; pages of files are noted. */
static long held_by(int pid)
{
    char path[64], line[4608], dev[16], file[4096];
    unsigned long from, to, offset;
    unsigned long long inode;
    long kib = 0, part;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss_Anon: %ld kB", &part) == 1 || sscanf(line, "Pss_Shmem: %ld kB", &part) == 1)
            kib += part;
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "/proc/%d/pagemap", pid);
    int pagemap = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    f = fopen(path, "r");
    while (f && pagemap >= 0 && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lx-%lx %*s %lx %15s %llu %4095[^\n]", &from, &to, &offset, dev, &inode, file) != 6 ||
            !inode)
            continue;
        struct held_file *of = held_file_of(dev, inode, file);
        if (of && !of->is_shmem)
            held_pages(of, pagemap, from, offset / 4096, (to - from) / 4096);
    }
    if (f)
        fclose(f);
    if (pagemap >= 0)
        close(pagemap);
    return kib;
}

/* ... and its descendants. Children are listed by the thread that made them; the first makes all
 * that heddle and its fork server have. */
static long held_by_each(int pid)
{
    char path[64];
    long kib = held_by(pid);
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    FILE *f = fopen(path, "r");
    while (f && fscanf(f, "%d", &child) == 1)
        kib += held_by_each(child);
    if (f)
        fclose(f);
    return kib;
}

static long held_by_all(int pid)
{
    for (int i = 0; i < n_held_files; i++) {
        if (held_file[i].has)
            memset(held_file[i].has, 0, held_file[i].pages);
        held_file[i].n = 0;
    }
    long kib = held_by_each(pid);
    for (int i = 0; i < n_held_files; i++)
        kib += (long)held_file[i].n * PAGE_KIB;
    return kib;
}

#endif
