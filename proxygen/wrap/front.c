/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generates and compiles the front, and keeps it under a hash of all its inputs, so that it is made
 * once.
 */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <portolan/progress.h>
#include <portolan/proxygen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Settings from Portolan's build for making a front. */
struct settings {
    struct portolan_words compiler, includes;
    struct portolan_words papi;           /* one object, or none */
    struct portolan_words archive, exits; /* linked in, one each; the names of EXITS are exported */
};

static enum portolan_status read_settings(struct portolan_arena *arena, const char *file,
                                          struct settings *s, struct portolan_error *err)
{
    const struct portolan_setting settings[] = {
        {"compiler", &s->compiler, false, true}, {"archive", &s->archive, true, true},
        {"exits", &s->exits, true, true},        {"include", &s->includes, true, true},
        {"papi", &s->papi, true, false},
    };

    *s = (struct settings){0};
    return portolan_settings_read(arena, file, settings, sizeof settings / sizeof *settings, err);
}

struct making {
    struct portolan_arena *arena;
    const struct portolan_wrap_options *options;
    struct settings settings;
    struct wrap_front *front;
    const char *root;            /* folder of the cache, absolute */
    const char *folder;          /* in it, where this front is made */
    const char *source;          /* base name */
    struct portolan_words flags; /* that the header needs */
    struct portolan_error *err;
};

static enum portolan_status no_memory(struct making *m)
{
    return portolan_no_memory(m->err);
}

/* ------------------------------------------------------------------ folders */

/* Makes FOLDER and the folders above it; false if it is not writable. */
static bool make_folder(struct portolan_arena *arena, const char *folder)
{
    char *path = portolan_arena_strdup(arena, folder);

    for (char *slash = path ? strchr(path + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return path && (mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK) == 0;
}

/* False for paths that the dynamic linker would split in LD_PRELOAD. */
static bool is_preloadable(const char *path)
{
    return !strpbrk(path, " :;\t\n");
}

static const char *cache_folder(struct portolan_arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (cache && *cache == '/')
        return portolan_arena_printf(arena, "%s/portolan", cache);
    return home && *home == '/' ? portolan_arena_printf(arena, "%s/.cache/portolan", home) : NULL;
}

static enum portolan_status make_temporary(struct making *m)
{
    const char *folder = getenv("TMPDIR");
    char *made;

    if (!folder || *folder != '/' || !is_preloadable(folder))
        folder = "/tmp";
    made = portolan_arena_printf(m->arena, "%s/portolan-XXXXXX", folder);
    if (!made)
        return no_memory(m);
    if (!mkdtemp(made))
        return portolan_error_set(m->err, PORTOLAN_EIO, "cannot create a folder in '%s': %s",
                                  folder, strerror(errno));
    m->root = m->front->temporary = made;
    return PORTOLAN_OK;
}

/* If the cache is not writable, a temporary folder replaces it. */
static enum portolan_status choose_root(struct making *m)
{
    const char *wanted = m->options->keep ? m->options->keep : cache_folder(m->arena);
    char path[PATH_MAX];

    if (wanted && make_folder(m->arena, wanted) && realpath(wanted, path) && is_preloadable(path)) {
        m->root = portolan_arena_strdup(m->arena, path);
        return m->root ? PORTOLAN_OK : no_memory(m);
    }
    if (m->options->keep && !is_preloadable(m->options->keep))
        return portolan_error_set(
            m->err, PORTOLAN_EINVAL,
            "'%s': a preloaded object cannot be in a folder with a blank or a colon in its name",
            m->options->keep);
    if (m->options->keep)
        return portolan_error_set(m->err, PORTOLAN_EIO, "cannot write into folder '%s': %s",
                                  m->options->keep, strerror(errno));
    return make_temporary(m);
}

/* ------------------------------------------------------------------ generating */

/* "cblas" for "<cblas.h>". */
static const char *type_of(struct making *m)
{
    const char *base = strrchr(m->options->header, '/');
    char *type;

    if (m->options->port)
        return m->options->port;
    base = base ? base + 1 : m->options->header + (*m->options->header == '<');
    type = portolan_arena_strndup(m->arena, base, strcspn(base, ".>"));
    for (char *c = type; c && *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return type;
}

/* The header's name without brackets, as the compiler searches it. */
static const char *header_of(struct making *m)
{
    const char *header = m->options->header;

    return *header == '<' ? portolan_arena_strndup(m->arena, header + 1, strcspn(header + 1, ">"))
                          : header;
}

static void log_lines(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        portolan_log(PORTOLAN_LOG_INFO, "wrap", "%.*s", (int)length, text);
    }
}

static enum portolan_status generate(struct making *m, struct portolan_diagnostics *d)
{
    const char *header = header_of(m);
    struct portolan_proxygen_options o = {
        .files = &header,
        .n_files = 1,
        .port = m->front->type,
        .folder = m->folder,
        .context = m->options->context,
        .functions = m->options->functions,
        .n_functions = m->options->n_functions,
        .flags = m->options->flags,
        .n_flags = m->options->n_flags,
        .front = true,
        .from = m->options->from,
        .compile_commands = m->options->compile_commands,
    };
    struct portolan_proxygen_result result = {0};
    enum portolan_status status =
        header ? portolan_proxygen_generate(&o, &result, d, m->err) : no_memory(m);
    char *c_type;

    if (status == PORTOLAN_OK) {
        c_type = portolan_arena_strdup(m->arena, m->front->type);
        for (char *c = c_type; c && *c; c++)
            *c = *c == '.' ? '_' : *c;
        log_lines(result.report);
        m->source = portolan_arena_printf(m->arena, "%s_front.c", c_type);
        for (size_t i = 0; i < result.n_flags; i++)
            portolan_words_add(m->arena, &m->flags,
                               portolan_arena_strdup(m->arena, result.flags[i]));
        if (!m->source || m->arena->failed)
            status = no_memory(m);
    }
    portolan_proxygen_result_clear(&result);
    return status;
}

/* ------------------------------------------------------------------ compiling */

/* The first line with "error", else the first line. */
static const char *first_error(struct portolan_arena *arena, const char *output)
{
    const char *text = "", *found = NULL;
    size_t size;

    portolan_file_read(arena, output, &text, &size, NULL);
    for (const char *line = text; *line && !found; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        const char *copy = portolan_arena_strndup(arena, line, length);

        if (copy && (strstr(copy, "error") || strstr(copy, "undefined")))
            found = copy;
        line += length;
    }
    if (found)
        return found;
    found = portolan_arena_strndup(arena, text, strcspn(text, "\n"));
    return found && *found ? found : "it says nothing";
}

/* Runs the compiler by the command W; what it prints goes to the file OUTPUT. */
static enum portolan_status run_compiler(struct portolan_arena *arena, struct portolan_words *w,
                                         const char *output, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status = portolan_command_run(arena, w, output, &cause);

    if (status == PORTOLAN_ENOTFOUND)
        return portolan_error_set(err, status,
                                  "%s; wrapping compiles a small file with the C compiler: install "
                                  "one (Debian: gcc), or name one with --cc",
                                  cause.text);
    if (status == PORTOLAN_EFOREIGN)
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s: %s", cause.text,
                                  first_error(arena, output));
    if (status != PORTOLAN_OK && err)
        *err = cause;
    return status;
}

/* The header's own folder is searched first, as compilers do. */
static void add_header_folder(struct making *m, struct portolan_words *w)
{
    const char *header = m->options->header, *slash = strrchr(header, '/');
    char path[PATH_MAX];

    if (*header != '<' &&
        realpath(slash ? portolan_arena_strndup(m->arena, header, (size_t)(slash - header) + 1)
                       : ".",
                 path))
        portolan_words_add(m->arena, w, portolan_arena_printf(m->arena, "-iquote%s", path));
}

static void add_compile(struct making *m, struct portolan_words *w)
{
    struct portolan_arena *a = m->arena;

    if (m->options->compiler)
        portolan_words_split(a, w, m->options->compiler);
    else
        portolan_words_append(a, w, &m->settings.compiler);
    portolan_words_split(a, w, "-std=gnu17 -O1 -fPIC -fvisibility=hidden -fexceptions -shared");
    add_header_folder(m, w);
    for (size_t i = 0; i < m->flags.n; i++)
        portolan_words_add(a, w, m->flags.word[i]);
    for (size_t i = 0; i < m->settings.includes.n; i++)
        portolan_words_add(a, w, portolan_arena_printf(a, "-I%s", m->settings.includes.word[i]));
}

/* The order matters: constructors of the first archive run before those of the second. */
static void add_link(struct making *m, struct portolan_words *w, const char *output)
{
    const char *base = strrchr(m->settings.archive.word[0], '/');
    struct portolan_arena *a = m->arena;

    portolan_words_add(a, w, portolan_arena_printf(a, "%s/%s", m->folder, m->source));
    portolan_words_add(a, w, "-Wl,--whole-archive");
    portolan_words_add(a, w, m->settings.archive.word[0]);
    portolan_words_add(a, w, m->settings.exits.word[0]);
    portolan_words_add(a, w, "-Wl,--no-whole-archive");
    portolan_words_add(a, w,
                       portolan_arena_printf(a, "-Wl,--exclude-libs,%s",
                                             base ? base + 1 : m->settings.archive.word[0]));
    portolan_words_split(a, w, "-Wl,-z,now -Wl,-z,defs -lm -ldl -lpthread -o");
    portolan_words_add(a, w, output);
}

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return portolan_hash(text, strlen(text) + 1, seed);
}

static uint64_t hash_file(struct portolan_arena *arena, const char *file, uint64_t seed)
{
    const char *text;
    size_t size;

    return portolan_file_read(arena, file, &text, &size, NULL) == PORTOLAN_OK
               ? portolan_hash(text, size, seed)
               : seed;
}

/* Size and time stand for the content of files that are too large or too many to read. */
static uint64_t hash_state(const char *file, uint64_t seed)
{
    struct stat info;

    if (stat(file, &info) != 0)
        return seed;
    seed = portolan_hash(&info.st_size, sizeof info.st_size, seed);
    return portolan_hash(&info.st_mtim, sizeof info.st_mtim, seed);
}

/* Names the front by a hash of its inputs. The header counts, since it defines types that the
 * generated text only names. */
static const char *key_of(struct making *m)
{
    struct portolan_words w = {0};
    uint64_t hash = hash_text(portolan_version(), 0);

    add_compile(m, &w);
    for (size_t i = 0; i < w.n; i++)
        hash = hash_text(w.word[i], hash);
    hash = hash_state(m->options->header, hash);
    hash = hash_state(m->settings.archive.word[0], hash);
    hash = hash_state(m->settings.exits.word[0], hash);
    hash =
        hash_file(m->arena, portolan_arena_printf(m->arena, "%s/%s", m->folder, m->source), hash);
    return portolan_arena_printf(m->arena, "%s-%016llx", m->front->type, (unsigned long long)hash);
}

static enum portolan_status compile(struct making *m)
{
    struct portolan_words w = {0};

    portolan_log(PORTOLAN_LOG_NOTICE, "wrap", "compiling the wrapper, which is kept in %s",
                 m->root);
    add_compile(m, &w);
    add_link(m, &w, portolan_arena_printf(m->arena, "%s/front.so", m->folder));
    return run_compiler(m->arena, &w, portolan_arena_printf(m->arena, "%s/messages", m->folder),
                        m->err);
}

/*
 * Functions that the measuring code itself calls inside the program cannot be wrapped: the front
 * would call itself.
 */
static enum portolan_status check_functions(struct making *m)
{
    const char *file = portolan_arena_printf(m->arena, "%s/front.so", m->folder);
    struct wrap_front *f = m->front;
    struct portolan_words needs = {0};
    enum portolan_status status =
        wrap_object_exports(m->arena, file, m->settings.exits.word[0], &f->functions, m->err);

    if (status == PORTOLAN_OK)
        status = wrap_archive_needs(m->arena, m->settings.archive.word[0], &needs, m->err);
    for (size_t i = 0; status == PORTOLAN_OK && i < f->functions.n; i++)
        for (size_t k = 0; k < needs.n && status == PORTOLAN_OK; k++)
            if (!strcmp(f->functions.word[i], needs.word[k]))
                status = portolan_error_set(m->err, PORTOLAN_EUNSUPPORTED,
                                            "'%s' cannot be wrapped, because measuring needs it; "
                                            "exclude it with --functions '!%s'",
                                            needs.word[k], needs.word[k]);
    return status;
}

/* Renames the folder to FINAL, unless another process made that one meanwhile. */
static enum portolan_status settle(struct making *m, const char *final)
{
    if (m->folder != final && rename(m->folder, final) != 0) {
        if (errno != EEXIST && errno != ENOTEMPTY)
            return portolan_error_set(m->err, PORTOLAN_EIO, "cannot make '%s': %s", final,
                                      strerror(errno));
        portolan_folder_remove(m->folder);
    }
    m->folder = final;
    m->front->file = portolan_arena_printf(m->arena, "%s/front.so", final);
    return m->front->file ? PORTOLAN_OK : no_memory(m);
}

static enum portolan_status make(struct making *m, struct portolan_diagnostics *d)
{
    enum portolan_status status = generate(m, d);
    const char *key, *final;
    struct stat info;

    if (status != PORTOLAN_OK)
        return status;
    key = key_of(m);
    final = portolan_arena_printf(m->arena, "%s/%s", m->root, key);
    if (m->arena->failed)
        return no_memory(m);
    if (stat(portolan_arena_printf(m->arena, "%s/front.so", final), &info) != 0) {
        portolan_progress("fronts compiled", 0, 1, true);
        status = compile(m);
        portolan_progress_done("fronts compiled");
    }
    if (status == PORTOLAN_OK && stat(final, &info) == 0) {
        portolan_folder_remove(m->folder);
        m->folder = final;
    }
    if (status == PORTOLAN_OK)
        status = check_functions(m);
    return status == PORTOLAN_OK ? settle(m, final) : status;
}

enum portolan_status wrap_front_make(struct portolan_arena *arena,
                                     const struct portolan_wrap_options *options,
                                     struct wrap_front *front, struct portolan_diagnostics *d,
                                     struct portolan_error *err)
{
    struct making m = {.arena = arena, .options = options, .front = front, .err = err};
    enum portolan_status status = read_settings(arena, options->settings, &m.settings, err);
    char *folder;

    *front = (struct wrap_front){.type = type_of(&m),
                                 .papi = m.settings.papi.n ? m.settings.papi.word[0] : NULL};
    if (status == PORTOLAN_OK)
        status = choose_root(&m);
    if (status != PORTOLAN_OK)
        return status;
    folder = portolan_arena_printf(arena, "%s/making-XXXXXX", m.root);
    if (!folder || !front->type)
        return no_memory(&m);
    if (!mkdtemp(folder))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot create a folder in '%s': %s", m.root,
                                  strerror(errno));
    m.folder = folder;
    status = make(&m, d);
    if (status != PORTOLAN_OK && m.folder == folder)
        portolan_folder_remove(folder);
    return status;
}

void wrap_front_remove(const struct wrap_front *front)
{
    if (front->temporary)
        portolan_folder_remove(front->temporary);
}
