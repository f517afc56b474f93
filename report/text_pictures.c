/* SPDX-License-Identifier: BSD-3-Clause */
/* Step times and shares as bars of blocks, for people who do not open browsers. */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>

enum { LABEL = 34, MOST_BARS = 8, EIGHTHS = 8 };

struct step_times {
    double *ns;
    size_t n, capacity;
    bool failed;
};

static void take_time(void *arg, int step, double ns, const struct portolan_sample *samples,
                      size_t n)
{
    struct step_times *t = arg;

    (void)step, (void)samples, (void)n;
    t->failed |= !portolan_reserve((void **)&t->ns, &t->capacity, t->n + 1, sizeof *t->ns);
    if (!t->failed)
        t->ns[t->n++] = ns;
}

/* The mean of the steps in column K of N. */
static double column_ns(const struct step_times *t, size_t k, size_t n)
{
    size_t begin = k * t->n / n, end = (k + 1) * t->n / n;
    double sum = 0;

    for (size_t i = begin; i < end; i++)
        sum += t->ns[i];
    return sum / (double)(end - begin);
}

/* A row of blocks whose heights are times, from 0 on. */
static void add_steps(const struct step_times *t, bool grouped, int columns,
                      struct portolan_text *out)
{
    static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t n = t->n < (size_t)columns ? t->n : (size_t)columns;
    double most = 0, least_ns = INFINITY, most_ns = 0;
    char low[32], high[32];

    for (size_t k = 0; k < n; k++)
        most = fmax(most, column_ns(t, k, n));
    for (size_t i = 0; i < t->n; i++) {
        least_ns = fmin(least_ns, t->ns[i]);
        most_ns = fmax(most_ns, t->ns[i]);
    }
    if (!(most > 0))
        return;
    portolan_text_add(out, "\nstep times on rank 0: %zu %s%s of %s to %s\n", t->n,
                      grouped ? "group" : "step", t->n == 1 ? "" : "s",
                      portolan_format_time(least_ns, 3, low, sizeof low),
                      portolan_format_time(most_ns, 3, high, sizeof high));
    for (size_t k = 0; k < n; k++)
        portolan_text_add(out, "%s", heights[(int)ceil(EIGHTHS * column_ns(t, k, n) / most)]);
    portolan_text_add(out, "\n");
}

static void add_bar(double share, int columns, struct portolan_text *out)
{
    static const char *const ends[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)round(share * columns * EIGHTHS);

    for (int i = 0; i < eighths / EIGHTHS; i++)
        portolan_text_add(out, "█");
    portolan_text_add(out, "%s\n", ends[eighths % EIGHTHS]);
}

static const struct portolan_profile_node *longest_of(const struct portolan_profile *p,
                                                      const struct portolan_profile_node *before)
{
    const struct portolan_profile_node *best = NULL;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (n->exclusive.value > (best ? best->exclusive.value : 0) &&
            (!before || n->exclusive.value < before->exclusive.value ||
             (n->exclusive.value == before->exclusive.value && n > before)))
            best = n;
    }
    return best;
}

/* Own times of the longest call paths, as shares of all. */
static void add_shares(const struct portolan_profile *p, int columns, struct portolan_text *out)
{
    const struct portolan_profile_node *n = NULL;
    double total = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        total += p->nodes[i].exclusive.value > 0 ? p->nodes[i].exclusive.value : 0;
    if (total > 0)
        portolan_text_add(out, "\nown time of call paths\n");
    for (int k = 0; k < MOST_BARS && (n = longest_of(p, n)); k++) {
        struct portolan_text label = {0};

        portolan_profile_add_label(n, false, &label);
        portolan_text_add(out, "%-*.*s %5.1f %% ", LABEL, LABEL, label.bytes ? label.bytes : "?",
                          100 * n->exclusive.value / total);
        add_bar(n->exclusive.value / total, columns - LABEL - 10, out);
        out->failed |= label.failed;
        portolan_text_clear(&label);
    }
}

enum portolan_status portolan_report_add_bars(struct portolan_store *store, int64_t trial,
                                              int columns, struct portolan_text *out,
                                              struct portolan_error *err)
{
    const struct portolan_profile_query query = {.trial = trial};
    struct step_times times = {0};
    struct portolan_profile *profile = NULL;
    enum portolan_status status;

    columns = columns < LABEL + 20 ? LABEL + 20 : columns;
    status = report_visit_steps(store, trial, take_time, &times, err);
    if (!status && times.failed)
        status = portolan_no_memory(err);
    if (!status)
        status = portolan_profile_read(store, &query, &profile, err);
    if (!status) {
        add_steps(&times, portolan_trial_peek_fact(profile->trial, PORTOLAN_FACT_GROUPS) != NULL,
                  columns, out);
        add_shares(profile, columns, out);
    }
    portolan_profile_destroy(profile);
    free(times.ns);
    return status;
}
