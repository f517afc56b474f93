/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes what would be chosen at other values of a swept parameter, with the others as they are.
 * The page evaluates it anywhere: between two stops, the time of the whole run with each
 * alternative is a straight line on logarithmic axes.
 */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/progress.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between two swept values there are 2^HALVES stops, and more where the choice changes. */
enum { MOST_STOPS = 600, HALVES = 5, MOST_COMBINATIONS = 96 };
/* Stops with different choices are at most this share apart. */
static const double nearest = 1e-3;
/* Relative offset at which the law is evaluated near a measured point. */
static const double beside = 1e-6;

struct stop {
    double at;
    bool is_measured; /* it holds only there */
    char *cannot_tell;
    size_t *chosen; /* of each variable */
    double *totals; /* of each combination in ns; NaN: not allowed */
    struct portolan_plan_prediction prediction;
    enum portolan_answer_verdict verdict;
    double chance;
};

struct slider {
    const struct portolan_report_source *from;
    const struct portolan_assembly_sweep *sweep;
    const struct portolan_plan_answer *like; /* its variables */
    struct portolan_plan *moved;
    struct portolan_arena *pool;
    size_t combinations; /* 0: too many */
    bool is_whole;
    size_t n;
    struct stop *stops;
};

/* ------------------------------------------------------------------ one stop */

static bool set_value(struct slider *s, double value)
{
    struct portolan_text text = {0};
    bool good;

    portolan_text_add_number(&text, value);
    good = !text.failed && !portolan_assembly_set(s->from->assembly, s->sweep->instance,
                                                  s->sweep->parameter, text.bytes, NULL);
    portolan_text_clear(&text);
    return good;
}

/* Lists the time of the whole run with each combination of the variables' options; the last varies
 * fastest. */
static void list_totals(struct slider *s, const struct portolan_plan *plan, double *totals)
{
    const struct portolan_assembly *a = s->from->assembly;
    int32_t *selection = portolan_arena_alloc(s->pool, a->n_instances, sizeof *selection);

    for (size_t i = 0; selection && i < s->combinations; i++) {
        struct portolan_plan_prediction p;
        size_t rest = i;

        for (size_t v = s->like->n_variables; v-- > 0; rest /= s->like->variables[v].n_options)
            for (size_t k = 0; k < a->n_instances; k++)
                if (!strcmp(a->instances[k].name, s->like->variables[v].instance))
                    selection[k] = (int32_t)(rest % s->like->variables[v].n_options);
        totals[i] = portolan_plan_predict(plan, selection, &p, NULL) ? NAN : p.total_ns;
    }
}

static void take_choice(struct slider *s, struct portolan_plan *plan, struct stop *out)
{
    struct portolan_error err = {0};
    const struct portolan_plan_answer *c;

    if (portolan_plan_choose(plan, &c, &err)) {
        out->cannot_tell = portolan_arena_strdup(s->pool, err.text);
        return;
    }
    for (size_t v = 0; v < s->like->n_variables && v < c->n_variables; v++)
        out->chosen[v] = c->variables[v].chosen;
    out->prediction = c->prediction;
    out->verdict = c->verdict;
    out->chance = c->chance;
    list_totals(s, plan, out->totals);
}

/* Evaluates the plan at a value; if trials ran there, it makes a new plan, in which their
 * measurements count. */
static bool ask(struct slider *s, double at, struct stop *out)
{
    const struct portolan_report_source *from = s->from;
    struct portolan_plan *plan = s->moved, *fresh = NULL;
    struct portolan_error err = {0};

    *out = (struct stop){.at = at, .cannot_tell = ""};
    out->chosen = portolan_arena_alloc(s->pool, s->like->n_variables, sizeof *out->chosen);
    out->totals = portolan_arena_alloc(s->pool, s->combinations, sizeof *out->totals);
    if (s->pool->failed || !set_value(s, at))
        return false;
    portolan_progress("choices", s->n, MOST_STOPS, false);
    if (portolan_plan_move(plan, &err) == PORTOLAN_EUNSUPPORTED) {
        err = (struct portolan_error){0};
        out->is_measured = true;
        portolan_plan_create(from->assembly, from->data, from->options, &fresh, &err);
        plan = fresh;
    }
    if (err.status)
        out->cannot_tell = portolan_arena_strdup(s->pool, err.text);
    else
        take_choice(s, plan, out);
    portolan_plan_destroy(fresh);
    return portolan_arena_append(s->pool, &s->stops, &s->n, out, sizeof *out);
}

/* ------------------------------------------------------------------ where to stop */

static bool chooses_alike(const struct slider *s, const struct stop *a, const struct stop *b)
{
    return !*a->cannot_tell == !*b->cannot_tell &&
           (*a->cannot_tell ||
            !memcmp(a->chosen, b->chosen, s->like->n_variables * sizeof *a->chosen));
}

static double middle_of(const struct slider *s, double low, double high)
{
    double at = low > 0 ? sqrt(low * high) : (low + high) / 2;

    return s->is_whole ? round(at) : at;
}

/* Halves what lies between A and C so often, and as long as choices differ till the stops are near.
 */
static bool refine(struct slider *s, const struct stop *a, const struct stop *c, int times)
{
    double at = middle_of(s, a->at, c->at);
    struct stop b;

    if ((times <= 0 && chooses_alike(s, a, c)) || !(at > a->at && at < c->at) ||
        (times <= 0 && c->at - a->at < nearest * fmax(fabs(a->at), fabs(c->at))) ||
        s->n >= MOST_STOPS)
        return true;
    return ask(s, at, &b) &&
           (b.is_measured || (refine(s, a, &b, times - 1) && refine(s, &b, c, times - 1)));
}

/* Evaluates the law next to a measured place: at the next value, or very near. */
static bool step_aside(struct slider *s, const struct stop *from, double direction,
                       struct stop *out)
{
    double step = s->is_whole ? 1 : beside * fmax(fabs(from->at), beside);

    *out = *from;
    return !from->is_measured || ask(s, from->at + direction * step, out);
}

static int by_place(const void *a, const void *b)
{
    const struct stop *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static void sort_stops(struct slider *s)
{
    if (s->n)
        qsort(s->stops, s->n, sizeof *s->stops, by_place);
}

static bool ask_once(struct slider *s, double at)
{
    struct stop ignored;
    size_t i = 0;

    at = s->is_whole ? ceil(at) : at;
    while (i < s->n && s->stops[i].at != at)
        i++;
    return i < s->n || ask(s, at, &ignored);
}

/* From half of the least value of the sweep to twice the largest. */
static bool fill(struct slider *s, const char *present)
{
    const struct portolan_assembly_sweep *sweep = s->sweep;
    double least = INFINITY, most = -INFINITY, x;
    struct stop low, high;
    bool good = true;
    size_t n;

    for (size_t i = 0; good && i <= sweep->n_values; i++) {
        good = portolan_read_double(i < sweep->n_values ? sweep->values[i] : present, &x) &&
               ask_once(s, x);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    good = good && ask_once(s, least > 0 ? least / 2 : least) &&
           ask_once(s, most > 0 ? 2 * most : most);
    sort_stops(s);
    n = s->n;
    for (size_t i = 0; good && i + 1 < n; i++)
        good = step_aside(s, &s->stops[i], 1, &low) && step_aside(s, &s->stops[i + 1], -1, &high) &&
               refine(s, &low, &high, HALVES);
    sort_stops(s);
    return good;
}

/* ------------------------------------------------------------------ data */

static const char *verdict_of(const struct stop *s)
{
    return *s->cannot_tell ? "" : portolan_answer_word(s->verdict);
}

static void write_stop(const struct slider *s, const struct stop *x, struct portolan_json *j)
{
    static const char *const names[] = {"total_ns", "low_ns", "high_ns"};
    const struct portolan_plan_prediction *p = &x->prediction;

    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "at", x->at);
    portolan_json_bool(j, "measured", x->is_measured);
    portolan_json_text(j, "cannot_tell", x->cannot_tell);
    if (!*x->cannot_tell) {
        portolan_json_open(j, "chosen", '[');
        for (size_t v = 0; v < s->like->n_variables; v++)
            portolan_json_number(j, NULL, (double)x->chosen[v]);
        portolan_json_close(j, ']');
        portolan_json_numbers(j, "prediction", names,
                              (const double[]){p->total_ns, p->low_ns, p->high_ns}, 3);
        portolan_json_bool(j, "unusable", p->is_unusable);
        portolan_json_bool(j, "extrapolates", p->n_extrapolating > 0);
        portolan_json_text(j, "verdict", verdict_of(x));
        portolan_json_number(j, "chance", x->chance);
        report_write_values(j, "totals", x->totals, s->combinations);
    }
    portolan_json_close(j, '}');
}

static void write_slider(const struct slider *s, struct portolan_json *j)
{
    char *name = portolan_asprintf("%s.%s", s->sweep->instance, s->sweep->parameter);
    double present = NAN;

    portolan_read_double(portolan_assembly_peek_parameter(s->from->assembly, s->sweep->instance,
                                                          s->sweep->parameter),
                         &present);

    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "name", name);
    portolan_json_number(j, "present", present);
    portolan_json_bool(j, "whole", s->is_whole);
    portolan_json_open(j, "stops", '[');
    for (size_t i = 0; i < s->n; i++)
        write_stop(s, &s->stops[i], j);
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
    free(name);
}

/* After the stops in a row with the same choice; *LEAST is the least sure. */
static size_t end_of_range(const struct slider *s, size_t first, const struct stop **least)
{
    size_t end = first;

    for (*least = &s->stops[first];
         end < s->n && chooses_alike(s, &s->stops[first], &s->stops[end]); end++)
        if (s->stops[end].verdict > (*least)->verdict)
            *least = &s->stops[end];
    return end;
}

static void write_range(const struct slider *s, const struct stop *first, const struct stop *last,
                        const struct stop *least, struct portolan_json *j)
{
    struct portolan_text choice = {.arena = s->pool};

    for (size_t v = 0; !*first->cannot_tell && v < s->like->n_variables; v++)
        portolan_text_add(&choice, "%s%s=%s", v ? " " : "", s->like->variables[v].instance,
                          s->like->variables[v].options[first->chosen[v]].implementation);
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "parameter", s->sweep->parameter);
    portolan_json_number(j, "from", first->at);
    portolan_json_number(j, "to", last->at);
    portolan_json_text(j, "choice", choice.bytes ? choice.bytes : "");
    portolan_json_number(j, "total_from_ns", first->prediction.total_ns);
    portolan_json_number(j, "total_to_ns", last->prediction.total_ns);
    portolan_json_text(j, "verdict", verdict_of(least));
    portolan_json_text(j, "cannot_tell", first->cannot_tell);
    portolan_json_close(j, '}');
}

static void write_ranges(const struct slider *s, struct portolan_json *j)
{
    const struct stop *least;

    for (size_t i = 0, end; i < s->n; i = end) {
        end = end_of_range(s, i, &least);
        write_range(s, &s->stops[i], &s->stops[end - 1], least, j);
    }
}

static void write_variables(const struct portolan_plan_answer *c, struct portolan_json *j)
{
    portolan_json_open(j, "variables", '[');
    for (size_t v = 0; c && v < c->n_variables; v++) {
        const struct portolan_answer_variable *x = &c->variables[v];

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "instance", x->instance);
        portolan_json_number(j, "written", (double)x->written);
        portolan_json_open(j, "options", '[');
        for (size_t k = 0; k < x->n_options; k++)
            portolan_json_text(j, NULL, x->options[k].implementation);
        portolan_json_close(j, ']');
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static size_t count_combinations(const struct portolan_plan_answer *c)
{
    size_t n = 1;

    for (size_t v = 0; v < c->n_variables && n; v++)
        n = n * c->variables[v].n_options > MOST_COMBINATIONS ? 0 : n * c->variables[v].n_options;
    return n;
}

/* Walks along one sweep, and puts the present value back. */
static bool make_slider(struct slider *s)
{
    struct portolan_assembly *a = s->from->assembly;
    const char *instance = s->sweep->instance, *parameter = s->sweep->parameter;
    const char *present = portolan_assembly_peek_parameter(a, instance, parameter);

    s->is_whole = portolan_assembly_set(a, instance, parameter, "0.5", NULL) != PORTOLAN_OK;
    fill(s, present);
    return !portolan_assembly_set(a, instance, parameter, present, NULL) && !s->pool->failed;
}

enum portolan_status report_write_choices(const struct report *r, struct portolan_json *j,
                                          struct portolan_error *err)
{
    const struct portolan_report_source *from = r->from;
    size_t most = from->plan ? from->assembly->n_sweeps : 0, n = 0;
    struct slider *all = portolan_calloc(most + 1, sizeof *all);
    struct portolan_arena pool = {0};
    const struct portolan_plan_answer *like = NULL;
    struct portolan_plan *moved = NULL;
    bool good = all;

    if (from->plan && from->data && !portolan_plan_choose(from->plan, &like, NULL))
        portolan_plan_create(from->assembly, from->data, from->options, &moved, NULL);
    for (size_t i = 0; good && moved && i < most; i++) {
        all[n] = (struct slider){.from = from,
                                 .sweep = &from->assembly->sweeps[i],
                                 .like = like,
                                 .moved = moved,
                                 .pool = &pool,
                                 .combinations = count_combinations(like)};
        if (from->assembly->sweeps[i].varies)
            good = make_slider(&all[n]);
        n += good && all[n].n > 1;
    }
    portolan_progress_done("choices");
    write_variables(moved ? like : NULL, j);
    portolan_json_open(j, "sliders", '[');
    for (size_t i = 0; good && i < n; i++)
        write_slider(&all[i], j);
    portolan_json_close(j, ']');
    portolan_json_open(j, "ranges", '[');
    for (size_t i = 0; good && i < n; i++)
        write_ranges(&all[i], j);
    portolan_json_close(j, ']');
    portolan_plan_destroy(moved);
    portolan_arena_clear(&pool);
    free(all);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

void report_write_values(struct portolan_json *j, const char *key, const double *values, size_t n)
{
    portolan_json_open(j, key, '[');
    for (size_t i = 0; i < n; i++)
        portolan_json_number(j, NULL, values[i]);
    portolan_json_close(j, ']');
}
