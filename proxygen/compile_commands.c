/* SPDX-License-Identifier: BSD-3-Clause */
#include "compile_commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char database_name[] = "compile_commands.json";

/* ------------------------------------------------------------------ flags */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *absolute(struct portolan_arena *arena, const char *folder, const char *path)
{
    return *path == '/' ? path : proxygen_print(arena, "%s/%s", folder, path);
}

static void add_flag(struct portolan_arena *arena, struct compile_command *c, const char *flag)
{
    c->flags = portolan_arena_grow(arena, c->flags, c->n_flags, sizeof *c->flags);
    if (c->flags)
        c->flags[c->n_flags++] = flag;
    else
        c->n_flags = 0;
}

/* Flags followed by a path, and by a word, together or apart. */
static const char *const with_path[] = {"-isystem",   "-iquote",  "-idirafter",
                                        "-include",   "-imacros", "-isysroot",
                                        "--sysroot=", "-I",       "-iwithprefixbefore"};
static const char *const with_word[] = {"-D", "-U", "-x", "-target"};
/* Flags that change what a declaration means; all others are the compiler's own matter. */
static const char *const kept[] = {"-std=",
                                   "-ansi",
                                   "-m",
                                   "--target=",
                                   "-nostdinc",
                                   "-pthread",
                                   "-fopenmp",
                                   "-fshort-enums",
                                   "-fno-short-enums",
                                   "-fshort-wchar",
                                   "-fpack-struct",
                                   "-fsigned-char",
                                   "-funsigned-char",
                                   "-fno-signed-char",
                                   "-fno-unsigned-char",
                                   "-fms-extensions",
                                   "-fplan9-extensions",
                                   "-O"};

/* Takes the flag at ARGS[I] if it matters; returns how many words it has. */
static size_t take_flag(struct portolan_arena *arena, struct compile_command *c, const char *folder,
                        const char *const *args, size_t n, size_t i)
{
    for (size_t k = 0; k < sizeof with_path / sizeof *with_path; k++) {
        size_t length = strlen(with_path[k]);

        if (!starts(args[i], with_path[k]))
            continue;
        if (args[i][length]) {
            add_flag(arena, c,
                     proxygen_print(arena, "%s%s", with_path[k],
                                    absolute(arena, folder, args[i] + length)));
            return 1;
        }
        if (i + 1 == n)
            return 1;
        add_flag(arena, c, args[i]);
        add_flag(arena, c, absolute(arena, folder, args[i + 1]));
        return 2;
    }
    for (size_t k = 0; k < sizeof with_word / sizeof *with_word; k++) {
        if (!starts(args[i], with_word[k]))
            continue;
        add_flag(arena, c, args[i]);
        if (args[i][strlen(with_word[k])] || i + 1 == n)
            return 1;
        add_flag(arena, c, args[i + 1]);
        return 2;
    }
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (starts(args[i], kept[k])) {
            add_flag(arena, c, args[i]);
            break;
        }
    return 1;
}

/* ------------------------------------------------------------------ entries */

static struct compile_command read_entry(struct header *h, CXCompileCommand entry)
{
    struct portolan_arena *arena = &h->run->arena;
    const char *folder = proxygen_header_text(h, h->clang->CompileCommand_getDirectory(entry));
    size_t n = h->clang->CompileCommand_getNumArgs(entry);
    const char **args = portolan_arena_alloc(arena, n + 1, sizeof *args);
    struct compile_command c = {0};

    c.file = absolute(arena, folder,
                      proxygen_header_text(h, h->clang->CompileCommand_getFilename(entry)));
    if (!args)
        return c;
    for (size_t i = 0; i < n; i++)
        args[i] = proxygen_header_text(h, h->clang->CompileCommand_getArg(entry, (unsigned)i));
    for (size_t i = 1; i < n;)
        i += take_flag(arena, &c, folder, args, n, i);
    return c;
}

/* Folders that have to be left and entered on the way from one file to the other. */
static size_t distance(const char *a, const char *b)
{
    size_t steps = 0, same = 0;

    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            same = i + 1;
    for (const char *c = a + same; *c; c++)
        steps += *c == '/';
    for (const char *c = b + same; *c; c++)
        steps += *c == '/';
    return steps;
}

static int nearer(const void *a, const void *b)
{
    const struct compile_command *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return strcmp(x->file, y->file);
}

static enum portolan_status choose(struct header *h, struct compile_command *commands, size_t n,
                                   const char *header)
{
    const struct portolan_proxygen_options *o = h->run->options;
    const struct compile_command *found = NULL;
    const char **flags, *how = "which includes the header";

    for (size_t i = 0; i < n && !found; i++) {
        char path[PATH_MAX];

        if (realpath(commands[i].file, path) && strcmp(path, header) == 0) {
            found = &commands[i];
            how = "the header's own";
        }
        commands[i].distance = distance(commands[i].file, header);
    }
    if (!found && n)
        qsort(commands, n, sizeof *commands, nearer);
    for (size_t i = 0; i < n && !found; i++)
        if (proxygen_includes(&h->run->arena, &commands[i], header))
            found = &commands[i];
    if (!found)
        return portolan_error_set(h->run->err, PORTOLAN_ENOTFOUND,
                                  "%s: no entry compiles '%s', and no source in it includes it; "
                                  "give the flags behind --",
                                  o->compile_commands, o->files[0]);
    flags = portolan_arena_alloc(&h->run->arena, found->n_flags + h->n_flags + 1, sizeof *flags);
    if (!flags)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < found->n_flags; i++)
        flags[i] = found->flags[i];
    for (size_t i = 0; i < h->n_flags; i++)
        flags[found->n_flags + i] = h->flags[i]; /* what the user says comes last and wins */
    h->flags = flags;
    h->n_flags += found->n_flags;
    h->run->port.flags_from = proxygen_print(&h->run->arena, "%s: entry for %s, %s",
                                             o->compile_commands, found->file, how);
    return PORTOLAN_OK;
}

static enum portolan_status read_database(struct header *h, CXCompilationDatabase database,
                                          const char *header)
{
    CXCompileCommands all = h->clang->CompilationDatabase_getAllCompileCommands(database);
    unsigned n = h->clang->CompileCommands_getSize(all);
    struct compile_command *commands =
        portolan_arena_alloc(&h->run->arena, (size_t)n + 1, sizeof *commands);
    enum portolan_status status = PORTOLAN_ENOMEM;

    for (unsigned i = 0; commands && i < n; i++)
        commands[i] = read_entry(h, h->clang->CompileCommands_getCommand(all, i));
    if (commands)
        status = choose(h, commands, n, header);
    h->clang->CompileCommands_dispose(all);
    return status;
}

/* ------------------------------------------------------------------ the file */

/* libclang wants the folder of a file of the usual name: one of another name gets such a folder. */
static enum portolan_status open_database(struct header *h, const char *path,
                                          CXCompilationDatabase *database)
{
    CXCompilationDatabase_Error error = CXCompilationDatabase_CanNotLoadDatabase;
    char folder[] = "/tmp/portolan-XXXXXX", file[PATH_MAX];
    const char *link;

    if (!realpath(path, file))
        return portolan_error_set(h->run->err, PORTOLAN_EIO, "%s: %s", path, strerror(errno));
    if (!mkdtemp(folder))
        return portolan_error_set(h->run->err, PORTOLAN_EIO, "%s: %s", folder, strerror(errno));
    link = proxygen_print(&h->run->arena, "%s/%s", folder, database_name);
    if (symlink(file, link) == 0)
        *database = h->clang->CompilationDatabase_fromDirectory(folder, &error);
    unlink(link);
    rmdir(folder);
    if (error == CXCompilationDatabase_NoError)
        return PORTOLAN_OK;
    return portolan_error_set(h->run->err, PORTOLAN_ESYNTAX,
                              "%s: this is no list of compile commands in JSON", path);
}

enum portolan_status proxygen_find_compile_command(struct header *h)
{
    const char *path = h->run->options->compile_commands;
    const char *name = h->run->options->files[0];
    CXCompilationDatabase database = NULL;
    char header[PATH_MAX];
    enum portolan_status status;
    struct stat info;

    if (!realpath(name, header))
        return portolan_error_set(h->run->err, PORTOLAN_EIO, "%s: %s", name, strerror(errno));
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        path = proxygen_print(&h->run->arena, "%s/%s", path, database_name);
    status = open_database(h, path, &database);
    if (status == PORTOLAN_OK)
        status = read_database(h, database, header);
    if (database)
        h->clang->CompilationDatabase_dispose(database);
    return status;
}
