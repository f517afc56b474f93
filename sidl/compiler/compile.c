/* SPDX-License-Identifier: BSD-3-Clause */
/* The public calls: reads, has all files made, and writes those that changed. */
#include "emit_cxx.h"
#include "emit_fortran.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Generated lines get the same line ends as the author's. */
static void use_crlf(struct emitter *e, struct output *o)
{
    struct portolan_text text = {.arena = e->arena};
    size_t kept = 0;

    for (size_t i = 0; i < o->text.length; i++) {
        while (kept < o->n_kept && i >= o->kept[kept].end)
            kept++;
        if (o->text.bytes[i] == '\n' && !(kept < o->n_kept && i >= o->kept[kept].begin))
            portolan_text_add_bytes(&text, "\r", 1);
        portolan_text_add_bytes(&text, o->text.bytes + i, 1);
    }
    o->text = text;
}

static bool same_content(const char *path, const struct portolan_text *text)
{
    struct portolan_text old = {0};
    bool same = portolan_text_add_file(&old, path, text->length) && old.length == text->length &&
                (!text->length || !memcmp(old.bytes, text->bytes, text->length));

    portolan_text_clear(&old);
    return same;
}

/*
 * A build file of that name that portolan sidl did not write is not replaced. Meson refuses a
 * folder that it builds in if that has a meson.build.
 */
static bool is_foreign(struct emitter *e, const struct output *o)
{
    size_t size;
    const char *text = o->is_shared ? emit_read_existing(e, o->name, &size) : NULL;
    const char *found = text ? strstr(text, EMIT_BANNER) : NULL;

    if (!strcmp(o->name, "meson.build") && !access(emit_path(e, "meson-private"), F_OK))
        return true;
    if (!text || (found && found < text + strcspn(text, "\n")))
        return false;
    portolan_diagnose(e->options->notes, emit_path(e, o->name), 1, 0,
                      "not written by portolan sidl, so it is not replaced");
    return true;
}

static enum portolan_status write_all(struct emitter *e, struct portolan_error *err)
{
    const char *dir = e->options->output_dir ? e->options->output_dir : ".";
    enum portolan_status status = PORTOLAN_OK;

    if (mkdir(dir, 0777) && errno != EEXIST)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make the folder %s: %s", dir,
                                  strerror(errno));
    for (size_t i = 0; i < e->n_outputs && !status; i++) {
        struct output *o = e->outputs[i];
        const char *path = emit_path(e, o->name);

        if (is_foreign(e, o))
            continue;
        if (o->has_crlf)
            use_crlf(e, o);
        if (!same_content(path, &o->text))
            status = portolan_replace_file(path, o->text.bytes, o->text.length, err);
    }
    return status;
}

/* The same for packages, innermost first. */
static void emit_each_package(struct emitter *e, const struct portolan_sidl_symbol *package,
                              void (*fn)(struct emitter *e,
                                         const struct portolan_sidl_symbol *package))
{
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            emit_each_package(e, package->children[i], fn);
    if (package->is_requested)
        fn(e, package);
}

static bool has_class_in(const struct emitter *e, const struct portolan_sidl_symbol *package,
                         enum portolan_sidl_language language)
{
    bool has = false;

    for (size_t i = 0; i < package->n_children && !has; i++) {
        const struct portolan_sidl_symbol *child = package->children[i];

        has = child->kind == PORTOLAN_SIDL_PACKAGE
                  ? has_class_in(e, child, language)
                  : package->is_requested && child->kind == PORTOLAN_SIDL_CLASS &&
                        class_language(e, child) == language;
    }
    return has;
}

/* Returns whether callers in LANGUAGE need code, the authors of Impl files among them. */
static bool has_callers_in(const struct emitter *e, enum portolan_sidl_language language)
{
    return e->options->client_language == language ||
           (e->options->server && has_class_in(e, e->model->global, language));
}

static void emit_package(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    emit_package_headers(e, package);
    emit_package_tables(e, package);
    if (has_callers_in(e, PORTOLAN_SIDL_CXX))
        emit_cxx_client(e, package);
}

static void emit_class(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    if (s->kind != PORTOLAN_SIDL_CLASS)
        return;
    if (class_language(e, s) != PORTOLAN_SIDL_PYTHON) {
        emit_impl(e, s);
        emit_skel(e, s);
    }
    if (class_is_described(s))
        emit_description(e, s);
}

/* Fills E with the output files. */
static enum portolan_status emit_all(struct emitter *e, struct portolan_error *err)
{
    if (e->options->stubs) {
        emit_python_stubs(e, e->model->global);
        return PORTOLAN_OK;
    }
    emit_each(e, e->model->global, emit_type_header);
    emit_each_package(e, e->model->global, emit_package);
    if (has_callers_in(e, PORTOLAN_SIDL_F03))
        emit_fortran_modules(e);
    if (e->options->server) {
        emit_each(e, e->model->global, emit_class);
        emit_build_files(e);
    }
    if (e->d->count)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the code for %d declaration%s cannot be written", e->d->count,
                                  e->d->count == 1 ? "" : "s");
    return PORTOLAN_OK;
}

/* Emits, then writes, or only lists. The arena is not the model's, which stays constant. */
static enum portolan_status run_emitter(const struct portolan_sidl_model *model,
                                        const struct portolan_sidl_options *options,
                                        struct portolan_diagnostics *d,
                                        void (*each)(void *arg, const char *name), void *arg,
                                        struct portolan_error *err)
{
    static const struct portolan_sidl_options defaults;
    struct portolan_diagnostics own = {.report = d ? d->report : NULL, .arg = d ? d->arg : NULL};
    jmp_buf out_of_memory;
    struct portolan_arena arena = {.no_memory = arena_leave, .no_memory_arg = &out_of_memory};
    struct emitter e = {.arena = &arena,
                        .model = model,
                        .options = options ? options : &defaults,
                        .d = &own,
                        .only_list = each != NULL};
    enum portolan_status status;

    if (setjmp(out_of_memory)) {
        portolan_arena_clear(&arena);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory while emitting");
    }
    status = emit_all(&e, err);
    if (d)
        d->count += own.count;
    for (size_t i = 0; each && !status && i < e.n_outputs; i++)
        each(arg, e.outputs[i]->name);
    if (!status && !each)
        status = write_all(&e, err);
    portolan_arena_clear(&arena);
    return status;
}

enum portolan_status portolan_sidl_emit(const struct portolan_sidl_model *model,
                                        const struct portolan_sidl_options *options,
                                        struct portolan_diagnostics *d, struct portolan_error *err)
{
    return run_emitter(model, options, d, NULL, NULL, err);
}

enum portolan_status portolan_sidl_list_outputs(const struct portolan_sidl_model *model,
                                                const struct portolan_sidl_options *options,
                                                struct portolan_diagnostics *d,
                                                void (*each)(void *arg, const char *name),
                                                void *arg, struct portolan_error *err)
{
    return run_emitter(model, options, d, each, arg, err);
}

enum portolan_status portolan_sidl_compile(const struct portolan_sidl_options *options,
                                           struct portolan_diagnostics *d,
                                           struct portolan_error *err)
{
    struct portolan_sidl_model *model;
    enum portolan_status status = portolan_sidl_read(options, d, &model, err);

    if (status)
        return status;
    status = portolan_sidl_emit(model, options, d, err);
    portolan_sidl_destroy(model);
    return status;
}
