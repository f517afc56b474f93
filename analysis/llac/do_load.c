/* SPDX-License-Identifier: BSD-3-Clause */
/* load: files become tables and models. */
#include "internal.h"

#include <portolan/command.h>
#include <portolan/extrap.h>
#include <portolan/store.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table *llac_loaded_add(struct statement *s, struct loaded *l, const char *experiment)
{
    struct table *t = llac_table_create(llac_name_of(s, experiment));
    struct table **grown = portolan_arena_grow(s->arena, l->tables, l->n_tables, sizeof(void *));

    if (!t || !grown || !llac_table_add_column(t, "RUN", COLUMN_LABEL, NULL)) {
        llac_table_destroy(t);
        return NULL;
    }
    l->tables = grown;
    l->tables[l->n_tables++] = t;
    return t;
}

size_t llac_loaded_column(struct table *t, const char *name, enum column_kind kind,
                          const char *unit)
{
    size_t column = llac_table_find(t, name);

    if (column != NONE)
        return column;
    return llac_table_add_column(t, name, kind, unit) ? t->n_columns - 1 : NONE;
}

const char *llac_name_of(struct statement *s, const char *text)
{
    char *name = portolan_arena_printf(s->arena, "%s%s", isdigit((unsigned char)*text) ? "_" : "",
                                       *text ? text : "table");

    if (!name)
        return "table";
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return name;
}

/* --------------------------------------------------------------------------------------- forms */

static bool begins(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/* Behind blanks, and what XML and others have before the beginning. */
static const char *first_of(const char *text)
{
    if (begins(text, "\xef\xbb\xbf"))
        text += 3;
    return text + strspn(text, " \t\r\n");
}

/* Whether a line of TEXT begins with WORD. */
static bool has_line(const char *text, const char *word)
{
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += strspn(at, " \t\r\n");
        if (begins(at, word))
            return true;
    }
    return false;
}

static enum portolan_status load_model(struct statement *s, const struct token *at,
                                       const char *text, size_t size, const char *path,
                                       struct loaded *l)
{
    struct portolan_error err = {0};
    int before = s->d->count;
    enum portolan_status status = portolan_model_read_xml(text, size, path, s->d, &l->model, &err);

    return status != PORTOLAN_OK && s->d->count == before ? llac_fail_with(s, at, status, &err)
                                                          : status;
}

/* What the file is, its content tells. */
static enum portolan_status load_text(struct statement *s, const struct token *at, const char *text,
                                      size_t size, const char *path, struct loaded *l)
{
    const char *first = first_of(text);

    if (*first == '<' && strstr(first, "urn:portolan:model"))
        return load_model(s, at, text, size, path, l);
    if (*first == '<' || has_line(first, "EXPERIMENT:") || has_line(first, "CALL_VERSION") ||
        (*first == '{' && strstr(first, "\"cll_experiment\"")))
        return llac_load_report(s, at, text, size, path, l);
    if (portolan_measurements_are_in(text))
        return llac_load_measurements(s, at, text, size, path, l);
    return llac_load_csv(s, at, text, size, path, l);
}

static bool is_store(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char bytes[sizeof magic] = "";
    FILE *f = fopen(path, "re");
    bool is = f && fread(bytes, sizeof magic, 1, f) == 1 && !memcmp(bytes, magic, sizeof magic);

    if (f)
        fclose(f);
    return is;
}

static enum portolan_status load_file(struct statement *s, const struct token *at, const char *path,
                                      const char *trials, struct loaded *l)
{
    struct portolan_error err = {0};
    const char *text;
    size_t size;
    enum portolan_status status;

    if (portolan_store_is_server(path) || is_store(path))
        return llac_load_store(s, at, path, trials, l);
    status = portolan_file_read(s->arena, path, &text, &size, &err);
    if (status != PORTOLAN_OK)
        return llac_fail_with(s, at, status, &err);
    if (trials)
        return llac_fail(s, at, "'%s' is no experiment store, and only these have trials", path);
    if (strlen(text) != size)
        return llac_fail(s, at,
                         "'%s' is no text: a report, a model, CSV or Extra-P's measurements "
                         "are wanted",
                         path);
    return load_text(s, at, text, size, path, l);
}

/* ------------------------------------------------------------------------------------ keeping */

/* `of A, B`: the others of the loaded tables go. */
static enum portolan_status choose(struct statement *s, struct loaded *l)
{
    bool *wanted = portolan_arena_alloc(s->arena, l->n_tables, sizeof *wanted);
    const char **known = portolan_arena_alloc(s->arena, l->n_tables, sizeof *known), *name;
    size_t kept = 0;
    enum portolan_status status;

    if (!wanted || !known)
        return llac_no_memory(s);
    do {
        const struct token at = s->now;
        bool any = false;

        if ((status = llac_parse_name(s, "an experiment", &name)) != PORTOLAN_OK)
            return status;
        for (size_t i = 0; i < l->n_tables; i++) {
            known[i] = l->tables[i]->experiment;
            any = any || !strcmp(known[i], name);
            wanted[i] = wanted[i] || !strcmp(known[i], name);
        }
        if (!any)
            return llac_fail(s, &at, "the file has no experiment '%s'%s", name,
                             llac_suggest(s, name, known, l->n_tables, ""));
    } while (llac_accept(s, ","));
    for (size_t i = 0; i < l->n_tables; i++)
        if (wanted[i])
            l->tables[kept++] = l->tables[i];
        else
            llac_table_destroy(l->tables[i]);
    l->n_tables = kept;
    return PORTOLAN_OK;
}

/* The table with the rows of an older one of that name before its own. */
static enum portolan_status merge(struct statement *s, const struct token *at, const char *name,
                                  struct table **t)
{
    const struct object *old = llac_find(s->in, name);
    struct table *both;
    enum portolan_status status;

    if (!old)
        return PORTOLAN_OK;
    if (old->kind != OBJECT_TABLE)
        return llac_fail(s, at, "'%s' is a %s already; `forget %s`, or `NAME = load …`", name,
                         llac_kind(old->kind), name);
    if (!(both = llac_table_copy(old->table, true)))
        return llac_no_memory(s);
    if ((status = llac_table_join(s, at, both, *t)) != PORTOLAN_OK) {
        llac_table_destroy(both);
        return status;
    }
    if (both->formula && (*t)->formula && strcmp(both->formula, (*t)->formula) != 0)
        llac_warn(s->in,
                  "%s: the formula was another one when the first rows were measured; it is "
                  "kept: %s",
                  name, both->formula);
    llac_table_destroy(*t);
    *t = both;
    return PORTOLAN_OK;
}

/* Several files at once may have the same experiments. */
static enum portolan_status join_same(struct statement *s, const struct token *at, struct loaded *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->n_tables; i++) {
        struct table *t = l->tables[i];
        size_t k = 0;
        enum portolan_status status;

        while (k < kept && strcmp(l->tables[k]->experiment, t->experiment) != 0)
            k++;
        if (k == kept) {
            l->tables[i] = NULL;
            l->tables[kept++] = t;
            continue;
        }
        if ((status = llac_table_join(s, at, l->tables[k], t)) != PORTOLAN_OK)
            return status;
        llac_table_destroy(t);
        l->tables[i] = NULL;
    }
    l->n_tables = kept;
    return PORTOLAN_OK;
}

static enum portolan_status keep_model(struct statement *s, const char *name, const char *path,
                                       struct loaded *l)
{
    const struct portolan_model_envelope *e = portolan_model_peek_envelope(l->model);
    struct object o = {.kind = OBJECT_MODEL};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

    if (!name)
        name = llac_name_of(
            s, e->name ? e->name : portolan_arena_strndup(s->arena, base, strcspn(base, ".")));
    if (!(o.model = portolan_calloc(1, sizeof *o.model)))
        return llac_no_memory(s);
    o.model->model = l->model;
    o.model->unit = portolan_strdup(e->unit);
    l->model = NULL;
    if ((e->unit && !o.model->unit) || llac_put(s->in, name, &o) != PORTOLAN_OK) {
        llac_fitted_destroy(o.model);
        return llac_no_memory(s);
    }
    portolan_text_add(&s->in->out, "%s: model %s\n", name,
                      portolan_model_peek_formula(o.model->model));
    return PORTOLAN_OK;
}

/* All or nothing: what fails does so before anything is put. */
static enum portolan_status keep(struct statement *s, const struct token *at, const char *name,
                                 const char *path, struct loaded *l)
{
    enum portolan_status status = PORTOLAN_OK;

    if (l->model)
        return keep_model(s, name, path, l);
    if (name && l->n_tables != 1)
        return llac_fail(s, at,
                         "'%s' has %zu experiments, which one name cannot stand for; "
                         "`load FILE of EXPERIMENT` takes one of them",
                         path, l->n_tables);
    for (size_t i = 0; status == PORTOLAN_OK && !name && i < l->n_tables; i++)
        status = merge(s, at, l->tables[i]->experiment, &l->tables[i]);
    for (size_t i = 0; status == PORTOLAN_OK && i < l->n_tables; i++) {
        struct object o = {.kind = OBJECT_TABLE, .table = l->tables[i]};
        const char *as = name ? name : o.table->experiment;

        if (llac_put(s->in, as, &o) != PORTOLAN_OK)
            return llac_no_memory(s);
        l->tables[i] = NULL;
        portolan_text_add(&s->in->out, "%s: %zu row%s%s%s\n", as, o.table->n_rows,
                          o.table->n_rows == 1 ? "" : "s", o.table->formula ? ", " : "",
                          o.table->formula ? o.table->formula : "");
    }
    return status;
}

/* What `load` is to read. */
struct files {
    size_t n;
    struct file {
        const char *name, *path; /* as it was called, where it is */
        struct token at;
    } * list;
    const char *trials; /* of stores; or NULL */
};

static enum portolan_status parse_files(struct statement *s, struct files *f)
{
    enum portolan_status status;

    do {
        struct file *file;

        f->list = portolan_arena_grow(s->arena, f->list, f->n, sizeof *f->list);
        if (!f->list)
            return llac_no_memory(s);
        file = &f->list[f->n++];
        file->at = s->now;
        if ((status = llac_parse_file(s, "a file", &file->name)) != PORTOLAN_OK)
            return status;
        file->path = llac_read_path(s, file->name);
    } while (s->now.kind != TOKEN_END && !llac_is(s, "trial") && !llac_is(s, "of"));
    return llac_accept(s, "trial") ? llac_parse_file(s, "a trial", &f->trials) : PORTOLAN_OK;
}

static enum portolan_status load_files(struct statement *s, const struct files *f, struct loaded *l)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < f->n; i++) {
        const struct file *file = &f->list[i];
        size_t before = l->n_tables;

        s->in->runs++;
        status = load_file(s, &file->at, file->path, f->trials, l);
        /* As the user called it: where scripts lie is of no interest to who reads a model. */
        for (size_t k = before; k < l->n_tables; k++)
            l->tables[k]->source = portolan_arena_strdup(&l->tables[k]->arena, file->name);
        if (status == PORTOLAN_OK && l->model && f->n > 1)
            status = llac_fail(s, &file->at, "'%s' is a model; models are loaded one by one",
                               file->name);
    }
    return status;
}

enum portolan_status do_load(struct statement *s, const char *name)
{
    struct files files = {0};
    struct loaded l = {0};
    const double runs = s->in->runs;
    enum portolan_status status = parse_files(s, &files);

    if (status == PORTOLAN_OK)
        status = load_files(s, &files, &l);
    if (status == PORTOLAN_OK)
        status = join_same(s, &files.list[0].at, &l);
    if (status == PORTOLAN_OK && llac_accept(s, "of"))
        status = choose(s, &l);
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK)
        status = keep(s, &files.list[0].at, name, files.list[0].path, &l);
    if (status != PORTOLAN_OK)
        s->in->runs = runs;
    for (size_t i = 0; i < l.n_tables; i++)
        llac_table_destroy(l.tables[i]);
    portolan_model_destroy(l.model);
    return status;
}
