/* fuzz_replay.c: replay files. The checksum in the last line would refuse nearly every input, so
 * that line is made anew. What is read must survive a round trip and being placed in a target's
 * memory. */
#include "fuzz/fuzz.h"

#include "event/replay/replay.h"

#define assert_ptr_not_equal(a, b) FUZZ_EXPECT((a) != (b))
#include "unit/shm_rig.h"

static struct fuzz_file file, again;

/* Into the memory of a target that has loaded one module. */
static void place(const struct hd_replay *r)
{
    static struct rig m;
    struct hd_snapshot run;
    if (!m.run)
        m = rig_make();
    hd_shm_modules(m.run)[0] =
        (struct hd_module){.start = 0x1000, .end = 0x9000, .bias = 0x1000, .path = "/bin/a"};
    m.run->n_modules = 1;
    rig_snapshot(&run, &m);
    hd_replay_to_shm(r, &run);
    hd_snapshot_release(&run);
}

/* Lines that record choices: pick, wake, ... */
static unsigned entries(const char *text)
{
    unsigned n = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (u32 k = HD_CHOICE_PICK; hd_replay_choice_word(k); k++) {
            size_t len = strlen(hd_replay_choice_word(k));
            n += !strncmp(line, hd_replay_choice_word(k), len) && line[len] == ' ';
        }
        if (!*line)
            break;
    }
    return n;
}

static size_t with_end(const char *text, size_t n, char *out, size_t size)
{
    size_t body = n;
    while (body && text[body - 1] == '\n')
        body--;
    while (body && text[body - 1] != '\n')
        body--;
    if (strncmp(text + body, "end ", 4))
        body = n;
    memcpy(out, text, body);
    if (body && out[body - 1] != '\n')
        out[body++] = '\n';
    out[body] = '\0';
    return body + (size_t)snprintf(out + body, size - body, "end %u %llx\n", entries(out),
                                   (unsigned long long)hd_replay_sum(out, body));
}

static void use(struct hd_replay *r)
{
    struct hd_replay copy, back;
    struct hd_error err;
    FUZZ_EXPECT(!hd_replay_copy(&copy, r));
    FUZZ_EXPECT(copy.n == r->n && copy.argc == r->argc);
    place(&copy);
    hd_replay_release(&copy);
    char path[64];
    snprintf(path, sizeof path, "%s/heddle-fuzz-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
    FUZZ_EXPECT(!hd_replay_save(r, path, &err));
    int e = hd_replay_load(&back, path, &err);
    unlink(path);
    if (e)
        fprintf(stderr, "%s\n", err.text);
    FUZZ_EXPECT(!e && back.n == r->n && back.n_sites == r->n_sites && back.n_places == r->n_places);
    hd_replay_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct hd_replay r;
    struct hd_error err;
    if (!hd_replay_load(&r, fuzz_file(&file, data, n), &err))
        hd_replay_release(&r);
    char *text = fuzz_text(data, n), *whole = malloc(n + 100);
    FUZZ_EXPECT(whole);
    if (!hd_replay_load(&r, fuzz_file(&again, whole, with_end(text, n, whole, n + 100)), &err)) {
        use(&r);
        hd_replay_release(&r);
    }
    free(whole);
    free(text);
    return 0;
}
