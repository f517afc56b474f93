/* SPDX-License-Identifier: BSD-3-Clause */
/* From an assembly to a program: objects from the components' archives, then the compiler; and what
 * a failure of these tools means. */
#include "internal.h"

#include <portolan/progress.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct linking {
    struct portolan_arena *arena;
    const struct portolan_link_options *o;
    struct settings settings;
    struct needed needed;
    const char *folder;         /* folder of intermediate files */
    struct portolan_words made; /* files in FOLDER */
    struct portolan_text log;
};

enum portolan_status settings_read(struct portolan_arena *arena, const char *file,
                                   struct settings *s, struct portolan_error *err)
{
    const struct portolan_setting settings[] = {
        {"compiler", &s->compiler, false, true}, {"ld", &s->ld, false, true},
        {"objcopy", &s->objcopy, false, true},   {"flags", &s->flags, false, false},
        {"include", &s->includes, true, false},  {"archive", &s->archives, true, true},
        {"libs", &s->libs, false, false},        {"static-libs", &s->static_libs, false, false},
    };

    *s = (struct settings){0};
    return portolan_settings_read(arena, file, settings, sizeof settings / sizeof *settings, err);
}

/* Runs a command and waits; its output goes through FILE to the log. */
static enum portolan_status run_tool(struct linking *l, struct portolan_words *command,
                                     const char *file, struct portolan_error *err)
{
    enum portolan_status status = portolan_command_run(l->arena, command, file, err);
    const char *text;
    size_t size;

    if (portolan_file_read(l->arena, file, &text, &size, NULL) == PORTOLAN_OK)
        portolan_text_add_bytes(&l->log, text, size);
    unlink(file);
    return status;
}

/* ld, gold and lld report missing names in these forms. */
static const char *missing_name(const char *line, size_t *length)
{
    static const char *const ways[] = {"cannot find -l", "unable to find library -l",
                                       "library not found for -l"};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *at = strstr(line, ways[i]);

        if (at) {
            at += strlen(ways[i]);
            *length = strcspn(at, ": \t\r\n");
            return at;
        }
    }
    return NULL;
}

const char *tool_missing_libraries(struct portolan_arena *arena, const char *log, const char *end)
{
    const char *list = NULL, *at;
    size_t length;

    while ((at = missing_name(log, &length))) {
        const char *name = portolan_arena_printf(arena, "lib%.*s%s", (int)length, at, end);

        log = at + length;
        if (name && (!list || !strstr(list, name)))
            list = list ? portolan_arena_printf(arena, "%s, %s", list, name) : name;
    }
    return list;
}

/* The path of a file in the folder, which is removed at the end. */
static const char *make_name(struct linking *l, const char *name)
{
    const char *path = portolan_arena_printf(l->arena, "%s/%s", l->folder, name);

    return portolan_words_add(l->arena, &l->made, path) ? path : NULL;
}

static enum portolan_status open_folder(struct linking *l, struct portolan_error *err)
{
    if (!l->o->keep) {
        l->folder = portolan_temporary_folder(l->arena, err);
        return l->folder ? PORTOLAN_OK : err ? err->status : PORTOLAN_EIO;
    }
    l->folder = l->o->keep;
    if (mkdir(l->folder, 0777) == 0 || errno == EEXIST)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EIO, "no folder for intermediate files: %s: %s",
                              l->folder, strerror(errno));
}

static void close_folder(struct linking *l)
{
    if (!l->folder || l->o->keep)
        return;
    for (size_t i = 0; i < l->made.n; i++)
        unlink(l->made.word[i]);
    rmdir(l->folder);
}

/*
 * Adds OPTION and a symbol to a command for each class of the unit. Here and below the arena
 * remembers if memory ran out; run_tool() reports it.
 */
static void add_symbols(struct linking *l, struct portolan_words *c, const char *option,
                        const struct unit *u)
{
    for (size_t i = 0; i < u->symbols.n; i++)
        portolan_words_add(l->arena, c,
                           portolan_arena_printf(l->arena, "%s%s", option, u->symbols.word[i]));
}

/* Makes a relocatable object of the whole archive: a shared object holds all of it, too. */
static enum portolan_status take_from_archive(struct linking *l, const struct unit *u,
                                              const char *said, struct portolan_error *err)
{
    struct portolan_words c = {0};

    portolan_words_append(l->arena, &c, &l->settings.ld);
    /* Allocate common variables and resolve C++ groups while names are still global. */
    portolan_words_split(l->arena, &c, "-r -d --force-group-allocation -o");
    portolan_words_add(l->arena, &c, u->object);
    add_symbols(l, &c, "--require-defined=", u);
    portolan_words_add(l->arena, &c, "--whole-archive");
    portolan_words_add(l->arena, &c, u->archive);
    return run_tool(l, &c, said, err);
}

/*
 * Makes all names but the descriptors local, as in a shared object. Removes the sections of
 * link-time optimisation, in which the names would still be global.
 */
static enum portolan_status hide_names(struct linking *l, const struct unit *u, const char *said,
                                       struct portolan_error *err)
{
    struct portolan_words c = {0};

    portolan_words_append(l->arena, &c, &l->settings.objcopy);
    portolan_words_split(l->arena, &c, "-R .gnu.lto_* -R .gnu.debuglto_*");
    add_symbols(l, &c, "--keep-global-symbol=", u);
    portolan_words_add(l->arena, &c, u->object);
    return run_tool(l, &c, said, err);
}

/* Explains an archive that does not match its description. */
static void explain_unit(struct linking *l, const struct unit *u, struct portolan_error *err)
{
    static const char required[] = "required symbol `";
    const char *log = l->log.bytes ? l->log.bytes : "";
    const char *symbol = strstr(log, required);
    struct portolan_error cause = *err;

    if (!symbol && !strstr(log, "not recognized")) {
        portolan_error_prefix(err, "archive %s", u->archive);
        return;
    }
    symbol = symbol ? symbol + strlen(required) : u->symbols.word[0];
    *err = (struct portolan_error){0};
    portolan_error_set(err, cause.status,
                       "archive %s does not define %.*s; put the objects of the component into it "
                       "(those compiled with -flto need -ffat-lto-objects, too)",
                       u->archive, (int)strcspn(symbol, "'"), symbol);
}

static enum portolan_status make_objects(struct linking *l, const char *said,
                                         struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < l->needed.n_units && status == PORTOLAN_OK; i++) {
        struct unit *u = &l->needed.units[i];
        const char *name = portolan_arena_printf(l->arena, "unit_%zu.o", i);

        portolan_progress("components linked", i, l->needed.n_units + 1, false);
        if (!name || !(u->object = make_name(l, name)))
            return portolan_no_memory(err);
        status = take_from_archive(l, u, said, err);
        if (status == PORTOLAN_OK)
            status = hide_names(l, u, said, err);
        if (status != PORTOLAN_OK)
            explain_unit(l, u, err);
    }
    return status;
}

/* The libraries of Portolan and of the components, each description's libraries once. */
static void add_libraries(struct linking *l, struct portolan_words *c)
{
    bool is_static = l->o->is_static;

    portolan_words_add(l->arena, c, "-Wl,--start-group");
    portolan_words_append(l->arena, c, is_static ? &l->settings.static_libs : &l->settings.libs);
    for (size_t i = 0; i < l->o->n_flags; i++)
        portolan_words_add(l->arena, c, l->o->flags[i]);
    for (size_t i = 0; i < l->needed.n_classes; i++) {
        const struct portolan_class_description *class = l->needed.classes[i];
        const char *libs = is_static ? class->static_libs : class->libs;
        bool seen = false;

        for (size_t k = 0; k < i; k++)
            seen = seen || !strcmp(libs, is_static ? l->needed.classes[k]->static_libs
                                                   : l->needed.classes[k]->libs);
        if (!seen)
            portolan_words_split(l->arena, c, libs);
    }
    portolan_words_add(l->arena, c, "-Wl,--end-group");
}

/* The components' objects, then Portolan's archives, of which the one with MPI's routines must come
 * before MPI, which the compiler appends. */
static void compose_command(struct linking *l, const char *source, const char *program,
                            struct portolan_words *c)
{
    struct portolan_arena *arena = l->arena;

    if (l->o->compiler)
        portolan_words_split(arena, c, l->o->compiler);
    else
        portolan_words_append(arena, c, &l->settings.compiler);
    portolan_words_append(arena, c, &l->settings.flags);
    if (l->o->is_static)
        portolan_words_add(arena, c, "-static");
    for (size_t i = 0; i < l->settings.includes.n; i++)
        portolan_words_add(arena, c,
                           portolan_arena_printf(arena, "-I%s", l->settings.includes.word[i]));
    /* sidl.Loader looks for classes among the names that the program shows. */
    portolan_words_split(arena, c, "-Wl,--export-dynamic-symbol=*__externals -o");
    portolan_words_add(arena, c, program);
    portolan_words_add(arena, c, source);
    for (size_t i = 0; i < l->needed.n_units; i++)
        portolan_words_add(arena, c, l->needed.units[i].object);
    portolan_words_append(arena, c, &l->settings.archives);
    add_libraries(l, c);
}

/* Explains a failure from the linker's output. */
static enum portolan_status explain_failure(struct linking *l, struct portolan_error *err)
{
    const char *log = l->log.bytes ? l->log.bytes : "";
    const char *missing = tool_missing_libraries(l->arena, log, l->o->is_static ? ".a" : ".so");
    struct portolan_error cause = *err;

    *err = (struct portolan_error){0};
    if (missing && l->o->is_static)
        return portolan_error_set(err, cause.status,
                                  "%s; this machine lacks the static archives %s: install them, or "
                                  "link without --static",
                                  cause.text, missing);
    if (missing)
        return portolan_error_set(err, cause.status,
                                  "%s; this machine lacks %s: install what they belong to, or give "
                                  "their folder with -- -LDIR",
                                  cause.text, missing);
    if (strstr(log, "PMPI_"))
        return portolan_error_set(err, cause.status,
                                  "%s; it must be a compiler that links MPI programs, as "
                                  "mpicc." PORTOLAN_MPI " is",
                                  cause.text);
    if (strstr(log, "undefined reference") || strstr(log, "undefined symbol"))
        return portolan_error_set(err, cause.status,
                                  "%s; name the libraries that define what is missing in the "
                                  "attribute '%s' of the component's description, or behind --",
                                  cause.text, l->o->is_static ? "static-libs" : "libs");
    *err = cause;
    return cause.status;
}

static enum portolan_status compile_program(struct linking *l, const char *source, const char *said,
                                            struct portolan_error *err)
{
    const char *fresh = portolan_arena_printf(l->arena, "%s.%ld.new", l->o->output, (long)getpid());
    enum portolan_status status;
    struct portolan_words command = {0};

    if (!fresh)
        return portolan_no_memory(err);
    compose_command(l, source, fresh, &command);
    if ((status = run_tool(l, &command, said, err)) != PORTOLAN_OK)
        status = explain_failure(l, err);
    else if (rename(fresh, l->o->output) != 0)
        status = portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be written: %s", l->o->output,
                                    strerror(errno));
    if (status != PORTOLAN_OK)
        unlink(fresh);
    return status;
}

static enum portolan_status make_program(struct linking *l, const struct portolan_assembly *a,
                                         struct portolan_error *err)
{
    const char *source = make_name(l, "main.c"), *said = make_name(l, "said"), *text;
    enum portolan_status status;

    if (!source || !said)
        return portolan_no_memory(err);
    status = emit_main(l->arena, a, &l->needed, &text, err);
    if (status == PORTOLAN_OK)
        status = portolan_replace_file(source, text, strlen(text), err);
    if (status == PORTOLAN_OK)
        status = make_objects(l, said, err);
    if (status == PORTOLAN_OK)
        status = compile_program(l, source, said, err);
    portolan_progress_done("components linked");
    return status;
}

static bool is_same_file(const struct stat *output, const char *file)
{
    struct stat other;

    return file && stat(file, &other) == 0 && other.st_dev == output->st_dev &&
           other.st_ino == output->st_ino;
}

/* The output must not overwrite one of the inputs. */
static enum portolan_status check_output(const struct linking *l, const struct portolan_assembly *a,
                                         struct portolan_error *err)
{
    struct stat output;
    bool is_source;

    if (stat(l->o->output, &output) != 0)
        return PORTOLAN_OK;
    is_source = is_same_file(&output, a->file);
    for (size_t i = 0; i < l->needed.n_classes; i++)
        is_source = is_source || is_same_file(&output, l->needed.classes[i]->file) ||
                    is_same_file(&output, l->needed.classes[i]->library);
    for (size_t i = 0; i < l->needed.n_units; i++)
        is_source = is_source || is_same_file(&output, l->needed.units[i].archive);
    if (!is_source)
        return PORTOLAN_OK;
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "'%s' is a file that the program is made of; give the program another "
        "name",
        l->o->output);
}

enum portolan_status portolan_link(const struct portolan_assembly *a,
                                   const struct portolan_palette *palette, const char *settings,
                                   const struct portolan_link_options *o,
                                   struct portolan_link_result *result,
                                   struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_diagnostics nobody = {0};
    struct linking l = {.arena = &arena, .o = o};
    enum portolan_status status = settings_read(&arena, settings, &l.settings, err);

    *result = (struct portolan_link_result){0};
    if (status == PORTOLAN_OK)
        status = needed_find(&arena, a, palette, o, &l.needed, d ? d : &nobody, err);
    if (status == PORTOLAN_OK)
        status = check_output(&l, a, err);
    if (status == PORTOLAN_OK)
        status = open_folder(&l, err);
    if (status == PORTOLAN_OK)
        status = make_program(&l, a, err);
    close_folder(&l);
    result->n_classes = l.needed.n_classes;
    result->n_archives = l.needed.n_units;
    portolan_text_take(&l.log, &result->log, NULL);
    portolan_arena_clear(&arena);
    return status;
}
