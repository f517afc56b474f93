/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which file a shared object's name means: what the dynamic linker does before it loads anything,
 * and without its short cut to objects of that name that are loaded already.
 */
#include <portolan/shared_object.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    uint64_t processor; /* not 0: only for processors that have more */
};

void shared_search_begin(struct shared_search *s)
{
    struct stat info;
    int file = open(CACHE_FILE, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;

    *s = (struct shared_search){0};
    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && info.st_size > (off_t)sizeof(struct cache_head))
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return;
    s->cache = bytes;
    s->cache_bytes = (size_t)info.st_size;
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
