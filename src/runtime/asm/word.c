/* word.c: see word.h. The words updated latest, the newest first. */
#include "runtime/asm/word.h"

#include "runtime/libc/user_mem.h"

#define WORDS 16
#define TOLD 1024 /* power of two: words known to be benign; one that is forgotten is told again */

static struct word {
    u64 addr, site;
    u32 size;   /* of what is compared */
    u64 value;
} words[WORDS];
u32 hd_n_words;
static u64 told[TOLD];

void hd_word_benign(u64 addr, u32 size, u64 site)
{
    u64 *slot = &told[addr * 0x9e3779b97f4a7c15ull >> 54];
    if (*slot == addr)
        return;
    *slot = addr;
    hd_note(HD_EV_BENIGN, site, addr, size);
}

void hd_word_update(u64 addr, u32 size, u64 site, u64 value)
{
    u32 at = 0;
    while (at < hd_n_words && words[at].addr != addr)
        at++;
    if (at == hd_n_words && hd_n_words < WORDS)
        hd_n_words++;
    for (at = HD_MIN(at, (u32)WORDS - 1); at > 0; at--)
        words[at] = words[at - 1];
    words[0] = (struct word){addr, site, HD_MIN(size, 8u), value};
    hd_tls.word = addr;
    hd_note(HD_EV_HB_ACQUIRE, site, addr, 0);
    hd_note(HD_EV_HB_RELEASE, site, addr, 0);
}

void hd_word_look(u64 site)
{
    if (hd_tls.word)
        hd_note(HD_EV_HB_ACQUIRE, site, hd_tls.word, 0);
}

void hd_word_settle_slow(void)
{
    for (struct word *w = words; w < words + hd_n_words; w++) {
        u64 now = 0;
        if (hd_user_read(&now, (const void *)w->addr, w->size) && now != w->value) {
            w->value = now;
            hd_note(HD_EV_HB_RELEASE, w->site, w->addr, 0);
        }
    }
}
