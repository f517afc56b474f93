/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads what assemblies declare in formulas: the memory that implementations need, and the cost of
 * converting data from one layout to another. One instance makes data in the layout of its
 * implementation; others take them in theirs, and where these differ, the data are converted each
 * time they are made. If conversions are shared, each layout that is taken is made once, possibly
 * from another converted one; else each taker converts.
 */
#include "plan_internal.h"

#include <portolan/formula.h>
#include <string.h>

/* ---- formulas ---- */

static enum portolan_status parse(const struct portolan_assembly *a, const char *text, int line,
                                  struct portolan_diagnostics *d, struct portolan_formula **f)
{
    enum portolan_status status =
        portolan_formula_parse(text, strlen(text), a->file, line, 1, d, f, NULL);

    if (status || !portolan_formula_has_constants(*f))
        return status;
    portolan_formula_destroy(*f);
    *f = NULL;
    portolan_diagnose(d, a->file, line, 0, "'%s': constants [k] are for models only", text);
    return PORTOLAN_ESYNTAX;
}

/* Parses a formula, if there is one, only to report what is wrong. */
static enum portolan_status check(const struct portolan_assembly *a, const char *text, int line,
                                  struct portolan_diagnostics *d, enum portolan_status before)
{
    struct portolan_formula *f = NULL;
    enum portolan_status status = text ? parse(a, text, line, d, &f) : PORTOLAN_OK;

    portolan_formula_destroy(f);
    return status ? status : before;
}

enum portolan_status plan_check_formulas(const struct portolan_assembly *a,
                                         struct portolan_diagnostics *d)
{
    enum portolan_status worst = PORTOLAN_OK;

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++)
            worst = check(a, a->instances[i].alternatives[k].memory,
                          a->instances[i].alternatives[k].line, d, worst);
    for (size_t i = 0; i < a->n_data; i++)
        for (size_t k = 0; k < a->data[i].n_conversions; k++)
            worst = check(a, a->data[i].conversions[k].seconds, a->data[i].conversions[k].line, d,
                          worst);
    return worst;
}

/* The formula's value; NaN: a name in it is not known. */
static double evaluate(const struct portolan_formula *f, struct plan_place at)
{
    double x[PORTOLAN_FORMULA_MAX_NAMES];
    struct portolan_condition_value value;

    for (size_t i = 0; i < portolan_formula_n_names(f); i++) {
        if (!plan_look_up(&at, portolan_formula_peek_name(f, i), &value) ||
            (value.text && !portolan_read_double(value.text, &value.number)))
            return NAN;
        x[i] = value.number;
    }
    return portolan_formula_value(f, x);
}

/* ---- memory ---- */

static enum portolan_status read_bytes(struct portolan_plan *p,
                                       const struct portolan_assembly_instance *x, size_t k,
                                       double *bytes, struct portolan_error *err)
{
    const struct portolan_assembly_alternative *own = &x->alternatives[k];
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    struct portolan_formula *f = NULL;
    enum portolan_status status;

    *bytes = 0;
    if (!own->memory)
        return PORTOLAN_OK;
    status = parse(p->s.a, own->memory, own->line, &d, &f);
    if (!status)
        *bytes = evaluate(f, (struct plan_place){.p = p, .own = x, .alternative = k});
    if (!status && !(*bytes >= 0 && isfinite(*bytes)))
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "%s:%d: error: memory '%s' of '%s' is not a number of bytes "
                                    "with these parameters and known contexts",
                                    p->s.a->file, own->line, own->memory, own->class_name);
    portolan_formula_destroy(f);
    return status;
}

enum portolan_status plan_read_memory(struct portolan_plan *p, struct portolan_error *err)
{
    const struct survey *s = &p->s;
    enum portolan_status status = PORTOLAN_OK;

    p->memory = portolan_arena_alloc(&p->s.pool, s->n_variables, sizeof *p->memory);
    if (!p->memory)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; !status && i < s->a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &s->a->instances[i];
        size_t v = survey_variable_of(s, x->name);
        double *bytes = portolan_arena_alloc(&p->s.pool, x->n_alternatives, sizeof *bytes);

        if (!bytes)
            return PORTOLAN_ENOMEM;
        for (size_t k = 0; !status && k < x->n_alternatives; k++)
            status = read_bytes(p, x, k, &bytes[k], err);
        if (v != NONE)
            p->memory[v] = bytes;
        else
            p->memory_fixed += bytes[0];
    }
    return status;
}

double plan_memory_of(const struct portolan_plan *p, const size_t *selection)
{
    double sum = p->memory_fixed;

    for (size_t v = 0; v < p->s.n_variables; v++)
        sum += p->memory[v][selection[v]];
    return sum;
}

double portolan_plan_memory(const struct portolan_assembly *a, int ranks, const int32_t *current,
                            size_t instance, size_t alternative)
{
    struct portolan_plan unmeasured = {.s = {.a = a, .ranks = ranks}};
    double sum = 0, bytes;

    for (size_t i = 0; i < a->n_instances; i++) {
        size_t k = i == instance ? alternative : (size_t)current[i];

        if (read_bytes(&unmeasured, &a->instances[i], k, &bytes, NULL))
            return NAN;
        sum += bytes;
    }
    return sum;
}

/* ---- data ---- */

/* The number of a layout, which is added if it is new; NONE: too many. */
static size_t layout_number(struct plan_data *d, const char *name)
{
    size_t k = 0;

    while (k < d->n_layouts && strcmp(d->layouts[k], name) != 0)
        k++;
    if (k == d->n_layouts && k < MAX_LAYOUTS)
        d->layouts[d->n_layouts++] = name;
    return k < MAX_LAYOUTS ? k : NONE;
}

/* Adds an instance to the ends if it is the maker, or any implementation of it has a layout. */
static enum portolan_status add_end(struct portolan_plan *p, struct plan_data *d,
                                    const struct portolan_assembly_instance *x, bool takes)
{
    struct plan_end *e = &d->ends[d->n_ends];

    *e = (struct plan_end){.instance = x, .variable = survey_variable_of(&p->s, x->name)};
    e->layout = portolan_arena_alloc(&p->s.pool, x->n_alternatives, sizeof *e->layout);
    if (!e->layout)
        return PORTOLAN_ENOMEM;
    for (size_t k = 0; k < x->n_alternatives; k++) {
        e->layout[k] = NONE;
        for (size_t i = 0; i < x->alternatives[k].n_layouts; i++) {
            if (strcmp(x->alternatives[k].layouts[i].data, d->from->name) != 0)
                continue;
            takes = true;
            e->layout[k] = layout_number(d, x->alternatives[k].layouts[i].layout);
            if (e->layout[k] == NONE)
                return PORTOLAN_EUNSUPPORTED;
        }
    }
    d->n_ends += takes;
    return PORTOLAN_OK;
}

static enum portolan_status add_conversion(struct portolan_plan *p, struct plan_data *d, size_t k,
                                           struct portolan_error *err)
{
    const struct portolan_assembly_conversion *c = &d->from->conversions[k];
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics heard = {.report = portolan_diagnostics_relay, .arg = &relay};
    struct plan_conversion *out = &d->conversions[k];

    out->from = layout_number(d, c->from);
    out->to = layout_number(d, c->to);
    if (out->from == NONE || out->to == NONE)
        return PORTOLAN_EUNSUPPORTED;
    return parse(p->s.a, c->seconds, c->line, &heard, &out->seconds);
}

static enum portolan_status read_one(struct portolan_plan *p, struct plan_data *d,
                                     struct portolan_error *err)
{
    const struct portolan_assembly *a = p->s.a;
    enum portolan_status status = PORTOLAN_OK;

    d->ends = portolan_arena_alloc(&p->s.pool, a->n_instances + 1, sizeof *d->ends);
    d->conversions =
        portolan_arena_alloc(&p->s.pool, d->from->n_conversions, sizeof *d->conversions);
    if (!d->ends || !d->conversions)
        return PORTOLAN_ENOMEM;
    for (int makers = 1; makers >= 0; makers--)
        for (size_t k = 0; !status && k < a->n_instances; k++)
            if ((strcmp(a->instances[k].name, d->from->made_by) == 0) == makers)
                status = add_end(p, d, &a->instances[k], makers);
    for (size_t k = 0; !status && k < d->from->n_conversions; k++)
        status = add_conversion(p, d, k, err);
    if (status == PORTOLAN_EUNSUPPORTED)
        portolan_error_set(err, status, "%s:%d: error: data '%s' have more than %d layouts",
                           a->file, d->from->line, d->from->name, MAX_LAYOUTS);
    return status;
}

enum portolan_status plan_read_data(struct portolan_plan *p, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    p->data = portolan_arena_alloc(&p->s.pool, p->s.a->n_data, sizeof *p->data);
    if (!p->data)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; !status && i < p->s.a->n_data; i++) {
        p->data[p->n_data++] = (struct plan_data){.from = &p->s.a->data[i]};
        status = read_one(p, &p->data[i], err);
    }
    return status;
}

void plan_clear_data(struct portolan_plan *p)
{
    for (size_t i = 0; i < p->n_data; i++)
        for (size_t k = 0; p->data[i].conversions && k < p->data[i].from->n_conversions; k++)
            portolan_formula_destroy(p->data[i].conversions[k].seconds);
}

/* ---- what conversions cost ---- */

/* Adds to each set of layouts one that it lacks, from the layout in it that is nearest. */
static void find_trees(size_t n, struct plan_conversions *c)
{
    for (size_t m = 0; m < n; m++) {
        for (size_t set = 0; set < (size_t)1 << n; set++)
            c->all_ns[m][set] = set == (size_t)1 << m ? 0 : INFINITY;
        for (size_t set = 0; set < (size_t)1 << n; set++)
            for (size_t to = 0; to < n && !isinf(c->all_ns[m][set]); to++)
                for (size_t from = 0; from < n && !(set >> to & 1); from++)
                    if (set >> from & 1)
                        c->all_ns[m][set | (size_t)1 << to] =
                            fmin(c->all_ns[m][set | (size_t)1 << to],
                                 c->all_ns[m][set] + c->ns[from][to]);
    }
}

void plan_fill_conversions(struct plan_view *v, const struct plan_known *announced)
{
    for (size_t i = 0; i < v->p->n_data; i++) {
        const struct plan_data *d = &v->p->data[i];
        struct plan_conversions *c = &v->conversions[i];
        size_t n = d->n_layouts;

        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                c->ns[a][b] = a == b ? 0 : INFINITY;
        for (size_t k = 0; k < d->from->n_conversions; k++) {
            const struct plan_conversion *x = &d->conversions[k];
            double ns =
                1e9 * evaluate(x->seconds, (struct plan_place){.p = v->p, .announced = announced});

            if (ns >= 0) /* a conversion whose cost is not known is not allowed */
                c->ns[x->from][x->to] = fmin(c->ns[x->from][x->to], ns);
        }
        for (size_t by = 0; by < n; by++)
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    c->ns[a][b] = fmin(c->ns[a][b], c->ns[a][by] + c->ns[by][b]);
        find_trees(n, c);
    }
}

size_t plan_layout_of(const struct plan_end *e, const size_t *selection)
{
    return e->layout[e->variable == NONE ? 0 : selection[e->variable]];
}

bool plan_makes(const struct portolan_plan *p, const struct plan_data *d, size_t path)
{
    const struct survey_node *n = &p->s.nodes[path];

    return d->from->method && strcmp(n->instance, d->from->made_by) == 0 &&
           strcmp(n->method, d->from->method) == 0;
}

/* The least that leads from layout FROM to all that are taken. */
static double share_layouts(const struct plan_data *d, const struct plan_conversions *c,
                            size_t from, const size_t *selection)
{
    size_t needed = 0;
    double least = INFINITY;

    for (size_t i = 1; i < d->n_ends; i++) {
        size_t layout = plan_layout_of(&d->ends[i], selection);

        needed |= layout == NONE ? 0 : (size_t)1 << layout;
    }
    for (size_t set = 0; set < (size_t)1 << d->n_layouts; set++)
        if ((set & needed) == needed)
            least = fmin(least, c->all_ns[from][set]);
    return least;
}

double plan_convert(const struct plan_view *v, const struct plan_data *d,
                    const struct plan_end *taker, const size_t *selection)
{
    const struct plan_conversions *c = &v->conversions[d - v->p->data];
    size_t from = plan_layout_of(&d->ends[0], selection);
    size_t to = taker ? plan_layout_of(taker, selection) : 0;

    if (from == NONE || to == NONE)
        return 0;
    return taker ? c->ns[from][to] : share_layouts(d, c, from, selection);
}
