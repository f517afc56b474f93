/* SPDX-License-Identifier: BSD-3-Clause */
/* What shared objects say of themselves, read with libelf before they are loaded. */
#include "functions_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* The header of this process's own kind of file: class, byte order and machine must be alike. */
static const ElfW(Ehdr) * own_header(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

    return &__ehdr_start;
}

static bool fits(const unsigned char *ident, unsigned machine, unsigned type)
{
    const ElfW(Ehdr) *own = own_header();

    return memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == own->e_ident[EI_CLASS] &&
           ident[EI_DATA] == own->e_ident[EI_DATA] && machine == own->e_machine && type == ET_DYN;
}

bool functions_object_fits(const char *file)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ElfW(Ehdr) header;
    bool good;

    if (fd < 0)
        return false;
    good = read(fd, &header, sizeof header) == (ssize_t)sizeof header;
    close(fd);
    return good && fits(header.e_ident, header.e_machine, header.e_type);
}

/* ------------------------------------------------------------------ one object */

struct names {
    struct portolan_arena *arena;
    const char **items;
    size_t n;
};

/* The list always ends in NULL. */
static void names_add(struct names *names, const char *name)
{
    const char *copy = portolan_arena_strdup(names->arena, name ? name : "");

    if (!names->items)
        names->items = portolan_arena_grow(names->arena, NULL, 0, sizeof *names->items);
    names->items =
        portolan_arena_grow(names->arena, names->items, names->n + 1, sizeof *names->items);
    if (!names->items || !copy)
        return;
    names->items[names->n++] = copy;
    names->items[names->n] = NULL;
}

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         struct portolan_arena *arena, struct functions_object *object)
{
    Elf_Data *data = elf_getdata(section, NULL);
    struct names needed = {.arena = arena};
    GElf_Dyn entry;

    for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
        const char *text = elf_strptr(elf, header->sh_link, entry.d_un.d_val);

        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED)
            names_add(&needed, text);
        else if (entry.d_tag == DT_RPATH && text)
            object->rpath = portolan_arena_strdup(arena, text);
        else if (entry.d_tag == DT_RUNPATH && text)
            object->runpath = portolan_arena_strdup(arena, text);
    }
    object->needed = needed.items;
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         struct portolan_arena *arena, struct functions_object *object)
{
    Elf_Data *data = elf_getdata(section, NULL);
    struct names defined = {.arena = arena}, undefined = {.arena = arena};
    GElf_Sym symbol;

    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
        unsigned binding = GELF_ST_BIND(symbol.st_info);
        unsigned visibility = GELF_ST_VISIBILITY(symbol.st_other);

        if (binding == STB_LOCAL || visibility == STV_HIDDEN || visibility == STV_INTERNAL)
            continue;
        if (symbol.st_shndx != SHN_UNDEF)
            names_add(&defined, elf_strptr(elf, header->sh_link, symbol.st_name));
        else if (binding != STB_WEAK)
            names_add(&undefined, elf_strptr(elf, header->sh_link, symbol.st_name));
    }
    object->defined = defined.items;
    object->undefined = undefined.items;
}

static enum portolan_status read_sections(Elf *elf, struct portolan_arena *arena,
                                          struct functions_object *object,
                                          struct portolan_error *err)
{
    GElf_Ehdr header;
    GElf_Shdr section_header;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
        !fits(header.e_ident, header.e_machine, header.e_type))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "%s: no shared object for this machine", object->file);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        if (!gelf_getshdr(section, &section_header))
            continue;
        if (section_header.sh_type == SHT_DYNAMIC)
            read_dynamic(elf, section, &section_header, arena, object);
        else if (section_header.sh_type == SHT_DYNSYM)
            read_symbols(elf, section, &section_header, arena, object);
    }
    return arena->failed ? portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory") : PORTOLAN_OK;
}

enum portolan_status functions_object_read(struct portolan_arena *arena, const char *file,
                                           struct functions_object *object,
                                           struct portolan_error *err)
{
    static const char *none[] = {NULL};
    enum portolan_status status;
    Elf *elf;
    int fd;

    *object = (struct functions_object){.file = file};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "this libelf is too old");
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    status = elf ? read_sections(elf, arena, object, err)
                 : portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "%s: %s", file, elf_errmsg(-1));
    elf_end(elf);
    close(fd);
    object->needed = object->needed ? object->needed : none;
    object->defined = object->defined ? object->defined : none;
    object->undefined = object->undefined ? object->undefined : none;
    return status;
}

/* ------------------------------------------------------------------ with what it needs */

static bool holds(const struct functions_closure *closure, const char *file)
{
    for (size_t i = 0; i < closure->n; i++)
        if (strcmp(closure->objects[i].file, file) == 0)
            return true;
    return false;
}

static enum portolan_status add(struct functions_search *s, const char *file,
                                struct functions_closure *closure, struct portolan_error *err)
{
    closure->objects =
        portolan_arena_grow(&s->arena, closure->objects, closure->n, sizeof *closure->objects);
    if (!closure->objects)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    return functions_object_read(&s->arena, file, &closure->objects[closure->n++], err);
}

enum portolan_status functions_closure_read(struct functions_search *s, const char *file,
                                            struct functions_closure *closure,
                                            struct portolan_error *err)
{
    enum portolan_status status = add(s, file, closure, err);

    for (size_t i = 0; status == PORTOLAN_OK && i < closure->n; i++) {
        const struct functions_object object = closure->objects[i];
        const char *slash = strrchr(object.file, '/');
        const char *origin =
            portolan_arena_strndup(&s->arena, object.file, slash ? slash - object.file : 0);

        for (size_t k = 0; status == PORTOLAN_OK && object.needed[k]; k++) {
            const char *name = object.needed[k];
            const char *found = strchr(name, '/') ? name
                                                  : functions_search_find(s, name, object.rpath,
                                                                          object.runpath, origin);

            /* What cannot be found the dynamic linker reports; it may also be loaded already. */
            if (found && !holds(closure, found))
                status = add(s, found, closure, err);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ MPI */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Functions of MPI, by their names in C and, in lower case with a line behind, in Fortran. */
static bool is_mpi_function(const char *name)
{
    size_t length = strlen(name);

    if (begins(name, "PMPI_") || begins(name, "pmpi_"))
        name++;
    if (begins(name, "MPI_"))
        return name[4] >= 'A' && name[4] <= 'Z';
    return begins(name, "mpi_") && name[4] && length > 5 && name[strlen(name) - 1] == '_';
}

/* Names under which MPI's own libraries are known: libmpi.so.40, libmpich.so.12, libmpifort… */
static bool is_mpi_library(const char *name)
{
    static const char *const words[] = {"mpi",
                                        "mpich",
                                        "mpicxx",
                                        "mpi_cxx",
                                        "mpifort",
                                        "mpichfort",
                                        "mpichcxx",
                                        "mpi_mpifh",
                                        "pmpi",
                                        "mpi_usempif08",
                                        "mpi_usempi_ignore_tkr"};
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    if (!begins(base, "lib"))
        return false;
    base += 3;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(base, words[i]) && (base[strlen(words[i])] == '.' || !base[strlen(words[i])]))
            return true;
    return false;
}

static enum portolan_status refuse(const struct functions_closure *closure,
                                   const struct functions_object *by, const char *what,
                                   const char *name, struct portolan_error *err)
{
    const char *file = closure->objects[0].file;
    bool itself = by == &closure->objects[0];

    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s calls MPI itself (%s%s%s %s): opened as an implementation it "
                              "would bypass the MPI that the program uses, or bring a second one "
                              "that nobody initialises; link the program with it instead",
                              file, itself ? "it" : "", itself ? "" : by->file, what, name);
}

enum portolan_status functions_closure_check(const struct functions_closure *closure,
                                             struct portolan_error *err)
{
    for (size_t i = 0; i < closure->n; i++) {
        const struct functions_object *o = &closure->objects[i];

        for (size_t k = 0; o->needed[k]; k++)
            if (is_mpi_library(o->needed[k]))
                return refuse(closure, o, " needs", o->needed[k], err);
        for (size_t k = 0; o->undefined[k]; k++)
            if (is_mpi_function(o->undefined[k]))
                return refuse(closure, o, " calls", o->undefined[k], err);
        for (size_t k = 0; o->defined[k]; k++)
            if (strcmp(o->defined[k], "MPI_Init") == 0 || strcmp(o->defined[k], "PMPI_Init") == 0)
                return refuse(closure, o, " brings", o->defined[k], err);
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_functions_library_check(const char *file, struct portolan_error *err)
{
    struct functions_closure closure = {0};
    struct functions_search s;
    enum portolan_status status;

    functions_search_begin(&s);
    status = functions_closure_read(&s, file, &closure, err);
    if (status == PORTOLAN_OK)
        status = functions_closure_check(&closure, err);
    functions_search_end(&s);
    return status;
}
