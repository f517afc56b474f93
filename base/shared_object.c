/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a shared object says of itself, read before it is loaded; which file its name means; what it
 * needs. Without libelf, which brings libz: this also runs inside unchanged programs that are
 * measured, and these must not get a library that they do not have.
 */
#include <portolan/shared_object.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* This program's own header: a file must have the same class, byte order and machine. */
static const ElfW(Ehdr) * own_header(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

    return &__ehdr_start;
}

static bool fits_machine(const ElfW(Ehdr) * header)
{
    const ElfW(Ehdr) *own = own_header();

    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == own->e_ident[EI_CLASS] &&
           header->e_ident[EI_DATA] == own->e_ident[EI_DATA] && header->e_machine == own->e_machine;
}

static bool fits(const ElfW(Ehdr) * header)
{
    return fits_machine(header) && header->e_type == ET_DYN;
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
        unsigned binding = ELF64_ST_BIND(symbols[k].st_info); /* the same in 32 and 64 bits */
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

    if (i->size < sizeof *header || !fits_machine(header) ||
        (header->e_type != ET_DYN && header->e_type != ET_EXEC) ||
        header->e_shentsize != sizeof *i->sections ||
        !holds_array(i, header->e_shoff, header->e_shnum, sizeof *i->sections))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "%s: not a shared object for this machine", object->file);
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

    *object = (struct shared_object){.file = file};
    i.bytes = portolan_file_map(file, &i.size);
    if (!i.bytes)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    status = read_sections(&i, object, err);
    munmap((void *)i.bytes, i.size);
    object->needed = object->needed ? object->needed : none;
    object->defined = object->defined ? object->defined : none;
    object->undefined = object->undefined ? object->undefined : none;
    return status;
}

/* -- Which file a shared object's name means: what the dynamic linker does before it loads
 * anything, and without its short cut to objects of that name that are loaded already. -- */

#define CACHE_FILE  "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

/* The cache as ldconfig(8) writes it: a head, entries, then the texts that entries point to. */
struct cache_head {
    char magic[20];
    uint32_t n_entries, texts_bytes;
    uint32_t unused[5];
};
struct cache_entry {
    int32_t flags;
    uint32_t name, file; /* from the head's beginning */
    uint32_t os_version;
    uint64_t processor; /* not 0: only for processors with these features */
};

void shared_search_begin(struct shared_search *s)
{
    *s = (struct shared_search){0};
    s->cache = portolan_file_map(CACHE_FILE, &s->cache_bytes);
    if (s->cache && s->cache_bytes <= sizeof(struct cache_head)) {
        munmap((void *)s->cache, s->cache_bytes);
        s->cache = NULL;
    }
}

void shared_search_end(struct shared_search *s)
{
    if (s->cache)
        munmap((void *)s->cache, s->cache_bytes);
    portolan_arena_clear(&s->arena);
    *s = (struct shared_search){0};
}

/* The text at OFFSET of the cache, or "" where the cache is broken. */
static const char *cache_text(const struct shared_search *s, uint32_t offset)
{
    if (offset >= s->cache_bytes || !memchr(s->cache + offset, '\0', s->cache_bytes - offset))
        return "";
    return s->cache + offset;
}

static const char *find_in_cache(struct shared_search *s, const char *name)
{
    const struct cache_head *head = (const struct cache_head *)s->cache;
    const struct cache_entry *entries = (const struct cache_entry *)(head + 1);

    if (!s->cache || memcmp(head->magic, CACHE_MAGIC, sizeof head->magic) != 0 ||
        head->n_entries > (s->cache_bytes - sizeof *head) / sizeof *entries)
        return NULL;
    for (uint32_t i = 0; i < head->n_entries; i++)
        if (entries[i].processor == 0 && strcmp(cache_text(s, entries[i].name), name) == 0) {
            const char *file = cache_text(s, entries[i].file);

            if (shared_object_fits(file))
                return portolan_arena_strdup(&s->arena, file);
        }
    return NULL;
}

/* FOLDER (of LENGTH bytes) with $ORIGIN filled in, NULL when another variable is in it. */
static const char *expand(struct shared_search *s, const char *folder, size_t length,
                          const char *origin)
{
    const char *text = portolan_arena_strndup(&s->arena, folder, length);
    const char *dollar = text ? strchr(text, '$') : NULL;
    size_t word;

    if (!dollar)
        return text;
    word = strncmp(dollar, "$ORIGIN", 7) == 0 ? 7 : strncmp(dollar, "${ORIGIN}", 9) == 0 ? 9 : 0;
    if (!word || !origin)
        return NULL;
    text = portolan_arena_printf(&s->arena, "%.*s%s%s", (int)(dollar - text), text, origin,
                                 dollar + word);
    return text && !strchr(text, '$') ? text : NULL;
}

static const char *find_in_folder(struct shared_search *s, const char *folder, const char *name)
{
    const char *file = portolan_arena_printf(&s->arena, "%s/%s", folder, name);

    return file && shared_object_fits(file) ? file : NULL;
}

/* FOLDERS has colons in between; an empty one is the working folder. */
static const char *find_in_list(struct shared_search *s, const char *folders, const char *name,
                                const char *origin)
{
    const char *file = NULL;

    while (folders && !file) {
        size_t length = strcspn(folders, ":;");
        const char *folder = length ? expand(s, folders, length, origin) : ".";

        if (folder)
            file = find_in_folder(s, folder, name);
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    return file;
}

static const char *find_in_defaults(struct shared_search *s, const char *name)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    const char *file = NULL;
    Dl_serinfo size, *info;

    if (!program)
        return NULL;
    if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0 &&
        (info = portolan_arena_alloc(&s->arena, 1, size.dls_size))) {
        info->dls_size = size.dls_size;
        info->dls_cnt = size.dls_cnt;
        if (dlinfo(program, RTLD_DI_SERINFO, info) == 0)
            for (unsigned i = 0; i < info->dls_cnt && !file; i++)
                file = find_in_folder(s, info->dls_serpath[i].dls_name, name);
    }
    dlclose(program);
    return file;
}

const char *shared_search_find(struct shared_search *s, const char *name, const char *rpath,
                               const char *runpath, const char *origin)
{
    const char *file = runpath ? NULL : find_in_list(s, rpath, name, origin);
    const char *environment = getenv("LD_LIBRARY_PATH");

    if (!file && environment && *environment)
        file = find_in_list(s, environment, name, NULL);
    if (!file)
        file = find_in_list(s, runpath, name, origin);
    if (!file)
        file = find_in_cache(s, name);
    return file ? file : find_in_defaults(s, name);
}

/* -- A shared object with all that it needs. -- */

static bool holds(const struct shared_closure *closure, const char *file)
{
    for (size_t i = 0; i < closure->n; i++)
        if (strcmp(closure->objects[i].file, file) == 0)
            return true;
    return false;
}

static enum portolan_status add_object(struct shared_search *s, const char *file, const char *name,
                                       struct shared_closure *closure, struct portolan_error *err)
{
    enum portolan_status status;

    closure->objects =
        portolan_arena_grow(&s->arena, closure->objects, closure->n, sizeof *closure->objects);
    if (!closure->objects)
        return portolan_no_memory(err);
    status = shared_object_read(&s->arena, file, &closure->objects[closure->n], err);
    closure->objects[closure->n++].name = name;
    return status;
}

enum portolan_status shared_closure_read(struct shared_search *s, const char *file,
                                         struct shared_closure *closure, struct portolan_error *err)
{
    enum portolan_status status = add_object(s, file, NULL, closure, err);

    for (size_t i = 0; status == PORTOLAN_OK && i < closure->n; i++) {
        const struct shared_object object = closure->objects[i];
        const char *slash = strrchr(object.file, '/');
        const char *origin =
            portolan_arena_strndup(&s->arena, object.file, slash ? slash - object.file : 0);

        for (size_t k = 0; status == PORTOLAN_OK && object.needed[k]; k++) {
            const char *name = object.needed[k];
            const char *found;

            if (closure->without_loaded && shared_object_is_loaded(name))
                continue;
            found = strchr(name, '/')
                        ? name
                        : shared_search_find(s, name, object.rpath, object.runpath, origin);
            /* The dynamic linker reports what is not found; it may also be loaded already. */
            if (found && !holds(closure, found))
                status = add_object(s, found, name, closure, err);
        }
    }
    return status;
}
