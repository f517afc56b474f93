/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads executables, shared objects and archives, and explains from them why no call was seen. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *find_name(const struct portolan_words *names, const char *name)
{
    for (size_t i = 0; name && i < names->n; i++)
        if (!strcmp(names->word[i], name))
            return names->word[i];
    return NULL;
}

static void count_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          const struct portolan_words *functions, struct wrap_object *o)
{
    Elf_Data *data = elf_getdata(section, NULL);
    bool dynamic = header->sh_type == SHT_DYNSYM;
    GElf_Sym symbol;

    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = find_name(functions, elf_strptr(elf, header->sh_link, symbol.st_name));

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

/* MPICH's library is libmpich.so.12, or libmpi.so.12 by the common ABI; Open MPI's libmpi.so.40. */
static bool is_other_mpi(const char *library)
{
    bool is_mpich = !strncmp(library, "libmpich.so", 11) || !strcmp(library, "libmpi.so.12");

    return is_mpich != !strcmp(PORTOLAN_MPI, "mpich") &&
           (is_mpich || !strncmp(library, "libmpi.so", 9));
}

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct wrap_object *o)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const char *name;
    GElf_Dyn entry;

    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
        if (entry.d_tag == DT_SYMBOLIC ||
            (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_SYMBOLIC)))
            o->is_symbolic = true;
        else if (entry.d_tag == DT_NEEDED &&
                 (name = elf_strptr(elf, header->sh_link, entry.d_un.d_val)))
            o->needs_other_mpi |= is_other_mpi(name);
}

/* Compares class, byte order and machine with this program's own ELF header. */
static bool is_of_this_machine(Elf *elf)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
    GElf_Ehdr header;

    return gelf_getehdr(elf, &header) &&
           header.e_ident[EI_CLASS] == __ehdr_start.e_ident[EI_CLASS] &&
           header.e_ident[EI_DATA] == __ehdr_start.e_ident[EI_DATA] &&
           header.e_machine == __ehdr_start.e_machine;
}

static void read_elf(Elf *elf, const struct portolan_words *functions, struct wrap_object *o)
{
    size_t n = 0;
    GElf_Phdr segment;
    GElf_Shdr header;

    o->is_elf = elf_kind(elf) == ELF_K_ELF;
    if (!o->is_elf || !(o->is_ours = is_of_this_machine(elf)))
        return;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            o->has_interpreter = true;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header))
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            read_dynamic(elf, s, &header, o);
        else if (functions && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
            count_symbols(elf, s, &header, functions, o);
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

enum portolan_status wrap_object_read(const char *file, const struct portolan_words *functions,
                                      struct wrap_object *object, struct portolan_error *err)
{
    enum portolan_status status;
    Elf *elf;
    int fd;

    *object = (struct wrap_object){0};
    status = open_elf(file, &fd, &elf, err);
    if (status != PORTOLAN_OK)
        return status;
    if (elf)
        read_elf(elf, functions, object);
    elf_end(elf);
    close(fd);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ names */

static void add_name(struct portolan_arena *arena, struct portolan_words *names, const char *name)
{
    if (name && *name && !find_name(names, name))
        portolan_words_add(arena, names, portolan_arena_strdup(arena, name));
}

/* Adds the names of symbols in the tables of TYPE that are defined or not. */
static void add_names(Elf *elf, unsigned type, bool defined, struct portolan_arena *arena,
                      struct portolan_words *names)
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
            add_name(arena, names, elf_strptr(elf, header.sh_link, symbol.st_name));
        }
    }
}

static enum portolan_status add_archive(const char *archive, bool defined,
                                        struct portolan_arena *arena, struct portolan_words *names,
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
        add_names(member, SHT_SYMTAB, defined, arena, names);
        command = elf_next(member);
        elf_end(member);
    }
    elf_end(elf);
    close(fd);
    return arena->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status wrap_archive_needs(struct portolan_arena *arena, const char *archive,
                                        struct portolan_words *names, struct portolan_error *err)
{
    return add_archive(archive, false, arena, names, err);
}

/* Returns whether NAME returns the front, and so is no wrapped function. */
static bool is_accessor(const char *name)
{
    size_t length = strlen(name);

    return !strcmp(name, "portolan_front") || (length > 6 && !strcmp(name + length - 6, "_front"));
}

enum portolan_status wrap_object_exports(struct portolan_arena *arena, const char *file,
                                         const char *exits, struct portolan_words *names,
                                         struct portolan_error *err)
{
    struct portolan_words all = {0}, ours = {0};
    enum portolan_status status = add_archive(exits, true, arena, &ours, err);
    Elf *elf;
    int fd;

    if (status == PORTOLAN_OK)
        status = open_elf(file, &fd, &elf, err);
    if (status != PORTOLAN_OK)
        return status;
    if (elf)
        add_names(elf, SHT_DYNSYM, true, arena, &all);
    elf_end(elf);
    close(fd);
    for (size_t i = 0; i < all.n; i++)
        if (!find_name(&ours, all.word[i]) && !is_accessor(all.word[i]))
            portolan_words_add(arena, names, all.word[i]);
    return arena->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* ------------------------------------------------------------------ why no call was seen */

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Returns whether FILE was loaded only for measuring. */
static bool is_of_measuring(const struct wrap_run *run, const char *file)
{
    if (same_file(file, run->front.file))
        return true;
    for (size_t i = 0; i < run->n_libraries; i++)
        if (*run->libraries[i].file && same_file(file, run->libraries[i].file))
            return true;
    return false;
}

const char *wrap_provider(struct wrap_run *run, const struct wrap_process *p)
{
    struct wrap_object o;

    for (size_t i = 0; i < p->objects.n; i++)
        if (!is_of_measuring(run, p->objects.pairs[i].value) &&
            wrap_object_read(p->objects.pairs[i].value, &run->front.functions, &o, NULL) ==
                PORTOLAN_OK &&
            o.defines)
            return p->objects.pairs[i].value;
    return NULL;
}

/* Adds what O shows about FILE; false: nothing. */
static bool explain(struct portolan_text *t, const char *file, const struct wrap_object *o,
                    bool is_program)
{
    if (is_program && (o->holds || o->defines) && !o->imports)
        portolan_text_add(t, "%s contains %s itself: it is linked statically with it", file,
                          o->example);
    else if (is_program && o->defines)
        portolan_text_add(t, "%s defines %s itself, which comes before all libraries", file,
                          o->example);
    else if (o->imports && !o->defines)
        portolan_text_add(t,
                          "%s imports %s, but did not call it; or it was opened with "
                          "RTLD_DEEPBIND, which binds it to its own library",
                          file, o->example);
    else if (o->defines && o->is_symbolic)
        portolan_text_add(t,
                          "%s calls its own %s (-Bsymbolic); others got it by dlsym() from a "
                          "handle, or not at all",
                          file, o->example);
    else
        return false;
    return true;
}

static const char *describe(struct wrap_run *run, struct wrap_process *p)
{
    struct portolan_text t = {.arena = &run->arena};
    const char *provider = NULL;
    struct wrap_object o;
    bool found = false;

    if (wrap_object_read(run->program.image, &run->front.functions, &o, NULL) == PORTOLAN_OK)
        found = explain(&t, run->program.image, &o, true);
    for (size_t i = 0; i < p->objects.n && !found; i++) {
        const char *file = p->objects.pairs[i].value;

        if (is_of_measuring(run, file) ||
            wrap_object_read(file, &run->front.functions, &o, NULL) != PORTOLAN_OK)
            continue;
        found = explain(&t, file, &o, false);
        if (!found && o.defines && !provider)
            provider = file;
    }
    if (!found && provider)
        portolan_text_add(&t,
                          "%s was loaded, but no loaded object imports the functions: their "
                          "callers get them by dlsym() from a handle",
                          provider);
    else if (!found)
        portolan_text_add(&t,
                          "neither the program nor any of the %zu shared objects that it loaded "
                          "imports any of them%s",
                          p->objects.n,
                          run->options->children
                              ? ""
                              : "; if it starts another program that does, add --children");
    return t.failed ? "" : t.bytes;
}

const char *wrap_why(struct wrap_run *run)
{
    struct wrap_process *p = run->processes[0];

    if (run->shared->orders.n_without_room)
        return "the program has too little address space (ulimit -v) for the shared memory";
    if (!p)
        return "the program did not load the preloaded object: the dynamic linker refused it, or "
               "the program had called exec";
    return describe(run, p);
}
