/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files into a checked model; follows require and import. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char sidl_text[] = {
#include "sidl.inc"
};
static const char cca_text[] = {
#include "cca.inc"
};
static const char ports_text[] = {
#include "portolan.inc"
};
static const char performance_text[] = {
#include "performance.inc"
};

const struct builtin_spec builtin_specs[] = {
    {"sidl", BUILTIN_FOLDER "sidl.sidl", sidl_text, sizeof sidl_text},
    {"gov", BUILTIN_FOLDER "cca.sidl", cca_text, sizeof cca_text},
    {"portolan", BUILTIN_FOLDER "portolan.sidl", ports_text, sizeof ports_text},
    {"Performance", BUILTIN_FOLDER "performance.sidl", performance_text, sizeof performance_text},
};
const size_t n_builtin_specs = sizeof builtin_specs / sizeof *builtin_specs;

/* More than people write; keeps lines and columns within int. */
static const size_t most_bytes = (size_t)256 << 20;

struct reader {
    struct portolan_sidl_model *model;
    const struct portolan_sidl_options *options;
    struct portolan_diagnostics *d;
};

/* Reads regular files only: a folder would give a worse message, and a pipe might block. */
static bool read_text(struct portolan_text *text, const char *path)
{
    struct stat status;

    if (stat(path, &status))
        return false;
    if (S_ISREG(status.st_mode))
        return arena_read_file(text, path, most_bytes);
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    return false;
}

static struct file *add_file(struct reader *r, const char *name, bool is_requested)
{
    struct file *file = portolan_arena_alloc(&r->model->arena, 1, sizeof *file);

    file->name = portolan_arena_printf(&r->model->arena, "%s", name);
    file->is_requested = is_requested;
    file->unresolved.arena = &r->model->arena;
    ARENA_PUSH(&r->model->arena, r->model->files, r->model->n_files, file);
    return file;
}

static bool is_read(const struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->model->n_files; i++)
        if (strcmp(r->model->files[i]->name, name) == 0)
            return true;
    return false;
}

static bool has_types(const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE || has_types(package->children[i]))
            return true;
    return false;
}

static bool is_known(const struct reader *r, const char *name)
{
    const struct portolan_sidl_symbol *symbol = symbol_find(r->model, name);

    return symbol && (symbol->kind != PORTOLAN_SIDL_PACKAGE || has_types(symbol));
}

/* DIR/a.b.c.sidl, DIR/c.sidl or DIR/a.sidl, the first that exists. DIR "" is the current folder. */
static const char *file_in(struct reader *r, const char *dir, const char *package)
{
    const char *last = strrchr(package, '.');
    const char *const stems[] = {package, last ? last + 1 : package, package};
    const int lengths[] = {(int)strlen(package), (int)strlen(stems[1]), (int)strcspn(package, ".")};

    for (int i = 0; i < 3; i++) {
        const char *path = portolan_arena_printf(&r->model->arena, "%s%s%.*s.sidl", dir,
                                                 *dir && dir[strlen(dir) - 1] != '/' ? "/" : "",
                                                 lengths[i], stems[i]);

        if (access(path, F_OK) == 0 && !is_read(r, path))
            return path;
    }
    return NULL;
}

static bool read_file(struct reader *r, const char *path, bool is_requested,
                      const struct portolan_sidl_place *from)
{
    const struct portolan_sidl_place here = {path, 1, 0};
    struct portolan_text text = {.arena = &r->model->arena};
    struct file *file;

    if (!read_text(&text, path)) {
        r->model->is_all_lost = true;
        diagnose_at(r->d, from ? from : &here, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    file = add_file(r, path, is_requested);
    file->is_on_disk = true;
    parser_read(r->model, file, text.length ? text.bytes : "", text.length, r->d);
    return true;
}

/* Reads the built-in specification of package NAME or of a package around it. */
static void read_builtin(struct reader *r, const char *name)
{
    for (size_t i = 0; i < n_builtin_specs; i++) {
        const struct builtin_spec *spec = &builtin_specs[i];
        const size_t length = strlen(spec->package);

        if (strncmp(name, spec->package, length) != 0 || (name[length] && name[length] != '.') ||
            is_read(r, spec->file))
            continue;
        parser_read(r->model, add_file(r, spec->file, false), spec->text, spec->size, r->d);
    }
}

/*
 * Built-in specifications also serve for versions that differ only in the last of three numbers.
 * Types that are missing in the built-in version are reported where they are used.
 */
static bool stands_in(const struct portolan_sidl_symbol *package, const char *wanted)
{
    const char *version = symbol_version(package), *last = strrchr(version, '.');

    return strncmp(package->place.file, BUILTIN_FOLDER, strlen(BUILTIN_FOLDER)) == 0 &&
           strchr(version, '.') != last &&
           strncmp(version, wanted, (size_t)(last + 1 - version)) == 0;
}

static void check_version(struct reader *r, const struct import *import)
{
    const struct portolan_sidl_symbol *symbol = symbol_find(r->model, import->name);

    if (symbol->kind != PORTOLAN_SIDL_PACKAGE)
        diagnose_at(r->d, &import->place, "%s is %s, but a package is expected", import->name,
                    symbol_kind_text(symbol->kind));
    else if (!import->is_import && !import->version && !symbol_version(symbol))
        diagnose_at(r->d, &import->place, "package %s has no version to require; import it",
                    import->name);
    else if (!import->is_import && !import->version)
        diagnose_at(r->d, &import->place, "expected 'require %s version %s'", import->name,
                    symbol_version(symbol));
    else if (import->version && !symbol_version(symbol))
        diagnose_at(r->d, &import->place, "package %s has no version, but %s is required",
                    import->name, import->version);
    else if (!import->version || strcmp(import->version, symbol_version(symbol)) == 0)
        return;
    else if (stands_in(symbol, import->version))
        diagnose_at(r->options->notes, &import->place,
                    "package %s has version %s here, which is used as %s", import->name,
                    symbol_version(symbol), import->version);
    else
        diagnose_at(r->d, &import->place, "package %s has version %s, not %s", import->name,
                    symbol_version(symbol), import->version);
}

/* Reads the file of the imported package from DIR, if the package is not known yet. */
static void look_in(struct reader *r, const char *dir, const struct import *import)
{
    const char *path = is_known(r, import->name) ? NULL : file_in(r, dir, import->name);

    if (path)
        read_file(r, path, false, &import->place);
}

static void follow_import(struct reader *r, struct file *file, const struct import *import)
{
    const char *slash = strrchr(file->name, '/');

    if (file->is_on_disk)
        look_in(r,
                portolan_arena_printf(&r->model->arena, "%.*s",
                                      slash ? (int)(slash + 1 - file->name) : 0, file->name),
                import);
    for (size_t i = 0; i < r->options->n_include_dirs; i++)
        look_in(r, r->options->include_dirs[i], import);
    if (!is_known(r, import->name))
        read_builtin(r, import->name);
    if (is_known(r, import->name)) {
        check_version(r, import);
        return;
    }
    file->hides_names = true;
    if (strcmp(import->name, "SIDL") == 0)
        diagnose_at(r->d, &import->place, "the package is named sidl (SIDL only in SIDL 0.x)");
    else
        diagnose_at(r->d, &import->place,
                    "package %s not found; give the folder of its SIDL file with -I", import->name);
}

/* The list of files may grow during the walk. */
static void follow_all(struct reader *r)
{
    for (size_t i = 0; i < r->model->n_files; i++)
        for (size_t k = 0; k < r->model->files[i]->n_imports; k++)
            if (!r->model->files[i]->imports[k].is_done) {
                r->model->files[i]->imports[k].is_done = true;
                follow_import(r, r->model->files[i], &r->model->files[i]->imports[k]);
            }
    if (!symbol_find(r->model, "sidl"))
        read_builtin(r, "sidl");
}

/* Full names of types in built-in specifications need no require. */
static void follow_builtin_names(struct reader *r)
{
    for (size_t i = 0; i < r->model->n_pending; i++) {
        const char *name = r->model->pending[i].type->name;

        name += *name == '.';
        if (!is_known(r, name))
            for (size_t k = 0; k < n_builtin_specs; k++)
                if (strncmp(name, builtin_specs[k].package, strlen(builtin_specs[k].package)) ==
                        0 &&
                    !is_known(r, builtin_specs[k].package))
                    read_builtin(r, name);
    }
}

/* Package sidl is built in, unless the files are its specification. */
static void check_own_package(struct reader *r)
{
    const struct portolan_sidl_symbol *own = symbol_find(r->model, "sidl");

    if (own && !symbol_find(r->model, "sidl.BaseInterface"))
        diagnose_at(r->d, &own->place, "package sidl belongs to the language; choose another name");
}

static void read_all(struct reader *r, const char *name, const char *text, size_t size)
{
    const struct portolan_sidl_place nowhere = {"", 0, 0};

    r->model->global = symbol_add(r->model, NULL, PORTOLAN_SIDL_PACKAGE, "", nowhere);
    r->model->global->own.is_detached = false;
    if (text)
        parser_read(r->model, add_file(r, name, true), text, size, r->d);
    for (size_t i = 0; !text && i < r->options->n_files; i++)
        if (!is_read(r, r->options->files[i]))
            read_file(r, r->options->files[i], true, NULL);
    follow_all(r);
    follow_builtin_names(r);
    follow_all(r);
    check_own_package(r);
    resolve_names(r->model, r->d);
    slots_build(r->model, r->d);
    check_model(r->model, r->d, r->options->notes);
}

/* Problems are found pass by pass, but reported in the order of the text. */
struct problem {
    struct portolan_sidl_place place;
    size_t file_index, sequence;
    const char *text;
};

struct problems {
    struct portolan_sidl_model *model;
    struct problem *list;
    size_t count;
};

static void collect_problem(void *arg, const char *file, int line, int column, const char *text)
{
    struct problems *p = arg;
    struct portolan_arena *arena = &p->model->arena;
    struct problem problem = {.place = {file, line, column}, .sequence = p->count};

    while (problem.file_index < p->model->n_files &&
           strcmp(p->model->files[problem.file_index]->name, file) != 0)
        problem.file_index++;
    problem.text = portolan_arena_printf(arena, "%s", text);
    ARENA_PUSH(arena, p->list, p->count, problem);
}

static int compare_problems(const void *left, const void *right)
{
    const struct problem *a = left, *b = right;

    if (a->file_index != b->file_index)
        return a->file_index < b->file_index ? -1 : 1;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column)
        return a->place.column < b->place.column ? -1 : 1;
    return a->sequence < b->sequence ? -1 : 1;
}

static void report_problems(struct problems *p, struct portolan_diagnostics *d)
{
    if (p->count)
        qsort(p->list, p->count, sizeof *p->list, compare_problems);
    for (size_t i = 0; i < p->count; i++)
        diagnose_at(d, &p->list[i].place, "%s", p->list[i].text);
}

enum portolan_status portolan_sidl_read_text(const struct portolan_sidl_options *options,
                                             const char *name, const char *text, size_t size,
                                             struct portolan_diagnostics *d,
                                             struct portolan_sidl_model **out,
                                             struct portolan_error *err)
{
    struct portolan_sidl_model *model = portolan_calloc(1, sizeof *model);
    struct problems problems = {.model = model};
    jmp_buf out_of_memory;
    struct portolan_diagnostics own = {.report = collect_problem, .arg = &problems};
    struct reader reader = {model, options, &own};

    if (!model)
        return portolan_no_memory(err);
    model->arena.no_memory = model->scratch.no_memory = arena_leave;
    model->arena.no_memory_arg = model->scratch.no_memory_arg = &out_of_memory;
    if (setjmp(out_of_memory)) {
        portolan_sidl_destroy(model);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory while reading SIDL");
    }
    model->symbols.arena = model->lower_case.arena = &model->arena;
    model->lost.arena = model->specified.arena = &model->arena;
    read_all(&reader, name, text, size);
    if (own.count) {
        report_problems(&problems, d);
        portolan_sidl_destroy(model);
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%d problem%s in the SIDL files",
                                  own.count, own.count == 1 ? "" : "s");
    }
    model->arena.no_memory = NULL; /* out_of_memory is not valid after the return */
    *out = model;
    return PORTOLAN_OK;
}

enum portolan_status portolan_sidl_read(const struct portolan_sidl_options *options,
                                        struct portolan_diagnostics *d,
                                        struct portolan_sidl_model **model,
                                        struct portolan_error *err)
{
    return portolan_sidl_read_text(options, NULL, NULL, 0, d, model, err);
}

void portolan_sidl_destroy(struct portolan_sidl_model *model)
{
    if (!model)
        return;
    portolan_arena_clear(&model->arena);
    portolan_arena_clear(&model->scratch);
    free(model);
}
