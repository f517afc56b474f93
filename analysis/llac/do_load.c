/* SPDX-License-Identifier: BSD-3-Clause */
/* load: turns files and trials of stores into tables and models. */
#include "internal.h"

#include <portolan/command.h>
#include <portolan/extrap.h>
#include <portolan/trials.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Makes a valid name from any text. */
static const char *name_of(struct statement *s, const char *text)
{
    char *name = portolan_arena_printf(&s->arena, "%s%s", isdigit((unsigned char)*text) ? "_" : "",
                                       *text ? text : "table");

    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return name;
}

struct table *llac_loaded_add(struct statement *s, struct loaded *l, const char *experiment)
{
    struct table *t = table_create(&s->arena, name_of(s, experiment));

    table_add_column(t, "RUN", COLUMN_LABEL, NULL);
    l->tables = portolan_arena_grow(&s->arena, l->tables, l->n_tables, sizeof(void *));
    l->tables[l->n_tables++] = t;
    return t;
}

/* ------------------------------------------------------------------------------------- stores */

/* Trials give a table per method of an instance and implementation. */

/* The first is for experiments of annotated programs, the others for call paths. */
static const char *const times[] = {"CLOCK", "TIME", "INCLUSIVE", "MPI"};

/* Returns whether the sample is from an experiment of an annotated program, as in reports. */
static bool is_experiment(const struct portolan_sample *sample)
{
    return !strcmp(sample->port_type, "CALL");
}

/* The experiment, or "solver_solve_Cholmod": instance, method, last part of the class. */
static const char *table_name(struct statement *s, const struct portolan_sample *sample)
{
    const char *dot = strrchr(sample->implementation, '.');
    const char *class_name = dot ? dot + 1 : sample->implementation;

    if (is_experiment(sample))
        return name_of(s, sample->method);
    return name_of(s, portolan_arena_printf(&s->arena, "%s%s%s%s%s", sample->instance,
                                            *sample->instance ? "_" : "", sample->method,
                                            *class_name ? "_" : "", class_name));
}

/* An experiment's formula is in the metadata of its trial. */
static void add_formula(struct table *t, const struct portolan_trial *trial,
                        const struct portolan_sample *sample)
{
    static const char prefix[] = "formula ";

    t->file = sample->implementation;
    t->program = trial->assembly;
    for (size_t i = 0; i < trial->n_metadata; i++)
        if (!strncmp(trial->metadata[i].name, prefix, strlen(prefix)) &&
            !strcmp(trial->metadata[i].name + strlen(prefix), sample->method))
            t->formula = trial->metadata[i].value;
}

static struct table *find_table(const struct loaded *l, size_t first, const char *name)
{
    for (size_t i = first; i < l->n_tables; i++)
        if (!strcmp(l->tables[i]->experiment, name))
            return l->tables[i];
    return NULL;
}

/* NULL: not chosen. */
static const struct portolan_trial *chosen_trial(const struct portolan_trial_list *chosen,
                                                 int64_t id)
{
    for (size_t i = 0; i < chosen->n; i++)
        if (chosen->trials[i]->id == id)
            return chosen->trials[i];
    return NULL;
}

/*
 * Sets the cell of that name; without a ROW only adds the column. A measured value replaces a
 * context or parameter of its name, a parameter replaces nothing.
 */
static void put_cell(struct table *t, double *row, const char *name, enum column_kind kind,
                     const char *unit, double value)
{
    size_t column = table_put_column(t, name, kind, unit);

    if (row && (kind != COLUMN_IDENTIFIER || isnan(row[column])))
        row[column] = value;
}

/* Labels, contexts, the trial's numeric parameters, times in s per call, counters per call. */
static void take_sample(struct table *t, const struct portolan_trial *trial,
                        const struct portolan_sample *sample,
                        const struct portolan_sample_estimate *e, double *row)
{
    const double ns[] = {e->inclusive_ns, fmax(e->exclusive_ns, 0), e->inclusive_ns, e->mpi_ns};
    double number;

    if (row)
        row[0] = (double)sample->trial;
    put_cell(t, row, "STEP", COLUMN_LABEL, NULL, sample->step);
    put_cell(t, row, "CPU", COLUMN_LABEL, NULL, sample->rank);
    put_cell(t, row, "NCPUS", COLUMN_LABEL, NULL, trial->ranks);
    for (int i = 0; i < sample->n_context; i++)
        put_cell(t, row, sample->context_name[i], COLUMN_IDENTIFIER, NULL, sample->context[i]);
    for (size_t i = 0; i < trial->n_parameters; i++)
        if (portolan_read_double(trial->parameters[i].value, &number))
            put_cell(t, row, trial->parameters[i].name, COLUMN_IDENTIFIER, NULL, number);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!is_experiment(sample) == (i > 0))
            put_cell(t, row, times[i], COLUMN_OBSERVABLE, "s",
                     e->known ? ns[i] / (double)sample->calls * 1e-9 : NAN);
    put_cell(t, row, "CALLS", COLUMN_OBSERVABLE, NULL, (double)sample->calls);
    if (!isnan(sample->quality))
        put_cell(t, row, "QUALITY", COLUMN_OBSERVABLE, NULL, sample->quality);
    for (int i = 0; i < sample->n_counters; i++)
        put_cell(t, row, sample->counter_name[i], COLUMN_OBSERVABLE, NULL,
                 portolan_sample_each(sample, sample->counter[i]));
}

/* Two passes over the samples: columns first, because they are fixed once there are rows. */
static void take_samples(struct statement *s, const struct portolan_sample_set *set,
                         const struct portolan_trial_list *chosen, struct loaded *l)
{
    struct portolan_sample_estimate *e = statement_alloc(s, set->n_samples, sizeof *e);
    size_t first = l->n_tables;

    portolan_samples_estimate(set->samples, set->n_samples, e);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < set->n_samples; i++) {
            const struct portolan_sample *sample = &set->samples[i];
            const struct portolan_trial *trial = chosen_trial(chosen, sample->trial);
            const char *name = table_name(s, sample);
            struct table *t = find_table(l, first, name);

            if (!trial || sample->calls < 1)
                continue;
            if (!t) {
                t = llac_loaded_add(s, l, name);
                if (is_experiment(sample))
                    add_formula(t, trial, sample);
            }
            take_sample(t, trial, sample, &e[i], pass ? table_add_row(t) : NULL);
        }
}

static void load_store(struct statement *s, const struct token *at, const char *path,
                       const char *trials, struct loaded *l)
{
    struct portolan_trial_list *chosen = statement_alloc(s, 1, sizeof *chosen);
    struct portolan_store *store = NULL;
    struct portolan_sample_set *set = NULL;
    struct portolan_text note = {.arena = &s->arena};
    size_t first = l->n_tables;
    enum portolan_status status;

    statement_own(s, free_trials, chosen);
    status = portolan_store_open(path, PORTOLAN_STORE_READ, &store, &s->err);
    if (status == PORTOLAN_OK)
        status = portolan_trials_select(store, trials, chosen, &s->err);
    if (status == PORTOLAN_OK)
        portolan_trials_keep_alike(chosen, &note);
    if (note.length)
        portolan_text_add(&s->in->out, "note: %s\n", note.bytes);
    if (status == PORTOLAN_OK)
        status = portolan_store_read(store, NULL, true, &set, &s->err);
    portolan_store_close(store);
    statement_check(s, at, status);
    statement_own(s, free_samples, set);
    take_samples(s, set, chosen, l);
    if (l->n_tables == first)
        statement_fail(s, at, "nothing was measured in the trials of '%s'", path);
}

/* --------------------------------------------------------------------------------------- forms */

static bool begins(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/* The first character after a byte order mark and blanks. */
static const char *first_of(const char *text)
{
    if (begins(text, "\xef\xbb\xbf"))
        text += 3;
    return text + strspn(text, " \t\r\n");
}

/* Returns whether a line of TEXT begins with WORD. */
static bool has_line(const char *text, const char *word)
{
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += strspn(at, " \t\r\n");
        if (begins(at, word))
            return true;
    }
    return false;
}

static void load_model(struct statement *s, const struct token *at, const char *text, size_t size,
                       const char *path, struct loaded *l)
{
    statement_check(s, at, portolan_model_read_xml(text, size, path, s->d, &l->model, &s->err));
    statement_own(s, free_model, l->model);
}

/* The content of a file decides its form. */
static load_fn *find_loader(const char *text)
{
    const char *first = first_of(text);

    if (*first == '<' && strstr(first, "urn:portolan:model"))
        return load_model;
    if (*first == '<' || has_line(first, "EXPERIMENT:") || has_line(first, "CALL_VERSION") ||
        (*first == '{' && strstr(first, "\"cll_experiment\"")))
        return llac_load_report;
    return portolan_measurements_are_in(text) ? llac_load_measurements : llac_load_csv;
}

static void load_file(struct statement *s, const struct token *at, const char *path,
                      const char *trials, struct loaded *l)
{
    const char *text;
    size_t size;

    if (portolan_store_is_one(path)) {
        load_store(s, at, path, trials, l);
        return;
    }
    text = statement_read_file(s, at, path, &size);
    if (trials)
        statement_fail(s, at, "'%s' is not an experiment store; only stores have trials", path);
    if (strlen(text) != size)
        statement_fail(
            s, at, "'%s' is not text; load a report, a model, CSV or Extra-P's measurements", path);
    find_loader(text)(s, at, text, size, path, l);
}

/* ------------------------------------------------------------------------------------ keeping */

/* `of A, B`: drops the other loaded tables. */
static void choose_tables(struct statement *s, struct loaded *l)
{
    bool *wanted = statement_alloc(s, l->n_tables, sizeof *wanted);
    const char **known = statement_alloc(s, l->n_tables, sizeof *known);
    size_t kept = 0;

    do {
        const struct token at = s->now;
        const char *name = llac_parse_name(s, "an experiment");
        bool any = false;

        for (size_t i = 0; i < l->n_tables; i++) {
            known[i] = l->tables[i]->experiment;
            any = any || !strcmp(known[i], name);
            wanted[i] = wanted[i] || !strcmp(known[i], name);
        }
        if (!any)
            statement_fail(s, &at, "the file has no experiment '%s'%s", name,
                           llac_suggest(s, name, known, l->n_tables, ""));
    } while (llac_accept(s, ","));
    for (size_t i = 0; i < l->n_tables; i++)
        if (wanted[i])
            l->tables[kept++] = l->tables[i];
    l->n_tables = kept;
}

/* T with the rows of an older table of that name before its own. */
static struct table *merge_with_old(struct statement *s, const struct token *at, struct table *t)
{
    const char *name = t->experiment;
    const struct object *old = llac_find(s->in, name);
    struct table *both;

    if (!old)
        return t;
    if (old->kind != OBJECT_TABLE)
        statement_fail(s, at, "'%s' is a %s already; `forget %s`, or `NAME = load …`", name,
                       llac_kind(old->kind), name);
    both = table_copy(&s->arena, old->table, true);
    llac_table_join(s, at, both, t);
    if (both->formula && t->formula && strcmp(both->formula, t->formula) != 0)
        llac_warn(s->in,
                  "%s: the formula was another one when the first rows were measured; it is "
                  "kept: %s",
                  name, both->formula);
    return both;
}

/* Several files that are loaded at once may have the same experiments. */
static void join_same(struct statement *s, const struct token *at, struct loaded *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->n_tables; i++) {
        struct table *t = l->tables[i];
        size_t k = 0;

        while (k < kept && strcmp(l->tables[k]->experiment, t->experiment) != 0)
            k++;
        if (k == kept)
            l->tables[kept++] = t;
        else
            llac_table_join(s, at, l->tables[k], t);
    }
    l->n_tables = kept;
}

static void keep_model(struct statement *s, const char *path, struct portolan_model *m)
{
    const char *name = s->result;
    const struct portolan_model_envelope *e = portolan_model_peek_envelope(m);
    struct fitted f = {.model = m, .unit = e->unit};
    const char *base = portolan_file_name(path);

    if (!name)
        name = name_of(s, e->name ? e->name
                                  : portolan_arena_strndup(&s->arena, base, strcspn(base, ".")));
    llac_put(s, name, &(struct object){.kind = OBJECT_MODEL, .model = &f});
    portolan_text_add(&s->in->out, "%s: model %s\n", name, portolan_model_peek_formula(m));
}

/* All or nothing: whatever can fail comes before the first table is stored. */
static void keep_tables(struct statement *s, const struct token *at, const char *path,
                        struct loaded *l)
{
    const char *name = s->result;

    if (name && l->n_tables != 1)
        statement_fail(s, at,
                       "'%s' has %zu experiments, which one name cannot stand for; `load FILE of "
                       "EXPERIMENT` takes one of them",
                       path, l->n_tables);
    for (size_t i = 0; !name && i < l->n_tables; i++)
        l->tables[i] = merge_with_old(s, at, l->tables[i]);
    for (size_t i = 0; i < l->n_tables; i++) {
        const char *as = name ? name : l->tables[i]->experiment;
        const struct object *o = llac_put_table(s, as, l->tables[i]);
        const struct table *t = o->table;

        portolan_text_add(&s->in->out, "%s: %zu row%s%s%s\n", o->name, t->n_rows,
                          t->n_rows == 1 ? "" : "s", t->formula ? ", " : "",
                          t->formula ? t->formula : "");
    }
}

/* The files that `load` is to read. */
struct files {
    size_t n;
    struct file {
        const char *name, *path; /* as the user wrote it; where it is */
        struct token at;
    } * list;
    const char *trials; /* for stores; or NULL */
};

static struct files parse_files(struct statement *s)
{
    struct files f = {0};

    do {
        struct file *file;

        f.list = portolan_arena_grow(&s->arena, f.list, f.n, sizeof *f.list);
        file = &f.list[f.n++];
        file->at = s->now;
        file->name = llac_parse_file(s, "a file");
        file->path = llac_read_path(s, file->name);
    } while (s->now.kind != TOKEN_END && !llac_is(s, "trial") && !llac_is(s, "of"));
    if (llac_accept(s, "trial"))
        f.trials = llac_parse_file(s, "a trial");
    return f;
}

/* Notes where T is from: rows without a run get RUN. FILE is as the user wrote it: the script's
 * folder does not matter to readers of a model. */
static void stamp_table(struct table *t, const char *file, double run)
{
    t->source = file;
    for (size_t i = 0; i < t->n_rows; i++)
        if (isnan(table_row(t, i)[0]))
            table_row(t, i)[0] = run;
}

void do_load(struct statement *s)
{
    const struct files files = parse_files(s);
    const struct file *first = &files.list[0];
    struct loaded l = {.run = s->in->runs};

    for (size_t i = 0; i < files.n; i++) {
        const struct file *file = &files.list[i];
        size_t before = l.n_tables;

        l.run++;
        load_file(s, &file->at, file->path, files.trials, &l);
        for (size_t k = before; k < l.n_tables; k++)
            stamp_table(l.tables[k], file->name, l.run);
        if (l.model && files.n > 1)
            statement_fail(s, &file->at, "'%s' is a model; models are loaded one by one",
                           file->name);
    }
    join_same(s, &first->at, &l);
    if (llac_accept(s, "of"))
        choose_tables(s, &l);
    llac_parse_end(s);
    if (l.model)
        keep_model(s, first->path, l.model);
    else
        keep_tables(s, &first->at, first->path, &l);
    s->in->runs = l.run;
}
