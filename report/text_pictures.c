/* SPDX-License-Identifier: BSD-3-Clause */
/* Step times and shares as bars of blocks, for people who do not open browsers. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 40, MOST_BARS = 8, EIGHTHS = 8, MOST_COLUMNS = 200 };

/* Mean times in each of N columns of equally many steps. */
static void spread(const struct report_step *s, size_t n_steps, size_t n, double *ns)
{
    double all = 0, at = 0;

    memset(ns, 0, n * sizeof *ns);
    for (size_t i = 0; i < n_steps; i++)
        all += s[i].n;
    for (size_t i = 0; i < n_steps; at += s[i++].n)
        for (size_t k = (size_t)(at * (double)n / all); k < n; k++) {
            double begin = fmax(at, (double)k * all / (double)n),
                   end = fmin(at + s[i].n, (double)(k + 1) * all / (double)n);

            if (end <= begin)
                break;
            ns[k] += s[i].ns * (end - begin) * (double)n / all;
        }
}

/* A row of blocks whose heights are times, from 0 on. */
static void add_steps(const struct report_step *s, size_t n_steps, bool grouped, int columns,
                      struct portolan_text *out)
{
    static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double ns[MOST_COLUMNS], most = 0, least_ns = INFINITY, most_ns = 0;
    long long all = 0;
    char low[32], high[32];

    for (size_t i = 0; i < n_steps; i++) {
        all += s[i].n;
        least_ns = fmin(least_ns, s[i].ns);
        most_ns = fmax(most_ns, s[i].ns);
    }
    if (all < REPORT_LEAST_STEPS || !(most_ns > 0))
        return;
    columns = all < columns ? (int)all : columns;
    spread(s, n_steps, (size_t)columns, ns);
    for (int k = 0; k < columns; k++)
        most = fmax(most, ns[k]);
    portolan_text_add(out, "\ntimes of %lld steps on rank 0, %s to %s%s\n", all,
                      portolan_format_time(least_ns, 4, low, sizeof low),
                      portolan_format_time(most_ns, 4, high, sizeof high),
                      grouped ? " (of short steps, means of groups)" : "");
    for (int k = 0; k < columns; k++)
        portolan_text_add(out, "%s", heights[(int)ceil(EIGHTHS * ns[k] / most * (1 - 1e-9))]);
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
    double total = report_total(p);

    if (total > 0)
        portolan_text_add(out, "\nown time of call paths\n");
    for (int k = 0; total > 0 && k < MOST_BARS && (n = longest_of(p, n)); k++) {
        double share = fmin(1, n->exclusive.value / total);
        struct portolan_text label = {0};

        portolan_profile_add_label(n, false, &label);
        portolan_text_add(out, "%-*.*s %5.1f %% ", LABEL, LABEL, label.bytes ? label.bytes : "?",
                          100 * share);
        add_bar(share, columns - LABEL - 10, out);
        out->failed |= label.failed;
        portolan_text_clear(&label);
    }
}

enum portolan_status portolan_report_add_bars(struct portolan_store *store, int64_t trial,
                                              int columns, struct portolan_text *out,
                                              struct portolan_error *err)
{
    const struct portolan_profile_query query = {.trial = trial};
    struct portolan_profile *profile = NULL;
    struct report_step *steps = NULL;
    size_t n = 0;
    bool grouped = false;
    enum portolan_status status = portolan_profile_read(store, &query, &profile, err);

    columns = columns < LABEL + 20 ? LABEL + 20 : columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
    if (!status)
        status = report_read_steps(store, profile->trial, &steps, &n, &grouped, err);
    if (!status) {
        add_steps(steps, n, grouped, columns, out);
        add_shares(profile, columns, out);
    }
    portolan_profile_destroy(profile);
    free(steps);
    return status;
}
