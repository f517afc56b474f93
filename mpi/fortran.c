/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran's bindings of MPI call some routines by the name PMPI_*: MPICH's of `use mpi_f08` all
 * that have no buffer. Here they are made to call MPI_*, so that the wrappers see these calls too.
 */
#include "redirect.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if UINTPTR_MAX > UINT32_MAX
#define SYMBOL_OF ELF64_R_SYM
#else
#define SYMBOL_OF ELF32_R_SYM
#endif

/* libmpichfort.so.12, libmpifort.so.12, libmpi_mpifh.so.40, libmpi_usempif08.so.40 */
static bool is_fortran_binding(const char *file)
{
    const char *name = strrchr(file, '/');

    name = name ? name + 1 : file;
    return strncmp(name, "libmpi", 6) == 0 &&
           (strstr(name, "fort") || strstr(name, "mpifh") || strstr(name, "f08"));
}

/* Has SLOT, through which a function is called, hold TARGET. */
static void redirect(void **slot, void *target)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)slot & ~(page - 1);

    if (*slot != target && mprotect((void *)start, page, PROT_READ | PROT_WRITE) == 0)
        *slot = target;
}

/* Returns the place of ADDRESS in the dynamic section, which some machines' loaders leave as it is
 * in the file. */
static const void *locate(const struct link_map *object, ElfW(Addr) address)
{
    return (const void *)(address < object->l_addr ? object->l_addr + address : address);
}

void mpi_redirect_calls(const struct link_map *object, mpi_target_fn *target_of)
{
    const char *strings = NULL;
    const ElfW(Sym) *symbols = NULL;
    const ElfW(Rela) *slots = NULL;
    size_t n = 0;

    for (const ElfW(Dyn) *d = object->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = locate(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_SYMTAB)
            symbols = locate(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_JMPREL)
            slots = locate(object, d->d_un.d_ptr);
        else if (d->d_tag == DT_PLTRELSZ)
            n = d->d_un.d_val / sizeof *slots;
    for (size_t i = 0; strings && symbols && slots && i < n; i++) {
        const char *name = strings + symbols[SYMBOL_OF(slots[i].r_info)].st_name;
        void *target = target_of(name);

        if (target)
            redirect((void **)(object->l_addr + slots[i].r_offset), target);
    }
}

static void *first_of(const char *name)
{
    return strncmp(name, "PMPI_", 5) == 0 ? dlsym(RTLD_DEFAULT, name + 1) : NULL;
}

/* When all that comes with the program has been loaded. Not by dlopen(NULL): nothing in programs
   that are linked loads shared objects. */
__attribute__((constructor)) static void bind_fortran(void)
{
    for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next)
        if (is_fortran_binding(object->l_name))
            mpi_redirect_calls(object, first_of);
}
