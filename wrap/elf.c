/* SPDX-License-Identifier: BSD-3-Clause */
/* What executables, shared objects and archives say of themselves. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct functions {
    const char *const *names;
    size_t n;
};

static const char *find_name(const struct functions *f, const char *name)
{
    for (size_t i = 0; name && i < f->n; i++)
        if (!strcmp(f->names[i], name))
            return f->names[i];
    return NULL;
}

static void count_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          const struct functions *f, struct wrap_object *o)
{
    Elf_Data *data = elf_getdata(section, NULL);
    bool dynamic = header->sh_type == SHT_DYNSYM;
    GElf_Sym symbol;

    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = find_name(f, elf_strptr(elf, header->sh_link, symbol.st_name));

        if (!name)
            continue;
        if (symbol.st_shndx == SHN_UNDEF)
            o->imports += dynamic;
        else if (dynamic)
            o->defines++;
        else
            o->holds++;
        o->example = name;
    }
}

static void read_dynamic(Elf_Scn *section, struct wrap_object *o)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;

    o->is_dynamic = true;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
        if (entry.d_tag == DT_SYMBOLIC ||
            (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_SYMBOLIC)))
            o->is_symbolic = true;
}

/* This program's own header: class, byte order and machine of others must be alike. */
static bool is_ours(Elf *elf)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
    GElf_Ehdr header;

    return gelf_getehdr(elf, &header) &&
           header.e_ident[EI_CLASS] == __ehdr_start.e_ident[EI_CLASS] &&
           header.e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA] &&
           header.e_machine == __ehdr_start.e_machine;
}

static void read_elf(Elf *elf, const struct functions *f, struct wrap_object *o)
{
    size_t n = 0;
    GElf_Phdr segment;
    GElf_Shdr header;

    o->is_elf = elf_kind(elf) == ELF_K_ELF;
    if (!o->is_elf || !(o->is_ours = is_ours(elf)))
        return;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            o->has_interpreter = true;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header))
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            read_dynamic(s, o);
        else if (f->n && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
            count_symbols(elf, s, &header, f, o);
    }
}

/* The file as libelf sees it; closed with close_elf(). */
static enum portolan_status open_elf(const char *file, int *fd, Elf **elf,
                                     struct portolan_error *err)
{
    *elf = NULL;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "this libelf is too old");
    *fd = open(file, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    *elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
    return PORTOLAN_OK;
}

enum portolan_status wrap_object_read(const char *file, const char *const *functions, size_t n,
                                      struct wrap_object *object, struct portolan_error *err)
{
    const struct functions f = {functions, n};
    enum portolan_status status;
    Elf *elf;
    int fd;

    *object = (struct wrap_object){0};
    status = open_elf(file, &fd, &elf, err);
    if (status != PORTOLAN_OK)
        return status;
    if (elf)
        read_elf(elf, &f, object);
    elf_end(elf);
    close(fd);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ names */

struct names {
    struct portolan_arena *arena;
    const char **names;
    size_t n;
};

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (!strcmp(names->names[i], name))
            return true;
    return false;
}

static void add_name(struct names *names, const char *name)
{
    const char **grown;

    if (!name || !*name || has_name(names, name))
        return;
    grown = portolan_arena_grow(names->arena, names->names, names->n, sizeof *grown);
    if (!grown)
        return;
    names->names = grown;
    names->names[names->n] = portolan_arena_strdup(names->arena, name);
    names->n += names->names[names->n] != NULL;
}

/* Adds the names of symbols in the tables of TYPE that are defined or not. */
static void add_names(Elf *elf, unsigned type, bool defined, struct names *names)
{
    GElf_Shdr header;
    GElf_Sym symbol;

    if (elf_kind(elf) != ELF_K_ELF)
        return;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        Elf_Data *data =
            gelf_getshdr(s, &header) && header.sh_type == type ? elf_getdata(s, NULL) : NULL;

        for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
            if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL ||
                (symbol.st_shndx != SHN_UNDEF) != defined ||
                (defined && GELF_ST_TYPE(symbol.st_info) != STT_FUNC))
                continue;
            add_name(names, elf_strptr(elf, header.sh_link, symbol.st_name));
        }
    }
}

static enum portolan_status add_archive(const char *archive, bool defined, struct names *names,
                                        struct portolan_error *err)
{
    enum portolan_status status;
    Elf_Cmd command = ELF_C_READ_MMAP;
    Elf *elf, *member;
    int fd;

    status = open_elf(archive, &fd, &elf, err);
    if (status != PORTOLAN_OK)
        return status;
    while (elf && (member = elf_begin(fd, command, elf))) {
        add_names(member, SHT_SYMTAB, defined, names);
        command = elf_next(member);
        elf_end(member);
    }
    elf_end(elf);
    close(fd);
    return names->arena->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status wrap_archive_needs(struct portolan_arena *arena, const char *archive,
                                        const char ***names, size_t *n, struct portolan_error *err)
{
    struct names needs = {.arena = arena};
    enum portolan_status status = add_archive(archive, false, &needs, err);

    *names = needs.names;
    *n = needs.n;
    return status;
}

/* The way to the front itself, which is no function of the program's. */
static bool is_accessor(const char *name)
{
    size_t length = strlen(name);

    return !strcmp(name, "portolan_front") || (length > 6 && !strcmp(name + length - 6, "_front"));
}

enum portolan_status wrap_object_exports(struct portolan_arena *arena, const char *file,
                                         const char *exits, const char ***names, size_t *n,
                                         struct portolan_error *err)
{
    struct names all = {.arena = arena}, ours = {.arena = arena};
    enum portolan_status status = add_archive(exits, true, &ours, err);
    Elf *elf;
    int fd;

    if (status == PORTOLAN_OK)
        status = open_elf(file, &fd, &elf, err);
    if (status != PORTOLAN_OK)
        return status;
    if (elf)
        add_names(elf, SHT_DYNSYM, true, &all);
    elf_end(elf);
    close(fd);
    *names = all.names;
    *n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (!has_name(&ours, all.names[i]) && !is_accessor(all.names[i]))
            all.names[(*n)++] = all.names[i];
    return arena->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}
