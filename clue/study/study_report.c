/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports a study: tables 1 to 3 of the paper, what else could win, and time over price. */
#include "study.h"

#include <portolan/chart.h>
#include <portolan/clue_machine.h>
#include <portolan/grid.h>
#include <portolan/json.h>

#include <math.h>

/* ------------------------------------------------- tables */

static void print_table(struct portolan_text *out, struct grid *t, const char *title)
{
    portolan_text_add(out, "%s\n", title);
    grid_write(t, out);
    portolan_text_add(out, "\n");
}

struct report {
    const struct clue_study *s;
    struct portolan_arena arena;
    struct portolan_text out;
    struct outcome o;
    bool *is_front;
};

static void print_configurations(struct report *r)
{
    const struct clue_study *s = r->s;
    struct grid t = {.in = &r->arena, .left = 1, .n_columns = 6};

    grid_format(&t, "Name");
    grid_format(&t, "Nodes");
    grid_format(&t, "Memory per node");
    grid_format(&t, "Processors per node");
    grid_format(&t, "Network");
    grid_format(&t, s->currency ? "Price in %s" : "Price%s", s->currency ? s->currency : "");
    for (size_t c = 0; c < s->n_configurations; c++) {
        const struct configuration *of = &s->configurations[c];
        char size[32];

        grid_format(&t, "%s", of->name);
        grid_format(&t, "%d", r->o.nodes[c]);
        grid_format(&t, "%s", clue_format_size(of->memory, size, sizeof size));
        grid_format(&t, "%d", of->cpus);
        grid_format(&t, "%s", s->networks[of->network].name);
        grid_format(&t, "%.0f", r->o.prices[c]);
    }
    print_table(&r->out, &t, "Configurations");
}

static void add_value(struct grid *t, const struct clue_study_value *v, bool is_too_large)
{
    if (is_too_large)
        grid_format(t, "*");
    else if (isnan(v->value))
        grid_format(t, "-");
    else if (v->high > v->low)
        grid_format(t, "%.4g (%.4g ... %.4g)", v->value, v->low, v->high);
    else
        grid_format(t, "%.4g", v->value);
}

static void print_variants(struct report *r)
{
    const struct clue_study *s = r->s;
    struct grid t = {.in = &r->arena, .left = 1, .n_columns = 5};
    static const char *const titles[] = {"Name", "At once", "CPUs each", "CPUs used", "CPUs idle"};
    bool has_too_large = false;

    for (size_t i = 0; i < 5; i++)
        grid_format(&t, "%s", titles[i]);
    for (size_t w = 0; w < s->n_workloads; w++)
        if (s->workloads[w].is_varied && t.n_columns++)
            grid_format(&t, s->workloads[w].is_time ? "%s (time)" : "%s", s->workloads[w].name);
    for (size_t c = 0; c < s->n_configurations; c++)
        for (size_t v = 0; v < s->configurations[c].n_variants; v++) {
            const struct variant *of = &s->configurations[c].variants[v];
            int used = of->high * of->low;

            grid_format(&t, "%s", s->configurations[c].name);
            grid_format(&t, "%d", of->high);
            grid_format(&t, "%d", of->low);
            grid_format(&t, "%d", used);
            grid_format(&t, "%d", r->o.nodes[c] * s->configurations[c].cpus - used);
            for (size_t w = 0; w < s->n_workloads; w++)
                if (s->workloads[w].is_varied) {
                    add_value(&t, &of->values[w], of->is_too_large[w]);
                    has_too_large |= of->is_too_large[w];
                }
        }
    if (t.n_columns > 5)
        print_table(&r->out, &t,
                    has_too_large ? "What they reach (* needs more memory than a node has)"
                                  : "What they reach");
}

/* Finds the ranks that the intervals of sums leave possible. */
static void find_places(const struct report *r, size_t c, size_t *first, size_t *last)
{
    const struct outcome *o = &r->o;

    *first = 1;
    *last = r->s->n_configurations;
    for (size_t k = 0; k < r->s->n_configurations; k++) {
        double apart = fabs(o->sums[k] - o->sums[c]) - o->sum_errors[k] - o->sum_errors[c];

        if (k != c && apart > 1e-9) {
            *first += o->sums[k] > o->sums[c];
            *last -= o->sums[k] < o->sums[c];
        }
    }
}

/* Returns the sum of the numbers as printed, so that the table adds up, as the paper's does. */
static double printed_sum(const struct report *r, size_t c)
{
    double sum = 0;

    for (size_t w = 0; w < r->s->n_workloads; w++)
        sum += round(r->o.points[c * r->s->n_workloads + w]);
    return sum;
}

static void print_points(struct report *r)
{
    const struct clue_study *s = r->s;
    struct grid t = {.in = &r->arena, .left = 1, .n_columns = s->n_workloads + 3};

    grid_format(&t, "Name");
    for (size_t w = 0; w < s->n_workloads; w++)
        grid_format(&t, "%s", s->workloads[w].name);
    grid_format(&t, "Sum");
    grid_format(&t, "Place");
    for (size_t i = 0; i < s->n_configurations; i++) {
        size_t c = r->o.order[i], first, last;

        grid_format(&t, "%s", s->configurations[c].name);
        for (size_t w = 0; w < s->n_workloads; w++)
            grid_format(&t, "%.0f", r->o.points[c * s->n_workloads + w]);
        grid_format(&t, r->o.sum_errors[c] > 0 ? "%.0f +- %.2g" : "%.0f", printed_sum(r, c),
                    r->o.sum_errors[c]);
        find_places(r, c, &first, &last);
        if (first == last)
            grid_format(&t, "%zu", first);
        else
            grid_format(&t, "%zu to %zu", first, last);
    }
    print_table(&r->out, &t, "Points");
}

/* ------------------------------------------------- what else could win */

enum { STEPS_PER_DOUBLING = 16, DOUBLINGS = 4, BISECTIONS = 12 };

static const struct change {
    const char *what, *unit;
    size_t offset;
    bool of_network;
} changes[] = {
    {"processors", "as fast", offsetof(struct supposition, processors), false},
    {"the network", "as fast", offsetof(struct supposition, network_speed), true},
    {"a node", "the price", offsetof(struct supposition, node_price), false},
    {"memory", "the price", offsetof(struct supposition, memory_price), false},
    {"a further processor", "the price", offsetof(struct supposition, processor_price), false},
    {"the network", "the price", offsetof(struct supposition, network_price), true},
};
enum { CHANGES = sizeof changes / sizeof *changes };

typedef void change_fn(struct report *r, void *to, const struct change *change, size_t network,
                       double factor, size_t winner);

/* Returns the winner with FACTOR, if it is another than today's; else SIZE_MAX. */
static size_t other_winner(struct report *r, const struct change *change, size_t network,
                           double factor)
{
    size_t now = r->o.order[0], winner = SIZE_MAX;
    struct supposition with = as_it_is;
    struct portolan_arena arena = {0};
    struct outcome o;

    with.network = network;
    *(double *)((char *)&with + change->offset) = factor;
    o = study_outcome(r->s, &with, &arena);
    if (!arena.failed && o.sums[o.order[0]] > o.sums[now])
        winner = o.order[0];
    r->arena.failed |= arena.failed;
    portolan_arena_clear(&arena);
    return winner;
}

/* Finds the least factor above 1 (STEP 1), or the largest below it (STEP -1), with which another
 * one wins: on a grid, then by bisection. */
static void try_change(struct report *r, const struct change *change, size_t network, int step,
                       change_fn *report, void *to)
{
    size_t winner = SIZE_MAX;
    double same = 0, other = 0;

    while (winner == SIZE_MAX && fabs(other) < DOUBLINGS && !r->arena.failed) {
        same = other;
        other += (double)step / STEPS_PER_DOUBLING;
        winner = other_winner(r, change, network, exp2(other));
    }
    for (int i = 0; winner < SIZE_MAX && i < BISECTIONS; i++) {
        size_t between = other_winner(r, change, network, exp2((same + other) / 2));

        *(between < SIZE_MAX ? &other : &same) = (same + other) / 2;
        winner = between < SIZE_MAX ? between : winner;
    }
    if (winner < SIZE_MAX)
        report(r, to, change, network, exp2(other), winner);
}

static void try_changes(struct report *r, change_fn *report, void *to)
{
    for (size_t i = 0; i < CHANGES; i++)
        for (size_t n = 0; n < (changes[i].of_network ? r->s->n_networks : 1); n++) {
            size_t network = changes[i].of_network ? n : SIZE_MAX;

            try_change(r, &changes[i], network, 1, report, to);
            try_change(r, &changes[i], network, -1, report, to);
        }
}

static void print_change(struct report *r, void *to, const struct change *change, size_t network,
                         double factor, size_t winner)
{
    (void)to;
    portolan_text_add(&r->out, "  %s%s%s %.2f times %s: %s\n", change->what,
                      network < SIZE_MAX ? " " : "",
                      network < SIZE_MAX ? r->s->networks[network].name : "", factor, change->unit,
                      r->s->configurations[winner].name);
}

static void print_changes(struct report *r)
{
    size_t before;

    portolan_text_add(&r->out, "What would win instead of %s\n",
                      r->s->configurations[r->o.order[0]].name);
    before = r->out.length;
    try_changes(r, print_change, NULL);
    if (r->out.length == before)
        portolan_text_add(&r->out, "  nothing: no factor of speed or price from 1/16 to 16\n");
    portolan_text_add(&r->out, "\n");
}

/* ------------------------------------------------- time over price */

/* Returns the time as a multiple of that of a configuration which is best for all workloads. */
static double relative_time(const struct report *r, size_t c)
{
    double weights = 0;

    for (size_t w = 0; w < r->s->n_workloads; w++)
        weights += r->s->workloads[w].weight;
    return weights / r->o.sums[c];
}

static void find_front(struct report *r)
{
    size_t n = r->s->n_configurations;
    const struct outcome *o = &r->o;

    r->is_front = portolan_arena_alloc(&r->arena, n, sizeof *r->is_front);
    for (size_t c = 0; !r->arena.failed && c < n; c++) {
        r->is_front[c] = o->sums[c] > 0;
        for (size_t k = 0; k < n; k++)
            if (o->prices[k] <= o->prices[c] && o->sums[k] >= o->sums[c] &&
                (o->prices[k] < o->prices[c] || o->sums[k] > o->sums[c]))
                r->is_front[c] = false;
    }
}

static void print_front(struct report *r)
{
    struct grid t = {.in = &r->arena, .left = 1, .n_columns = 4};

    grid_format(&t, "Name");
    grid_format(&t, "Price");
    grid_format(&t, "Time");
    grid_format(&t, "Front");
    for (size_t i = 0; i < r->s->n_configurations; i++) {
        size_t c = r->o.order[i];

        grid_format(&t, "%s", r->s->configurations[c].name);
        grid_format(&t, "%.0f", r->o.prices[c]);
        grid_format(&t, r->o.sums[c] > 0 ? "%.3g" : "-", relative_time(r, c));
        grid_format(&t, "%s", r->is_front[c] ? "yes" : "");
    }
    print_table(&r->out, &t, "Time (1: the best for every workload) over price");
}

/* ------------------------------------------------- the whole */

static bool begin_report(struct report *r, const struct clue_study *s)
{
    *r = (struct report){.s = s};
    r->o = study_outcome(s, &as_it_is, &r->arena);
    if (!r->arena.failed)
        find_front(r);
    return !r->arena.failed;
}

static void json_change(struct report *r, void *to, const struct change *change, size_t network,
                        double factor, size_t winner)
{
    struct portolan_json *j = to;

    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "what", change->what);
    portolan_json_text(j, "unit", change->unit);
    portolan_json_text(j, "network", network < SIZE_MAX ? r->s->networks[network].name : NULL);
    portolan_json_number(j, "factor", factor);
    portolan_json_text(j, "winner", r->s->configurations[winner].name);
    portolan_json_close(j, '}');
}

static void json_variant(struct report *r, struct portolan_json *j, size_t c, size_t v)
{
    const struct variant *of = &r->s->configurations[c].variants[v];

    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "high", of->high);
    portolan_json_number(j, "low", of->low);
    portolan_json_number(j, "empty",
                         r->o.nodes[c] * r->s->configurations[c].cpus - of->high * of->low);
    portolan_json_open(j, "workloads", '[');
    for (size_t w = 0; w < r->s->n_workloads; w++) {
        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "name", r->s->workloads[w].name);
        portolan_json_number(j, "value", of->values[w].value);
        portolan_json_number(j, "low", of->values[w].low);
        portolan_json_number(j, "high", of->values[w].high);
        portolan_json_bool(j, "fits", !of->is_too_large[w]);
        portolan_json_bool(j, "chosen", r->o.chosen[c * r->s->n_workloads + w] == v);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

static void json_configuration(struct report *r, struct portolan_json *j, size_t c)
{
    const struct configuration *of = &r->s->configurations[c];
    size_t first, last;

    find_places(r, c, &first, &last);
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "name", of->name);
    portolan_json_number(j, "nodes", r->o.nodes[c]);
    portolan_json_number(j, "cpus", of->cpus);
    portolan_json_number(j, "memory_bytes", of->memory);
    portolan_json_text(j, "network", r->s->networks[of->network].name);
    portolan_json_number(j, "price", r->o.prices[c]);
    portolan_json_number(j, "points", r->o.sums[c]);
    portolan_json_number(j, "error", r->o.sum_errors[c]);
    portolan_json_number(j, "first_place", (double)first);
    portolan_json_number(j, "last_place", (double)last);
    portolan_json_bool(j, "on_front", r->is_front[c]);
    portolan_json_open(j, "variants", '[');
    for (size_t v = 0; v < of->n_variants; v++)
        json_variant(r, j, c, v);
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

static void write_json(struct report *r)
{
    struct portolan_json j = {.out = &r->out};

    portolan_json_open(&j, NULL, '{');
    portolan_json_text(&j, "study", r->s->name);
    portolan_json_open(&j, "configurations", '[');
    for (size_t i = 0; i < r->s->n_configurations; i++)
        json_configuration(r, &j, r->o.order[i]);
    portolan_json_close(&j, ']');
    portolan_json_open(&j, "instead", '[');
    try_changes(r, json_change, &j);
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
    portolan_text_add(&r->out, "\n");
}

enum portolan_status clue_study_report(const struct clue_study *s, bool is_json, char **text,
                                       struct portolan_error *err)
{
    struct report r;

    if (begin_report(&r, s)) {
        if (is_json) {
            write_json(&r);
        } else {
            print_configurations(&r);
            print_variants(&r);
            print_points(&r);
            print_changes(&r);
            print_front(&r);
        }
    }
    r.out.failed |= r.arena.failed;
    portolan_arena_clear(&r.arena);
    return portolan_text_take(&r.out, text, err);
}

/* ------------------------------------------------- the picture */

/* Adds the configurations that no other one beats in both time and price, by price. */
static void add_front(struct report *r, struct portolan_chart_series *to, double *x, double *y)
{
    size_t n = r->s->n_configurations;

    *to = (struct portolan_chart_series){
        .name = "front", .kind = PORTOLAN_CHART_LINE, .x = x, .y = y};
    for (size_t c = 0; c < n; c++) {
        size_t at = to->n;

        if (!r->is_front[c])
            continue;
        for (; at > 0 && x[at - 1] > r->o.prices[c]; at--) {
            x[at] = x[at - 1];
            y[at] = y[at - 1];
        }
        x[at] = r->o.prices[c];
        y[at] = relative_time(r, c);
        to->n++;
    }
}

enum portolan_status clue_study_draw(const struct clue_study *s, const char *file, char **text,
                                     struct portolan_error *err)
{
    size_t n = s->n_configurations;
    struct portolan_chart chart = {.title = s->name,
                                   .y_label = "time (1: the best for everything)"};
    struct report r;
    enum portolan_status status = PORTOLAN_ENOMEM;

    *text = NULL;
    if (begin_report(&r, s)) {
        double *x = portolan_arena_alloc(&r.arena, 4 * n, sizeof *x), *y = x + n;
        struct portolan_chart_series *series =
            portolan_arena_alloc(&r.arena, n + 1, sizeof *series);

        chart.x_label = portolan_arena_printf(&r.arena, s->currency ? "price in %s" : "price%s",
                                              s->currency ? s->currency : "");
        for (size_t c = 0; !r.arena.failed && c < n; c++) {
            x[c] = r.o.prices[c];
            y[c] = r.o.sums[c] > 0 ? relative_time(&r, c) : NAN;
            series[c + 1] = (struct portolan_chart_series){.name = s->configurations[c].name,
                                                           .kind = PORTOLAN_CHART_POINTS,
                                                           .n = 1,
                                                           .x = &x[c],
                                                           .y = &y[c]};
        }
        if (!r.arena.failed) {
            add_front(&r, &series[0], x + 2 * n, x + 3 * n);
            chart.series = series;
            chart.n_series = n + 1;
            status = portolan_chart_write(&chart, file, text, err);
        }
    }
    portolan_arena_clear(&r.arena);
    return status == PORTOLAN_ENOMEM ? portolan_no_memory(err) : status;
}
