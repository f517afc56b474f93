/* SPDX-License-Identifier: BSD-3-Clause */
/* How generated code includes the header, and the macros it defines before. */
#include "read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* PATH relative to FOLDER, links resolved; NULL if it is not below it. */
static const char *below(struct portolan_arena *arena, const char *folder, const char *path)
{
    char real_folder[PATH_MAX], real_path[PATH_MAX];
    size_t length;

    if (!realpath(*folder ? folder : ".", real_folder) || !realpath(path, real_path))
        return NULL;
    length = strlen(real_folder);
    return strncmp(real_path, real_folder, length) == 0 && real_path[length] == '/'
               ? proxygen_print(arena, "%s", real_path + length + 1)
               : NULL;
}

/* PATH without Debian's folder for the machine (x86_64-linux-gnu), which compilers search, too. */
static const char *behind_triplet(const char *path)
{
    const char *slash = strchr(path, '/'), *system = strstr(path, "-linux-");

    return slash && system && system < slash ? slash + 1 : path;
}

static const char *real_path_of(struct portolan_arena *arena, const char *path)
{
    char real[PATH_MAX];

    return realpath(path, real) ? proxygen_print(arena, "%s", real) : path;
}

/* The folder if flag number I is an -I, else NULL. */
static const char *include_folder(struct header *h, size_t i)
{
    const char *flag = h->flags[i];

    if (strncmp(flag, "-I", 2) != 0)
        return NULL;
    return flag[2] ? flag + 2 : i + 1 < h->n_flags ? h->flags[i + 1] : "";
}

/* Returns whether a folder before flag number I has another file NAME, which compilers would take.
 */
static bool is_shadowed(struct header *h, size_t i, const char *name, const char *path)
{
    struct stat own, other;

    for (size_t k = 0; k < i; k++) {
        const char *folder = include_folder(h, k);

        if (folder && stat(proxygen_print(&h->run->arena, "%s/%s", folder, name), &other) == 0 &&
            (stat(path, &own) != 0 || own.st_dev != other.st_dev || own.st_ino != other.st_ino))
            return true;
    }
    return false;
}

/* The text after #include: the path relative to the first folder of an -I that has the header. */
static const char *inclusion_of(struct header *h)
{
    const struct portolan_proxygen_options *o = h->run->options;
    struct portolan_arena *arena = &h->run->arena;
    const char *path = "", *base, *rest;
    bool shadowed = false;

    if (o->include)
        return *o->include == '<' || *o->include == '"'
                   ? o->include
                   : proxygen_print(arena, "\"%s\"", o->include);
    if (h->file)
        path = proxygen_header_text(h, h->clang->getFileName(h->file));
    for (size_t i = 0; i < h->n_flags; i++) {
        const char *folder = include_folder(h, i);

        rest = folder ? below(arena, folder, path) : NULL;
        if (rest && !is_shadowed(h, i, rest, path))
            return proxygen_print(arena, "<%s>", rest);
        shadowed |= rest != NULL;
    }
    if (shadowed) /* then only the absolute path is unambiguous */
        return proxygen_print(arena, "\"%s\"", real_path_of(arena, path));
    if (strncmp(path, "/usr/include/", 13) == 0)
        return proxygen_print(arena, "<%s>", behind_triplet(path + 13));
    base = strrchr(path, '/');
    return proxygen_print(arena, "\"%s\"", base ? base + 1 : path);
}

/* ------------------------------------------------------------------ macros */

/*
 * The declarations of a header depend on macros, so generated code repeats those that the flags
 * define; a compiler with other values reports the difference. Files that flags include come first,
 * too. Search paths are left out, since they differ between machines.
 */

/* The value of flag *I, which may be in the next word; then *I moves there. */
static const char *word_of(const struct header *h, size_t *i)
{
    const char *flag = h->flags[*i];

    if (flag[2])
        return flag + 2;
    return *i + 1 < h->n_flags ? h->flags[++*i] : NULL;
}

/* "X" is 1, "X=" is empty, "F(x)=x+1" a macro with parameters. */
static const char *definition(struct portolan_arena *arena, const char *word)
{
    size_t name = strcspn(word, "=");
    const char *value = word[name] ? word + name + 1 : "1";

    /* Compilers use only the first line. */
    return proxygen_print(arena, "#define %.*s%s%.*s\n", (int)name, word, *value ? " " : "",
                          (int)strcspn(value, "\n"), value);
}

static bool is_noted(const char *flag)
{
    static const char *const noted[] = {"-std=", "-ansi", "-m", "-f", "--target=", "-pthread"};

    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        if (strncmp(flag, noted[i], strlen(noted[i])) == 0)
            return strchr(flag, '/') == NULL && !strstr(flag, "*/");
    return false;
}

void proxygen_record_inclusion(struct header *h)
{
    struct portolan_arena *arena = &h->run->arena;
    struct portolan_text defines = {.arena = arena}, flags = {.arena = arena};

    for (size_t i = 0; i < h->n_flags; i++) {
        const char *flag = h->flags[i];

        if (strncmp(flag, "-D", 2) == 0 || strncmp(flag, "-U", 2) == 0) {
            const char *word = word_of(h, &i);

            if (word && flag[1] == 'D')
                portolan_text_add(&defines, "%s", definition(arena, word));
            else if (word)
                portolan_text_add(&defines, "#undef %.*s\n", (int)strcspn(word, "\n"), word);
        } else if (strcmp(flag, "-include") == 0 && i + 1 < h->n_flags) {
            portolan_text_add(&defines, "#include \"%.*s\"\n", (int)strcspn(h->flags[i + 1], "\n"),
                              h->flags[i + 1]);
            i++;
        } else if (is_noted(flag)) {
            portolan_text_add(&flags, " %s", flag);
        }
    }
    h->run->port->include = inclusion_of(h);
    h->run->port->flags = flags.bytes;
    h->run->port->defines = defines.bytes;
}
