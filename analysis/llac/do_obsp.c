/* SPDX-License-Identifier: BSD-3-Clause */
/* obsp: the times of a trace by OBSP* and plain BSP, with constants that are fitted or given. */
#include "internal.h"

#include <portolan/obsp.h>

#include <math.h>
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

static void free_trace(void *trace)
{
    portolan_obsp_destroy(trace);
}

static void free_result(void *result)
{
    portolan_obsp_result_clear(result);
}

/* Sets the experiment's constants by number; constants of dropped terms are 0. */
static void use_model(struct evaluation *e, const struct token *at, const struct object *o)
{
    struct statement *s = e->s;
    const struct fitted *f = o->model;
    double *constants = statement_alloc(s, f->sum.n_terms, sizeof *constants);

    if (!f->parsed || portolan_model_n_pieces(f->model) != 1)
        statement_fail(
            s, at,
            "model '%s' has no constants of a formula that would hold everywhere; `%s = fit "
            "TABLE as FORMULA` has",
            o->name, o->name);
    statement_check(s, at,
                    portolan_model_formula_constants(f->model, f->parsed, f->sum.n_terms, constants,
                                                     NULL, &s->err));
    statement_check(s, at,
                    portolan_obsp_set_constants(e->trace, f->sum.constants, f->sum.n_terms,
                                                constants, &s->err));
}

static void parse_models(struct evaluation *e)
{
    e->uses_models = true;
    e->options.predict = true;
    do {
        const struct token at = e->s->now;

        use_model(e, &at, llac_parse_object(e->s, OBJECT_MODEL));
    } while (llac_accept(e->s, ","));
}

static void parse_trace(struct evaluation *e)
{
    struct statement *s = e->s;
    const char *text;
    size_t size;

    e->path = llac_read_path(s, llac_parse_file(s, "a trace"));
    text = statement_read_file(s, &e->at, e->path, &size);
    statement_check(s, &e->at, portolan_obsp_read(text, size, e->path, s->d, &e->trace, &s->err));
    statement_own(s, free_trace, e->trace);
    while (s->now.kind != TOKEN_END) {
        if (llac_accept(s, "predict"))
            e->options.predict = true;
        else if (llac_accept(s, "sum"))
            e->options.combine = PORTOLAN_OBSP_SUM;
        else if (llac_accept(s, "max"))
            e->options.combine = PORTOLAN_OBSP_MAX;
        else if (llac_accept(s, "using"))
            parse_models(e);
        else
            llac_parse_end(s);
    }
}

static void evaluate_trace(struct evaluation *e)
{
    struct statement *s = e->s;
    struct portolan_error why = {0};

    statement_own(s, free_result, &e->obsp);
    statement_own(s, free_result, &e->bsp);
    if (e->options.predict && !e->uses_models)
        statement_check(s, &e->at, portolan_obsp_fit(e->trace, NULL, &s->err));
    statement_check(s, &e->at, portolan_obsp_evaluate(e->trace, &e->options, &e->obsp, &s->err));
    e->options.model = PORTOLAN_BSP;
    e->has_bsp = portolan_obsp_evaluate(e->trace, &e->options, &e->bsp, &why) == PORTOLAN_OK;
    if (!e->has_bsp)
        llac_warn(s->in, "plain BSP says nothing of '%s': %s", e->path, why.text);
}

/* A value, and its deviation from the measured one in percent. */
static void add_value(struct grid *g, double value, double measured)
{
    llac_grid_number(g, value);
    if (isnan(measured) || isnan(value))
        grid_text(g, "");
    else
        grid_format(g, "%.2f", 100 * (measured - value) / measured);
}

static void write_result(struct evaluation *e)
{
    static const char *const heads[] = {"PROC", "TIME", "OBSP*", "ERROR %", "BSP", "ERROR %"};
    struct grid g = {.in = &e->s->arena, .n_columns = sizeof heads / sizeof *heads};

    llac_grid_add_texts(&g, heads, g.n_columns);
    for (size_t i = 0; i <= e->obsp.n_processors; i++) {
        bool all = i == e->obsp.n_processors;
        double measured = all ? e->obsp.measured_total : e->obsp.measured_ends[i];

        if (all)
            grid_text(&g, "all");
        else
            grid_format(&g, "%zu", i);
        llac_grid_number(&g, measured);
        add_value(&g, all ? e->obsp.total : e->obsp.ends[i], measured);
        add_value(&g, !e->has_bsp ? NAN : all ? e->bsp.total : e->bsp.ends[i], measured);
    }
    grid_write(&g, &e->s->in->out);
}

/* Stores each end of a superstep as a row. */
static void keep_rows(struct evaluation *e)
{
    static const char *const columns[] = {"CPU",   "DEPTH",         "STEP", "PARTNERS", "WORK",
                                          "BYTES", "COMMUNICATION", "END",  "MEASURED"};
    struct table *t = table_create(&e->s->arena, e->s->result);

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        table_add_column(t, columns[i],
                         i == 0  ? COLUMN_LABEL
                         : i < 4 ? COLUMN_IDENTIFIER
                                 : COLUMN_OBSERVABLE,
                         i < 4 || i == 5 ? NULL : "s");
    for (size_t i = 0; i < e->obsp.n_rows; i++) {
        const struct portolan_obsp_row *r = &e->obsp.rows[i];
        const double values[] = {(double)r->processor, (double)r->depth, (double)r->superstep,
                                 (double)r->partners,  r->work,          r->bytes,
                                 r->communication,     r->end,           r->measured};

        memcpy(table_add_row(t), values, sizeof values);
    }
    llac_put_table(e->s, e->s->result, t);
}

void do_obsp(struct statement *s)
{
    struct evaluation *e = statement_alloc(s, 1, sizeof *e);

    e->s = s;
    e->at = s->now;
    parse_trace(e);
    evaluate_trace(e);
    write_result(e);
    if (s->result)
        keep_rows(e);
}
