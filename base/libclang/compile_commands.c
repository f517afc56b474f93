/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler flags for a file from a compile_commands.json. */
#include <portolan/command.h>
#include <portolan/libclang.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One entry: the source, and those of its flags with which a file is read. */
struct compile_command {
    const char *file;   /* absolute */
    const char **flags; /* folders absolute */
    size_t n_flags;
    size_t distance; /* folders between it and the file */
};

static const char database_name[] = "compile_commands.json";

/* ------------------------------------------------------------------ flags */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *absolute(struct portolan_arena *arena, const char *folder, const char *path)
{
    return *path == '/' ? path : portolan_libclang_print(arena, "%s/%s", folder, path);
}

static void add_flag(struct portolan_arena *arena, struct compile_command *c, const char *flag)
{
    c->flags = portolan_arena_grow(arena, c->flags, c->n_flags, sizeof *c->flags);
    if (c->flags)
        c->flags[c->n_flags++] = flag;
    else
        c->n_flags = 0;
}

/* Flags followed by a path, then flags followed by a word, with or without a blank in between. */
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
                     portolan_libclang_print(arena, "%s%s", with_path[k],
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

/* ------------------------------------------------------------------ includes */

/*
 * Whether a source includes a header, by the text of the directives: parsing every source of a
 * project to find the flags of one header would take longer than anything else. Conditions are not
 * looked at, and files named by macros are not found.
 */
struct walk {
    struct portolan_arena *arena;
    const struct compile_command *command;
    const char *header; /* real path */
    const char **seen;  /* real paths */
    size_t n_seen;
};

/* The folder of a flag -I, -isystem, -iquote or -idirafter at I, or NULL. */
static const char *search_folder(const struct compile_command *c, size_t i)
{
    static const char *const flags[] = {"-isystem", "-iquote", "-idirafter", "-I"};

    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        size_t length = strlen(flags[k]);

        if (strncmp(c->flags[i], flags[k], length) != 0)
            continue;
        return c->flags[i][length]  ? c->flags[i] + length
               : i + 1 < c->n_flags ? c->flags[i + 1]
                                    : NULL;
    }
    return NULL;
}

/* The real path of the file that NAME means in a directive of FILE; in the arena, or NULL. */
static const char *resolve_name(struct walk *w, const char *file, const char *name, bool quoted)
{
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX];

    if (*name == '/')
        return realpath(name, path) ? portolan_libclang_print(w->arena, "%s", path) : NULL;
    if (quoted && slash &&
        realpath(portolan_libclang_print(w->arena, "%.*s/%s", (int)(slash - file), file, name),
                 path))
        return portolan_libclang_print(w->arena, "%s", path);
    for (size_t i = 0; i < w->command->n_flags; i++) {
        const char *folder = search_folder(w->command, i);

        if (folder && realpath(portolan_libclang_print(w->arena, "%s/%s", folder, name), path))
            return portolan_libclang_print(w->arena, "%s", path);
    }
    return NULL;
}

/* The name in LINE if it is an include directive, cut out of it. */
static char *directive(char *line, bool *quoted)
{
    char *end;

    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '"' && *line != '<')
        return NULL;
    *quoted = *line == '"';
    end = strchr(line + 1, *quoted ? '"' : '>');
    if (!end)
        return NULL;
    *end = '\0';
    return line + 1;
}

static bool is_seen(const struct walk *w, const char *path)
{
    for (size_t i = 0; i < w->n_seen; i++)
        if (strcmp(w->seen[i], path) == 0)
            return true;
    return false;
}

/* Notes the files that FILE includes and that are not known yet; true if the header is there. */
static bool scan_file(struct walk *w, const char *file)
{
    FILE *text = fopen(file, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    while (text && !found && getline(&line, &capacity, text) >= 0) {
        bool quoted;
        char *name = directive(line, &quoted);
        const char *path = name ? resolve_name(w, file, name, quoted) : NULL;

        if (!path || is_seen(w, path))
            continue;
        found = strcmp(path, w->header) == 0;
        w->seen = portolan_arena_grow(w->arena, w->seen, w->n_seen, sizeof *w->seen);
        if (!w->seen)
            break;
        w->seen[w->n_seen++] = path;
    }
    free(line);
    if (text)
        fclose(text);
    return found;
}

/* Whether the source of COMMAND includes HEADER, itself or through what it includes. */
static bool includes(struct portolan_arena *arena, const struct compile_command *command,
                     const char *header)
{
    struct walk w = {.arena = arena, .command = command, .header = header};

    if (scan_file(&w, command->file))
        return true;
    for (size_t i = 0; w.seen && i < w.n_seen; i++)
        if (scan_file(&w, w.seen[i]))
            return true;
    return false;
}

/* ------------------------------------------------------------------ entries */

/* One search for the flags of a file. */
struct search {
    const struct portolan_libclang *clang;
    struct portolan_arena *arena;
    const char *database, *name, *file; /* as given, and the file's real path */
    const char *const *more;
    size_t n_more;
    struct portolan_compile_flags *found;
    struct portolan_error *err;
};

static const char *text_of(struct search *s, CXString string)
{
    return portolan_libclang_text(s->clang, s->arena, string);
}

static struct compile_command read_entry(struct search *s, CXCompileCommand entry)
{
    const char *folder = text_of(s, s->clang->CompileCommand_getDirectory(entry));
    size_t n = s->clang->CompileCommand_getNumArgs(entry);
    const char **args = portolan_arena_alloc(s->arena, n + 1, sizeof *args);
    struct compile_command c = {0};

    c.file = absolute(s->arena, folder, text_of(s, s->clang->CompileCommand_getFilename(entry)));
    if (!args)
        return c;
    for (size_t i = 0; i < n; i++)
        args[i] = text_of(s, s->clang->CompileCommand_getArg(entry, (unsigned)i));
    for (size_t i = 1; i < n;)
        i += take_flag(s->arena, &c, folder, args, n, i);
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

/* What the user says comes last and wins. */
static enum portolan_status take_entry(struct search *s, const struct compile_command *c,
                                       const char *how)
{
    const char **flags = portolan_arena_alloc(s->arena, c->n_flags + s->n_more + 1, sizeof *flags);

    if (!flags)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < c->n_flags; i++)
        flags[i] = c->flags[i];
    for (size_t i = 0; i < s->n_more; i++)
        flags[c->n_flags + i] = s->more[i];
    *s->found = (struct portolan_compile_flags){
        .flags = flags,
        .n_flags = c->n_flags + s->n_more,
        .from =
            portolan_libclang_print(s->arena, "%s: entry for %s, %s", s->database, c->file, how),
    };
    return PORTOLAN_OK;
}

static enum portolan_status choose_entry(struct search *s, struct compile_command *commands,
                                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char path[PATH_MAX];

        if (realpath(commands[i].file, path) && strcmp(path, s->file) == 0)
            return take_entry(s, &commands[i], "the header's own");
        commands[i].distance = distance(commands[i].file, s->file);
    }
    if (n)
        qsort(commands, n, sizeof *commands, nearer);
    for (size_t i = 0; i < n; i++)
        if (includes(s->arena, &commands[i], s->file))
            return take_entry(s, &commands[i], "which includes the header");
    return portolan_error_set(
        s->err, PORTOLAN_ENOTFOUND,
        "%s: no entry compiles '%s', and no source in it includes it; give the flags after --",
        s->database, s->name);
}

static enum portolan_status read_database(struct search *s, CXCompilationDatabase database)
{
    CXCompileCommands all = s->clang->CompilationDatabase_getAllCompileCommands(database);
    unsigned n = s->clang->CompileCommands_getSize(all);
    struct compile_command *commands =
        portolan_arena_alloc(s->arena, (size_t)n + 1, sizeof *commands);
    enum portolan_status status = PORTOLAN_ENOMEM;

    for (unsigned i = 0; commands && i < n; i++)
        commands[i] = read_entry(s, s->clang->CompileCommands_getCommand(all, i));
    if (commands)
        status = choose_entry(s, commands, n);
    s->clang->CompileCommands_dispose(all);
    return status;
}

/* ------------------------------------------------------------------ the file */

/* libclang takes only a folder with a file of the usual name: make one with a link to PATH. */
static enum portolan_status open_database(struct search *s, const char *path,
                                          CXCompilationDatabase *database)
{
    CXCompilationDatabase_Error error = CXCompilationDatabase_CanNotLoadDatabase;
    char file[PATH_MAX], *folder;
    const char *link;

    if (!realpath(path, file))
        return portolan_error_set(s->err, PORTOLAN_EIO, "%s: %s", path, strerror(errno));
    if (!(folder = portolan_temporary_folder(s->arena, s->err)))
        return PORTOLAN_EIO;
    link = portolan_libclang_print(s->arena, "%s/%s", folder, database_name);
    if (symlink(file, link) == 0)
        *database = s->clang->CompilationDatabase_fromDirectory(folder, &error);
    unlink(link);
    rmdir(folder);
    if (error == CXCompilationDatabase_NoError)
        return PORTOLAN_OK;
    return portolan_error_set(s->err, PORTOLAN_ESYNTAX,
                              "%s: not a list of compile commands in JSON", path);
}

enum portolan_status portolan_compile_flags_find(const struct portolan_libclang *clang,
                                                 struct portolan_arena *arena, const char *database,
                                                 const char *file, const char *const *more,
                                                 size_t n_more,
                                                 struct portolan_compile_flags *found,
                                                 struct portolan_error *err)
{
    CXCompilationDatabase opened = NULL;
    const char *path = database;
    char real[PATH_MAX];
    struct search s = {clang, arena, database, file, real, more, n_more, found, err};
    enum portolan_status status;
    struct stat info;

    if (!realpath(file, real))
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        path = portolan_libclang_print(arena, "%s/%s", path, database_name);
    status = open_database(&s, path, &opened);
    if (status == PORTOLAN_OK)
        status = read_database(&s, opened);
    if (opened)
        clang->CompilationDatabase_dispose(opened);
    return status;
}
