/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples as columns: only those that are asked for, each an array of its own. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What a column is taken from. */
enum source { FROM_TRIAL, FROM_STEP, FROM_RANK, FROM_THREAD, FROM_PATH, FROM_ROW, FROM_LAYOUT };

struct form {
    const char *name;
    enum portolan_column_kind kind;
    enum source source;
    size_t at; /* a column of call_data; or offset of a name in struct named_path */
};

#define PATH_NAME(NAME)                                                                            \
    {                                                                                              \
#NAME, PORTOLAN_COLUMN_NAME, FROM_PATH, offsetof(struct named_path, NAME)                  \
    }
#define ROW_INTEGER(NAME, AT)                                                                      \
    {                                                                                              \
        NAME, PORTOLAN_COLUMN_INTEGER, FROM_ROW, AT                                                \
    }
#define ROW_REAL(NAME, AT)                                                                         \
    {                                                                                              \
        NAME, PORTOLAN_COLUMN_REAL, FROM_ROW, AT                                                   \
    }

/* Of `path`, which no struct has: the names from the root on. */
#define WHOLE_PATH SIZE_MAX

static const struct form forms[] = {
    {"trial", PORTOLAN_COLUMN_INTEGER, FROM_TRIAL, 0},
    {"step", PORTOLAN_COLUMN_INTEGER, FROM_STEP, 0},
    {"rank", PORTOLAN_COLUMN_INTEGER, FROM_RANK, 0},
    {"thread", PORTOLAN_COLUMN_INTEGER, FROM_THREAD, 0},
    {"path", PORTOLAN_COLUMN_NAME, FROM_PATH, WHOLE_PATH},
    PATH_NAME(user),
    PATH_NAME(uses),
    PATH_NAME(instance),
    PATH_NAME(port),
    PATH_NAME(implementation),
    PATH_NAME(port_type),
    PATH_NAME(method),
    ROW_INTEGER("calls", CALL_CALLS),
    ROW_INTEGER("timed_calls", CALL_TIMED),
    ROW_INTEGER("failed_calls", CALL_FAILED),
    ROW_INTEGER("subroutines", CALL_SUBROUTINES),
    ROW_REAL("inclusive_ns", CALL_INCLUSIVE),
    ROW_REAL("exclusive_ns", CALL_EXCLUSIVE),
    ROW_REAL("mpi_ns", CALL_MPI),
    ROW_REAL("min_ns", CALL_MINIMUM),
    ROW_REAL("max_ns", CALL_MAXIMUM),
    ROW_REAL("sum_squares_ns2", CALL_SQUARES),
    ROW_REAL("quality", CALL_QUALITY),
    ROW_INTEGER("binned", CALL_BINNED),
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* A column being filled: its form, and by position in the trial's names what its rows have. */
struct filling {
    struct form form;
    struct portolan_column *column;
    size_t names_capacity;
    int32_t *codes; /* FROM_PATH, of each path */
    int *places;    /* FROM_LAYOUT, of each layout: a column of call_data; -1: it lacks the name */
};

/* A trial with the pieces that are to be read. */
struct source_trial {
    struct trial_names names;
    struct piece *pieces;
    size_t n_pieces;
};

struct column_memory {
    struct texts *texts;
    size_t n_columns;
    struct filling *fillings;
};

struct reading {
    struct backend *backend;
    struct portolan_column_set *set;
    struct column_memory *memory;
    const struct portolan_sample_set *trials;
    struct source_trial *sources; /* as many as trials */
    size_t at;                    /* the trial at hand */
    int64_t path, thread, layout; /* positions of the latest */
    bool wants_path, wants_thread, wants_layout;
    struct portolan_error *err;
};

void portolan_column_set_destroy(struct portolan_column_set *set)
{
    struct column_memory *m;

    if (!set)
        return;
    m = set->impl;
    for (size_t i = 0; m && i < m->n_columns; ++i) {
        free(m->fillings[i].codes);
        free(m->fillings[i].places);
        free(set->columns[i].values);
        free(set->columns[i].names);
    }
    if (m) {
        free(m->fillings);
        texts_destroy(m->texts);
    }
    free(m);
    free(set->columns);
    free(set);
}

/* ------------------------------------------------------------------ which columns */

static enum portolan_status add_column(struct reading *r, const struct form *form)
{
    struct column_memory *m = r->memory;
    struct filling *f = portolan_reallocarray(m->fillings, m->n_columns + 1, sizeof *f);
    struct portolan_column *c;

    if (f)
        m->fillings = f;
    if (!f || !(c = portolan_reallocarray(r->set->columns, m->n_columns + 1, sizeof *c)))
        return portolan_no_memory(r->err);
    r->set->columns = c;
    f[m->n_columns] = (struct filling){.form = *form};
    c[m->n_columns++] = (struct portolan_column){.name = form->name, .kind = form->kind};
    r->set->n_columns = m->n_columns;
    r->wants_path |= form->source == FROM_PATH;
    r->wants_thread |= form->source == FROM_THREAD;
    r->wants_layout |= form->source == FROM_LAYOUT;
    return PORTOLAN_OK;
}

/* "context.NAME" or "counter.NAME", of the name that NAMES has its own copy of. */
static enum portolan_status add_of_layout(struct reading *r, const char *name)
{
    const struct form form = {texts_intern(r->memory->texts, name), PORTOLAN_COLUMN_REAL,
                              FROM_LAYOUT, 0};

    if (!form.name)
        return portolan_no_memory(r->err);
    for (size_t i = 0; i < r->memory->n_columns; ++i)
        if (r->memory->fillings[i].form.name == form.name)
            return PORTOLAN_OK;
    return add_column(r, &form);
}

static enum portolan_status add_all_of_layout(struct reading *r, const char *what, int n,
                                              const char *const *names)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int i = 0; i < n && !status; ++i) {
        char *name = portolan_asprintf("%s%s", what, names[i]);

        status = name ? add_of_layout(r, name) : portolan_no_memory(r->err);
        free(name);
    }
    return status;
}

static enum portolan_status add_every_column(struct reading *r)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < N_FORMS && !status; ++i)
        status = add_column(r, &forms[i]);
    for (size_t t = 0; t < r->trials->n_trials; ++t)
        for (size_t i = 0; i < r->sources[t].names.n_layouts && !status; ++i) {
            const struct named_layout *l = &r->sources[t].names.layouts[i];

            status = add_all_of_layout(r, PORTOLAN_COLUMN_CONTEXT, l->n_context, l->context);
            if (!status)
                status = add_all_of_layout(r, PORTOLAN_COLUMN_COUNTER, l->n_counters, l->counter);
        }
    return status;
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static enum portolan_status add_named(struct reading *r, const char *name)
{
    const char *near;

    for (size_t i = 0; i < N_FORMS; ++i)
        if (!strcmp(name, forms[i].name))
            return add_column(r, &forms[i]);
    if (begins(name, PORTOLAN_COLUMN_CONTEXT) || begins(name, PORTOLAN_COLUMN_COUNTER))
        return add_of_layout(r, name);
    near = portolan_nearest_member(name, &forms[0].name, N_FORMS, sizeof *forms);
    return portolan_error_set(r->err, PORTOLAN_ENOTFOUND, "samples have no column '%s'%s", name,
                              portolan_did_you_mean(near).text);
}

/* ------------------------------------------------------------------ what a trial's rows have */

/* Where NAME is in the rows of LAYOUT; -1: nowhere. */
static int place_in(const struct named_layout *layout, const char *name)
{
    bool is_context = begins(name, PORTOLAN_COLUMN_CONTEXT);
    const char *const *names = is_context ? layout->context : layout->counter;
    int n = is_context ? layout->n_context : layout->n_counters;

    name += is_context ? strlen(PORTOLAN_COLUMN_CONTEXT) : strlen(PORTOLAN_COLUMN_COUNTER);
    for (int i = 0; i < n; ++i)
        if (!strcmp(names[i], name))
            return (int)(is_context ? CALL_CONTEXT : CALL_COUNTER) + i;
    return -1;
}

/* The code of NAME, an interned text, among the names of the column; -1: no memory. */
static int32_t code_of(struct filling *f, const char *name)
{
    struct portolan_column *c = f->column;

    for (size_t i = c->n_names; i-- > 0;)
        if (c->names[i] == name)
            return (int32_t)i;
    if (!name || !portolan_reserve(&c->names, &f->names_capacity, c->n_names + 1, sizeof *c->names))
        return -1;
    c->names[c->n_names] = name;
    return (int32_t)c->n_names++;
}

/* The calls from the root to path I: "driver.go.go solver.solver.solve". *WHOLE has those of the
 * paths before it. */
static const char *write_path(struct reading *r, const struct trial_names *n, size_t i,
                              const char **whole)
{
    const struct named_path *p = &n->paths[i];
    int64_t parent = p->parent ? trial_names_find_path(n, p->parent, (int64_t)i - 1) : -1;
    char *text = portolan_asprintf("%s%s%s.%s.%s", parent >= 0 ? whole[parent] : "",
                                   parent >= 0 ? " " : "", p->instance, p->port, p->method);

    whole[i] = text ? texts_intern(r->memory->texts, text) : NULL;
    free(text);
    return whole[i];
}

static bool encode_paths(struct reading *r, const struct trial_names *n, struct filling *f)
{
    bool is_whole = f->form.at == WHOLE_PATH, good = true;
    const char **whole = is_whole ? portolan_calloc(n->n_paths + 1, sizeof *whole) : NULL;

    free(f->codes);
    f->codes = portolan_calloc(n->n_paths + 1, sizeof *f->codes);
    good = f->codes && (whole || !is_whole);
    for (size_t i = 0; good && i < n->n_paths; ++i) {
        const char *name =
            is_whole
                ? write_path(r, n, i, whole)
                : *(const char *const *)(const void *)((const char *)&n->paths[i] + f->form.at);

        f->codes[i] = code_of(f, name);
        good = f->codes[i] >= 0;
    }
    free(whole);
    return good;
}

static bool place_layouts(const struct trial_names *n, struct filling *f)
{
    free(f->places);
    if (!(f->places = portolan_calloc(n->n_layouts + 1, sizeof *f->places)))
        return false;
    for (size_t i = 0; i < n->n_layouts; ++i)
        f->places[i] = place_in(&n->layouts[i], f->form.name);
    return true;
}

static enum portolan_status begin_trial(struct reading *r, size_t t)
{
    const struct trial_names *n = &r->sources[t].names;

    r->at = t;
    r->path = r->thread = r->layout = 0;
    for (size_t i = 0; i < r->memory->n_columns; ++i) {
        struct filling *f = &r->memory->fillings[i];

        if ((f->form.source == FROM_PATH && !encode_paths(r, n, f)) ||
            (f->form.source == FROM_LAYOUT && !place_layouts(n, f)))
            return portolan_no_memory(r->err);
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ rows */

static enum portolan_status find_names(struct reading *r)
{
    const struct trial_names *n = &r->sources[r->at].names;
    struct backend *b = r->backend;
    int64_t layout = r->wants_layout ? backend_int(b, READ_CALL_DATA, CALL_LAYOUT) : 0;

    if (r->wants_path)
        r->path = trial_names_find_path(n, backend_int(b, READ_CALL_DATA, CALL_CALLPATH), r->path);
    if (r->wants_thread)
        r->thread =
            trial_names_find_thread(n, backend_int(b, READ_CALL_DATA, CALL_THREAD), r->thread);
    r->layout = layout ? trial_names_find_layout(n, layout, r->layout) : -1;
    return r->path < 0 || r->thread < 0 || (layout && r->layout < 0) ? trial_names_missing(r->err)
                                                                     : PORTOLAN_OK;
}

static int64_t integer_of(const struct reading *r, const struct filling *f,
                          const struct piece *piece)
{
    switch (f->form.source) {
    case FROM_TRIAL:
        return r->trials->trials[r->at].id;
    case FROM_STEP:
        return piece->step;
    case FROM_RANK:
        return piece->rank;
    case FROM_THREAD:
        return r->sources[r->at].names.threads[r->thread].thread;
    default:
        return backend_int(r->backend, READ_CALL_DATA, (int)f->form.at);
    }
}

static double real_of(const struct reading *r, const struct filling *f)
{
    int at = f->form.source == FROM_ROW ? (int)f->form.at
             : r->layout < 0            ? -1
                                        : f->places[r->layout];

    return at < 0 ? NAN : backend_double(r->backend, READ_CALL_DATA, at);
}

static enum portolan_status take_row(void *arg, const struct piece *piece)
{
    struct reading *r = arg;
    size_t row = r->set->n_rows;
    enum portolan_status status = find_names(r);

    for (size_t i = 0; !status && i < r->memory->n_columns; ++i) {
        const struct filling *f = &r->memory->fillings[i];
        void *values = f->column->values;

        if (f->form.kind == PORTOLAN_COLUMN_INTEGER)
            ((int64_t *)values)[row] = integer_of(r, f, piece);
        else if (f->form.kind == PORTOLAN_COLUMN_REAL)
            ((double *)values)[row] = real_of(r, f);
        else
            ((int32_t *)values)[row] = f->codes[r->path];
    }
    r->set->n_rows += !status;
    return status;
}

/* Room for all rows of the pieces, whose ids are consecutive. */
static enum portolan_status make_room(struct reading *r)
{
    static const size_t sizes[] = {sizeof(int64_t), sizeof(double), sizeof(int32_t)};
    size_t n = 0;

    for (size_t t = 0; t < r->trials->n_trials; ++t)
        for (size_t i = 0; i < r->sources[t].n_pieces; ++i)
            n += (size_t)(r->sources[t].pieces[i].last - r->sources[t].pieces[i].first + 1);
    for (size_t i = 0; i < r->set->n_columns; ++i) {
        struct portolan_column *c = &r->set->columns[i];

        r->memory->fillings[i].column = c;
        if (!(c->values = portolan_reallocarray(NULL, n + 1, sizes[c->kind])))
            return portolan_no_memory(r->err);
    }
    return PORTOLAN_OK;
}

static enum portolan_status read_columns(struct reading *r, const struct portolan_store_query *q,
                                         const char *const *names, size_t n_names)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t t = 0; t < r->trials->n_trials && !status; ++t) {
        struct source_trial *s = &r->sources[t];
        const struct portolan_trial *trial = &r->trials->trials[t];

        status = pieces_select(r->backend, trial, q, &s->pieces, &s->n_pieces, r->err);
        if (!status)
            status = trial_names_read(&s->names, r->backend, trial->id, r->memory->texts, r->err);
    }
    if (!status && !names)
        status = add_every_column(r);
    for (size_t i = 0; names && i < n_names && !status; ++i)
        status = add_named(r, names[i]);
    if (!status)
        status = make_room(r);
    for (size_t t = 0; t < r->trials->n_trials && !status; ++t)
        if (!(status = begin_trial(r, t)))
            status = pieces_visit(r->backend, r->sources[t].pieces, r->sources[t].n_pieces,
                                  take_row, r, r->err);
    return status;
}

static bool begin_set(struct reading *r, size_t n_trials)
{
    r->set = portolan_calloc(1, sizeof *r->set);
    if (!r->set || !(r->memory = r->set->impl = portolan_calloc(1, sizeof *r->memory)))
        return false;
    r->memory->texts = texts_create();
    r->sources = portolan_calloc(n_trials + 1, sizeof *r->sources);
    return r->memory->texts && r->sources;
}

enum portolan_status portolan_store_read_columns(struct portolan_store *store,
                                                 const struct portolan_store_query *query,
                                                 const char *const *names, size_t n_names,
                                                 struct portolan_column_set **set,
                                                 struct portolan_error *err)
{
    static const struct portolan_store_query everything;
    struct reading r = {.backend = store->backend, .err = err};
    struct portolan_sample_set *trials = NULL;
    enum portolan_status status = portolan_store_read(store, query, false, &trials, err);

    *set = NULL;
    if (status)
        return status;
    r.trials = trials;
    status =
        begin_set(&r, trials->n_trials) ? store_start_reading(store, err) : portolan_no_memory(err);
    if (!status) {
        status = read_columns(&r, query ? query : &everything, names, n_names);
        status = store_finish_reading(store, status, err);
    }
    for (size_t t = 0; r.sources && t < trials->n_trials; ++t) {
        trial_names_clear(&r.sources[t].names);
        free(r.sources[t].pieces);
    }
    free(r.sources);
    portolan_sample_set_destroy(trials);
    if (!status)
        *set = r.set;
    else
        portolan_column_set_destroy(r.set);
    return status;
}
