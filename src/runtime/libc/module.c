/* module.c: loaded objects by dl_iterate_phdr. Looked at when the run begins
 * and when an address turns up that no known object covers (dlopen). */
#include "runtime/libc/module.h"

#include <elf.h>

#include "runtime/libc/libc_lock.h"
#include "runtime/libc/sys.h"

static void copy_build_id(struct hd_module *m, u64 at, u64 len)
{
    u64 end = at + len;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)at;
        u64 name = at + sizeof *n, desc = name + HD_ALIGN_UP(n->n_namesz, 4);
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !hd_memcmp((void *)name, "GNU", 4)) {
            m->build_id_len = (u32)HD_MIN((u64)n->n_descsz, sizeof m->build_id);
            hd_memcpy(m->build_id, (void *)desc, m->build_id_len);
            return;
        }
        at = desc + HD_ALIGN_UP(n->n_descsz, 4);
    }
}

static int add(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct hd_shm_run *shm = hd_rt.run;
    if (shm->n_modules == HD_SHM_MODULES)
        return 1;
    struct hd_module m = {.bias = info->dlpi_addr, .start = ~(u64)0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            m.start = HD_MIN(m.start, at);
            m.end = HD_MAX(m.end, at + p->p_memsz);
        } else if (p->p_type == PT_NOTE) {
            copy_build_id(&m, at, p->p_filesz);
        }
    }
    struct hd_module *all = hd_shm_modules(shm);
    for (u32 i = 0; i < shm->n_modules; i++)
        if (all[i].start == m.start && all[i].end == m.end)
            return 0;
    const char *name = info->dlpi_name;
    if (!shm->n_modules && !*name) { /* the program itself has no name here */
        long n = hd_sys(SYS_readlink, "/proc/self/exe", m.path, sizeof m.path - 1);
        m.path[n > 0 ? n : 0] = 0;
    } else {
        hd_memcpy(m.path, name, HD_MIN(hd_strlen(name), sizeof m.path - 1));
    }
    if (m.end)
        all[shm->n_modules++] = m;
    return 0;
}

void hd_module_list(void)
{
    if (hd_rt.is_on && hd_libc_is_taken((u64)&hd_phdr_key))
        return; /* another thread is in a callback of its own: at the next one */
    hd_tls.inside++;
    dl_iterate_phdr(add, NULL);
    hd_tls.inside--;
}

void hd_module_know(u64 addr)
{
    const struct hd_module *all = hd_shm_modules(hd_rt.run);
    for (u32 i = 0; i < hd_rt.run->n_modules; i++)
        if (addr - all[i].start < all[i].end - all[i].start)
            return;
    hd_module_list();
}
