/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a shared object says of itself, read before it is loaded. By hand: this also runs inside
 * programs that are measured as they are, which must not get a library that they do not have, and
 * libelf brings libz.
 */
#include <portolan/shared_object.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The header of this process's own kind of file: class, byte order and machine must be alike. */
static const ElfW(Ehdr) * own_header(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

    return &__ehdr_start;
}

static bool fits(const ElfW(Ehdr) * header)
{
    const ElfW(Ehdr) *own = own_header();

    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == own->e_ident[EI_CLASS] &&
           header->e_ident[EI_DATA] == own->e_ident[EI_DATA] &&
           header->e_machine == own->e_machine && header->e_type == ET_DYN;
}

bool shared_object_is_loaded(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

bool shared_object_is_same(const char *a, const char *b)
{
    struct stat one, other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool shared_object_fits(const char *file)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ElfW(Ehdr) header;
    bool good;

    if (fd < 0)
        return false;
    good = read(fd, &header, sizeof header) == (ssize_t)sizeof header;
    close(fd);
    return good && fits(&header);
}

/* ------------------------------------------------------------------ the file */

struct image {
    const char *bytes;
    size_t size;
    const ElfW(Shdr) * sections;
    size_t n_sections;
    struct portolan_arena *arena;
};

/* Whether COUNT items of SIZE bytes at OFFSET lie in the file, aligned. */
static bool holds_array(const struct image *i, uint64_t offset, uint64_t count, size_t size)
{
    return offset <= i->size && offset % sizeof(uint32_t) == 0 &&
           count <= (i->size - offset) / size;
}

/* The items of a section, *COUNT of them; 0 when the file is broken. */
static const void *section_items(const struct image *i, const ElfW(Shdr) * s, size_t size,
                                 size_t *count)
{
    *count = s->sh_entsize == size && holds_array(i, s->sh_offset, s->sh_size / size, size)
                 ? s->sh_size / size
                 : 0;
    return i->bytes + (*count ? s->sh_offset : 0);
}

/* The text at OFFSET of section NUMBER; NULL when there is none. */
static const char *text_at(const struct image *i, size_t number, uint64_t offset)
{
    const ElfW(Shdr) *s = number < i->n_sections ? &i->sections[number] : NULL;
    const char *text;

    if (!s || s->sh_type != SHT_STRTAB || s->sh_offset > i->size ||
        s->sh_size > i->size - s->sh_offset || offset >= s->sh_size)
        return NULL;
    text = i->bytes + s->sh_offset + offset;
    return memchr(text, '\0', s->sh_size - offset) ? text : NULL;
}

/* ------------------------------------------------------------------ what it says */

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

static void read_dynamic(const struct image *i, const ElfW(Shdr) * s, struct shared_object *object)
{
    struct names needed = {.arena = i->arena};
    size_t n;
    const ElfW(Dyn) *entries = section_items(i, s, sizeof *entries, &n);

    for (size_t k = 0; k < n && entries[k].d_tag != DT_NULL; k++) {
        const char *text = text_at(i, s->sh_link, entries[k].d_un.d_val);

        if (entries[k].d_tag == DT_NEEDED)
            names_add(&needed, text);
        else if (entries[k].d_tag == DT_RPATH && text)
            object->rpath = portolan_arena_strdup(i->arena, text);
        else if (entries[k].d_tag == DT_RUNPATH && text)
            object->runpath = portolan_arena_strdup(i->arena, text);
    }
    object->needed = needed.items;
}

static void read_symbols(const struct image *i, const ElfW(Shdr) * s, struct shared_object *object)
{
    struct names defined = {.arena = i->arena}, undefined = {.arena = i->arena};
    size_t n;
    const ElfW(Sym) *symbols = section_items(i, s, sizeof *symbols, &n);

    for (size_t k = 1; k < n; k++) {
        unsigned binding = ELF64_ST_BIND(symbols[k].st_info); /* the same in both classes */
        unsigned visibility = ELF64_ST_VISIBILITY(symbols[k].st_other);

        if (binding == STB_LOCAL || visibility == STV_HIDDEN || visibility == STV_INTERNAL)
            continue;
        if (symbols[k].st_shndx != SHN_UNDEF)
            names_add(&defined, text_at(i, s->sh_link, symbols[k].st_name));
        else if (binding != STB_WEAK)
            names_add(&undefined, text_at(i, s->sh_link, symbols[k].st_name));
    }
    object->defined = defined.items;
    object->undefined = undefined.items;
}

static enum portolan_status read_sections(struct image *i, struct shared_object *object,
                                          struct portolan_error *err)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)i->bytes;

    if (i->size < sizeof *header || !fits(header) || header->e_shentsize != sizeof *i->sections ||
        !holds_array(i, header->e_shoff, header->e_shnum, sizeof *i->sections))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "%s: no shared object for this machine", object->file);
    i->sections = (const ElfW(Shdr) *)(i->bytes + header->e_shoff);
    i->n_sections = header->e_shnum;
    for (size_t k = 0; k < i->n_sections; k++) {
        if (i->sections[k].sh_type == SHT_DYNAMIC)
            read_dynamic(i, &i->sections[k], object);
        else if (i->sections[k].sh_type == SHT_DYNSYM)
            read_symbols(i, &i->sections[k], object);
    }
    return i->arena->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status shared_object_read(struct portolan_arena *arena, const char *file,
                                        struct shared_object *object, struct portolan_error *err)
{
    static const char *none[] = {NULL};
    struct image i = {.arena = arena};
    enum portolan_status status;
    struct stat info;
    void *bytes = MAP_FAILED;
    int fd = open(file, O_RDONLY | O_CLOEXEC);

    *object = (struct shared_object){.file = file};
    if (fd < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    if (fstat(fd, &info) == 0 && info.st_size > 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes != MAP_FAILED) {
        i.bytes = bytes;
        i.size = (size_t)info.st_size;
    }
    status = read_sections(&i, object, err);
    if (bytes != MAP_FAILED)
        munmap(bytes, i.size);
    object->needed = object->needed ? object->needed : none;
    object->defined = object->defined ? object->defined : none;
    object->undefined = object->undefined ? object->undefined : none;
    return status;
}
