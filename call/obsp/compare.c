/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of the BSP library next to what both models say of it, as text. */
#include <portolan/obsp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- constants and machine */

static enum portolan_status set_constants(struct portolan_obsp_trace *t, const char *text,
                                          struct portolan_error *err)
{
    double constants[PORTOLAN_OBSP_MAX_CONSTANTS];
    const char *list = strchr(text, '=');
    char *name = strndup(text, (size_t)(list - text)), *copy = portolan_strdup(list + 1),
         *rest = copy;
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (!name || !copy)
        status = portolan_no_memory(err);
    while (status == PORTOLAN_OK && rest) {
        const char *number = strsep(&rest, ",");

        if (n == PORTOLAN_OBSP_MAX_CONSTANTS || !portolan_read_double(number, &constants[n++]))
            status = portolan_error_set(err, PORTOLAN_EINVAL, "--constants %s: '%s' is no number",
                                        text, number);
    }
    if (status == PORTOLAN_OK)
        status = portolan_obsp_set_constants(t, name, n, constants, err);
    free(name);
    free(copy);
    return status;
}

static bool lacks_constants(const struct portolan_obsp_trace *t)
{
    size_t n;
    const struct portolan_obsp_experiment *e = portolan_obsp_peek_experiments(t, &n);

    for (size_t i = 0; i < n; i++)
        if (e[i].constants)
            return false;
    return true;
}

/* Takes constants from the other trace, from the report, from the caller, from the trace itself. */
static enum portolan_status take_constants(const struct portolan_obsp_comparison *o,
                                           struct portolan_obsp_trace *t, bool predicts,
                                           struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (o->from) /* may fail without formulas: g and latency are still available */
        portolan_obsp_fit(o->from, NULL, NULL);
    if (o->from)
        status = portolan_obsp_take_constants(t, o->from, err);
    if (status == PORTOLAN_OK && o->report)
        status = portolan_obsp_fit(t, o->report, err);
    for (size_t i = 0; i < o->n_constants && status == PORTOLAN_OK; i++)
        status = set_constants(t, o->constants[i], err);
    if (status == PORTOLAN_OK && predicts && lacks_constants(t))
        status = portolan_obsp_fit(t, NULL, err);
    return status;
}

/* What is given of the machine replaces what is fitted; g and L go together. */
static enum portolan_status find_machine(const struct portolan_obsp_comparison *o,
                                         const struct portolan_obsp_trace *t,
                                         struct portolan_obsp_machine *m,
                                         struct portolan_error *err)
{
    enum portolan_status status = portolan_obsp_machine(o->from ? o->from : t, o->combine, m, err);

    if (status != PORTOLAN_OK)
        return status;
    if (!isnan(o->given.g) || !isnan(o->given.latency)) {
        *m = (struct portolan_obsp_machine){.speed = m->speed, .error = NAN};
        m->g = isnan(o->given.g) ? 0 : o->given.g;
        m->latency = isnan(o->given.latency) ? 0 : o->given.latency;
    }
    if (!isnan(o->given.speed))
        m->speed = o->given.speed;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- as text */

static void add_machine(struct portolan_text *out, const struct portolan_obsp_comparison *o,
                        const struct portolan_obsp_trace *t, const struct portolan_obsp_machine *m,
                        bool predicts)
{
    const struct portolan_obsp_experiment *e;
    size_t n;

    portolan_text_add(out, "%s: %zu processor%s", o->name, portolan_obsp_n_processors(t),
                      portolan_obsp_n_processors(t) == 1 ? "" : "s");
    if (!isnan(m->latency))
        portolan_text_add(out, "; g %.3g s/byte, L %.3g s", m->g, m->latency);
    if (m->n_rows)
        portolan_text_add(out, " (fitted to %zu ends of supersteps, off by %.0f %%)", m->n_rows,
                          m->error * 100);
    if (predicts && !isnan(m->speed))
        portolan_text_add(out, "; plain BSP: %.3g s an operation", m->speed);
    portolan_text_add(out, "\n");
    e = portolan_obsp_peek_experiments(t, &n);
    for (size_t i = 0; predicts && i < n; i++) {
        portolan_text_add(out, "  %s, %zu run%s: %s", e[i].name, e[i].n_runs,
                          e[i].n_runs == 1 ? "" : "s", e[i].formula ? e[i].formula : "no formula");
        for (size_t k = 0; e[i].constants && k < e[i].n_constants; k++)
            portolan_text_add(out, "%s %.4g", k ? "," : ";", e[i].constants[k]);
        if (e[i].n_intervals > 1)
            portolan_text_add(out, " (%zu intervals have their own)", e[i].n_intervals);
        portolan_text_add(out, "%s\n",
                          e[i].is_local ? "; between measured values as its neighbours" : "");
    }
}

static void add_time(struct portolan_text *out, double t)
{
    if (isnan(t))
        portolan_text_add(out, " %11s", "-");
    else
        portolan_text_add(out, " %11.6g", t);
}

/* (real - predicted) / real, as in the paper's Table 1. */
static void add_error_of(struct portolan_text *out, double real, double predicted)
{
    if (isnan(real) || real == 0)
        portolan_text_add(out, " %9s", "-");
    else
        portolan_text_add(out, " %9.2f", (real - predicted) / real * 100);
}

static void add_times(struct portolan_text *out, const struct portolan_obsp_comparison *o,
                      const double predicted[2], double measured)
{
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            add_time(out, predicted[m]);
    add_time(out, measured);
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            add_error_of(out, measured, predicted[m]);
    portolan_text_add(out, "\n");
}

static void add_heading(struct portolan_text *out, const struct portolan_obsp_comparison *o,
                        const char *left)
{
    static const char *const names[2] = {"OBSP*", "BSP"};

    portolan_text_add(out, "%s", left);
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            portolan_text_add(out, " %11s", names[m]);
    portolan_text_add(out, " %11s", "measured");
    for (int m = 0; m < 2; m++)
        if (o->models[m])
            portolan_text_add(out, " %5s err%%", m ? "BSP" : "OBSP*");
    portolan_text_add(out, "\n");
}

static void add_result(struct portolan_text *out, const struct portolan_obsp_comparison *o,
                       const struct portolan_obsp_result r[2])
{
    const struct portolan_obsp_result *any = &r[o->models[PORTOLAN_OBSP] ? 0 : 1];

    if (!o->totals && any->n_rows) {
        add_heading(out, o, "\nprocessor depth superstep     bytes        work");
        for (size_t i = 0; i < any->n_rows; i++) {
            const struct portolan_obsp_row *row = &any->rows[i];
            double ends[2] = {r[0].n_rows ? r[0].rows[i].end : NAN,
                              r[1].n_rows ? r[1].rows[i].end : NAN};

            portolan_text_add(out, "%9zu %5zu %9zu %9.6g %11.6g", row->processor, row->depth,
                              row->superstep, row->bytes, row->work);
            add_times(out, o, ends, row->measured);
        }
    }
    add_heading(out, o, "\nprocessor");
    for (size_t p = 0; p < any->n_processors; p++) {
        double ends[2] = {r[0].ends ? r[0].ends[p] : NAN, r[1].ends ? r[1].ends[p] : NAN};

        portolan_text_add(out, "%9zu", p);
        add_times(out, o, ends, any->measured_ends[p]);
    }
    portolan_text_add(out, "%9s", "all");
    add_times(out, o, (double[2]){r[0].total, r[1].total}, any->measured_total);
}

enum portolan_status portolan_obsp_compare(const struct portolan_obsp_comparison *o,
                                           struct portolan_obsp_trace *t, char **text,
                                           struct portolan_error *err)
{
    bool predicts = o->predict || o->from || o->report || o->n_constants;
    struct portolan_obsp_result r[2] = {0};
    struct portolan_obsp_machine machine;
    struct portolan_text out = {0};
    enum portolan_status status = take_constants(o, t, predicts, err);

    *text = NULL;
    if (status == PORTOLAN_OK)
        status = find_machine(o, t, &machine, err);
    for (int m = 0; m < 2 && status == PORTOLAN_OK; m++) {
        const struct portolan_obsp_options evaluation = {.model = (enum portolan_obsp_model)m,
                                                         .combine = o->combine,
                                                         .predict = predicts,
                                                         .machine = &machine};

        if (o->models[m])
            status = portolan_obsp_evaluate(t, &evaluation, &r[m], err);
    }
    if (status == PORTOLAN_OK) {
        add_machine(&out, o, t, &machine, predicts);
        add_result(&out, o, r);
        status = portolan_text_take(&out, text, err);
    }
    portolan_obsp_result_clear(&r[0]);
    portolan_obsp_result_clear(&r[1]);
    return status;
}
