/* SPDX-License-Identifier: BSD-3-Clause */
/* obsp: what OBSP* and plain BSP say of a trace, by constants that were fitted here or there. */
#include "internal.h"

#include <portolan/command.h>
#include <portolan/obsp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct evaluation {
    struct statement *s;
    struct token at;
    const char *path;
    struct portolan_obsp_trace *trace;
    struct portolan_obsp_options options;
    bool uses_models;
    struct portolan_obsp_result obsp, bsp;
    bool has_bsp;
};

static enum portolan_status fail(struct evaluation *e, enum portolan_status status,
                                 const struct portolan_error *err, int before)
{
    return e->s->d->count == before ? llac_fail_with(e->s, &e->at, status, err) : status;
}

/* The constants of the experiment by number: a model's terms are those of its formula that stayed.
 */
static enum portolan_status use_model(struct evaluation *e, const struct token *at,
                                      const char *name, const struct fitted *f)
{
    struct portolan_error err = {0};
    double *constants = portolan_arena_alloc(e->s->arena, f->sum.n_terms, sizeof *constants);
    enum portolan_status status;

    if (!constants)
        return llac_no_memory(e->s);
    if (!f->parsed || portolan_model_n_pieces(f->model) != 1)
        return llac_fail(e->s, at,
                         "model '%s' has no constants of a formula that would hold "
                         "everywhere; `%s = fit TABLE as FORMULA` has",
                         name, name);
    status = portolan_model_formula_constants(f->model, f->parsed, f->sum.n_terms, constants, NULL,
                                              &err);
    if (status == PORTOLAN_OK)
        status = portolan_obsp_set_constants(e->trace, f->sum.constants, f->sum.n_terms, constants,
                                             &err);
    return status == PORTOLAN_OK ? status : llac_fail_with(e->s, at, status, &err);
}

static enum portolan_status parse_models(struct evaluation *e)
{
    e->uses_models = true;
    e->options.predict = true;
    do {
        const struct token at = e->s->now;
        const char *name = llac_text(e->s, &at);
        const struct fitted *f;
        enum portolan_status status = llac_parse_model(e->s, &f);

        if (status == PORTOLAN_OK)
            status = use_model(e, &at, name, f);
        if (status != PORTOLAN_OK)
            return status;
    } while (llac_accept(e->s, ","));
    return PORTOLAN_OK;
}

static enum portolan_status parse(struct evaluation *e)
{
    struct statement *s = e->s;
    struct portolan_error err = {0};
    const char *path, *text;
    size_t size;
    int before = s->d->count;
    enum portolan_status status = llac_parse_file(s, "a trace", &path);

    if (status != PORTOLAN_OK)
        return status;
    e->path = llac_read_path(s, path);
    if ((status = portolan_file_read(s->arena, e->path, &text, &size, &err)) == PORTOLAN_OK)
        status = portolan_obsp_read(text, size, e->path, s->d, &e->trace, &err);
    if (status != PORTOLAN_OK)
        return fail(e, status, &err, before);
    while (status == PORTOLAN_OK && s->now.kind != TOKEN_END) {
        if (llac_accept(s, "predict"))
            e->options.predict = true;
        else if (llac_accept(s, "sum"))
            e->options.combine = PORTOLAN_OBSP_SUM;
        else if (llac_accept(s, "max"))
            e->options.combine = PORTOLAN_OBSP_MAX;
        else if (llac_accept(s, "using"))
            status = parse_models(e);
        else
            return llac_parse_end(s);
    }
    return status;
}

static enum portolan_status evaluate(struct evaluation *e)
{
    struct portolan_error err = {0}, why = {0};
    int before = e->s->d->count;
    enum portolan_status status = PORTOLAN_OK;

    if (e->options.predict && !e->uses_models)
        status = portolan_obsp_fit(e->trace, NULL, &err);
    if (status == PORTOLAN_OK)
        status = portolan_obsp_evaluate(e->trace, &e->options, &e->obsp, &err);
    if (status != PORTOLAN_OK)
        return fail(e, status, &err, before);
    e->options.model = PORTOLAN_BSP;
    e->has_bsp = portolan_obsp_evaluate(e->trace, &e->options, &e->bsp, &why) == PORTOLAN_OK;
    if (!e->has_bsp)
        llac_warn(e->s->in, "plain BSP says nothing of '%s': %s", e->path, why.text);
    return PORTOLAN_OK;
}

/* A value and how far it is from what was measured. */
static void add_value(struct grid *g, double value, double measured)
{
    llac_grid_number(g, value);
    if (isnan(measured) || isnan(value))
        llac_grid_add(g, "%s", "");
    else
        llac_grid_add(g, "%.2f", 100 * (measured - value) / measured);
}

static void write_result(struct evaluation *e)
{
    static const char *const heads[] = {"PROC", "TIME", "OBSP*", "ERROR %", "BSP", "ERROR %"};
    struct grid g = {.arena = e->s->arena, .n_columns = sizeof heads / sizeof *heads};

    for (size_t i = 0; i < g.n_columns; i++)
        llac_grid_add(&g, "%s", heads[i]);
    for (size_t i = 0; i <= e->obsp.n_processors; i++) {
        bool all = i == e->obsp.n_processors;
        double measured = all ? e->obsp.measured_total : e->obsp.measured_ends[i];

        if (all)
            llac_grid_add(&g, "all");
        else
            llac_grid_add(&g, "%zu", i);
        llac_grid_number(&g, measured);
        add_value(&g, all ? e->obsp.total : e->obsp.ends[i], measured);
        add_value(&g, !e->has_bsp ? NAN : all ? e->bsp.total : e->bsp.ends[i], measured);
    }
    llac_grid_write(&g, &e->s->in->out);
}

/* Every end of a superstep as a row. */
static enum portolan_status keep_rows(struct evaluation *e, const char *name)
{
    static const char *const columns[] = {"CPU",   "DEPTH",         "STEP", "PARTNERS", "WORK",
                                          "BYTES", "COMMUNICATION", "END",  "MEASURED"};
    struct table *t = llac_table_create(name);
    struct object o = {.kind = OBJECT_TABLE, .table = t};
    bool good = t != NULL;

    for (size_t i = 0; good && i < sizeof columns / sizeof *columns; i++)
        good = llac_table_add_column(t, columns[i],
                                     i == 0  ? COLUMN_LABEL
                                     : i < 4 ? COLUMN_IDENTIFIER
                                             : COLUMN_OBSERVABLE,
                                     i < 4 || i == 5 ? NULL : "s");
    for (size_t i = 0; good && i < e->obsp.n_rows; i++) {
        const struct portolan_obsp_row *r = &e->obsp.rows[i];
        double *row = llac_table_add_row(t);
        const double values[] = {(double)r->processor, (double)r->depth, (double)r->superstep,
                                 (double)r->partners,  r->work,          r->bytes,
                                 r->communication,     r->end,           r->measured};

        if ((good = row))
            memcpy(row, values, sizeof values);
    }
    if (good && llac_put(e->s->in, name, &o) == PORTOLAN_OK)
        return PORTOLAN_OK;
    llac_table_destroy(t);
    return llac_no_memory(e->s);
}

enum portolan_status do_obsp(struct statement *s, const char *name)
{
    struct evaluation e = {.s = s, .at = s->now};
    enum portolan_status status = parse(&e);

    if (status == PORTOLAN_OK)
        status = evaluate(&e);
    if (status == PORTOLAN_OK)
        write_result(&e);
    if (status == PORTOLAN_OK && name)
        status = keep_rows(&e, name);
    portolan_obsp_result_clear(&e.obsp);
    portolan_obsp_result_clear(&e.bsp);
    portolan_obsp_destroy(e.trace);
    return status;
}
