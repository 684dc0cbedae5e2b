/* notes.c: what the runtime remarked about the runs (runtime/core/notes.c) as
 * sentences: threads that outlive main, that nobody joins, that end with a
 * lock. None of it is a failure; all of it is worth a look. */
#include "campaign/notes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/suppress.h"

void hd_notes_place(struct hd_symbols *s, u64 site, char *buf, size_t size)
{
    struct hd_srcloc l[16], at;
    int n = hd_symbols_code(s, site, true, l, 16), pick = 0;
    for (int i = n; i-- > 0;)
        if (!hd_symbols_is_system(l[i].module) && l[i].file && strncmp(l[i].file, "/usr/", 5))
            pick = i;
    at = l[pick];
    char cwd[512];
    if (!at.file || !at.line) {
        const char *slash = at.module ? strrchr(at.module, '/') : NULL;
        snprintf(buf, size, "%s+0x%llx", slash ? slash + 1 : at.module ? at.module : "?",
                 (unsigned long long)at.offset);
        return;
    }
    size_t len = getcwd(cwd, sizeof cwd) ? strlen(cwd) : 0;
    const char *file = at.file;
    if (len > 1 && !strncmp(file, cwd, len) && file[len] == '/')
        file += len + 1;
    snprintf(buf, size, "%s:%d", file, at.line);
}

void hd_notes_add(struct hd_campaign *c, const char *text)
{
    for (u32 i = 0; i < c->n_notes; i++)
        if (!strcmp(c->notes[i], text))
            return; /* another worker saw the same */
    char **grown = realloc(c->notes, (c->n_notes + 1) * sizeof *grown);
    if (!grown)
        return;
    c->notes = grown;
    if ((c->notes[c->n_notes] = strdup(text)))
        c->n_notes++;
}

void hd_notes_collect(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w)
{
    static const char *const what[] = {
        [HD_NOTE_OUTLIVES] = "was still there when the process ended",
        [HD_NOTE_UNJOINED] = "ended without being joined or detached",
        [HD_NOTE_EXIT_HOLDING] = "ended while it held",
    };
    if (!w->host || !w->run.notes.n)
        return;
    const struct hd_notes *all = &w->run.notes;
    struct hd_symbols *s =
        hd_symbols_open(w->run.modules, w->run.n_modules);
    for (u32 i = 0; s && i < all->n && i < HD_SHM_NOTES; i++) {
        const struct hd_note *n = &all->at[i];
        char at[320], lock[300] = "", text[1024];
        if (n->kind >= HD_COUNT(what) || hd_suppress_note(o->suppress, n, s))
            continue;
        hd_notes_place(s, n->site, at, sizeof at);
        if (n->kind == HD_NOTE_EXIT_HOLDING) {
            char name[256];
            bool is_named = hd_symbols_data(s, n->obj, name, sizeof name, NULL);
            snprintf(lock, sizeof lock, is_named ? " `%s`" : " a lock", name);
        }
        snprintf(text, sizeof text, "a thread created at %s %s%s", n->site ? at : "the start",
                 what[n->kind], lock);
        hd_notes_add(c, text);
    }
    if (s)
        hd_symbols_close(s);
}
