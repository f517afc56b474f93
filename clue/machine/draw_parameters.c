/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws parameters of a machine within the errors with which they are known. */
#include "machine.h"

#include <portolan/stats.h>

#include <math.h>
#include <string.h>

/* Computes LOWER of COVARIANCE = LOWER LOWER^T (Cholesky); a row that depends on others is 0. */
static void factorize(double covariance[CLUE_PARAMETERS][CLUE_PARAMETERS],
                      double lower[CLUE_PARAMETERS][CLUE_PARAMETERS])
{
    memset(lower, 0, sizeof(double[CLUE_PARAMETERS][CLUE_PARAMETERS]));
    for (int i = 0; i < CLUE_PARAMETERS; i++)
        for (int k = 0; k <= i; k++) {
            double sum = covariance[i][k];

            for (int l = 0; l < k; l++)
                sum -= lower[i][l] * lower[k][l];
            if (i == k)
                lower[i][i] = sqrt(fmax(sum, 0));
            else if (lower[k][k] > 0)
                lower[i][k] = sum / lower[k][k];
        }
}

static void scale_points(const struct clue_law *law, double times)
{
    struct clue_law_point *points = (struct clue_law_point *)law->points;

    for (size_t i = 0; i < law->n_points; i++)
        points[i].ns *= times;
}

static void scale_line(struct clue_law *law, double times)
{
    law->constant_ns *= times;
    law->ns_per_byte *= times;
}

static void scale_hosts(struct clue_machine_file *f, const double *times)
{
    for (size_t i = 0; i < f->n_types; i++)
        for (size_t l = 0; l < HOST_LAWS; l++)
            scale_points(law_of(&f->types[i].host, &host_laws[l]), times[host_laws[l].parameter]);
    for (size_t i = 0; i < f->machine.n_hosts; i++) {
        struct clue_host *h = &f->machine.hosts[i];

        h->factor *= times[CLUE_FACTOR];
        for (size_t l = 0; l < HOST_LAWS; l++)
            scale_line(law_of(h, &host_laws[l]), times[host_laws[l].parameter]);
    }
}

/* Scales the rules' laws, since pairs share the points of rules. */
static void scale_pairs(struct clue_machine_file *f, const double *times)
{
    for (size_t i = 0; i < f->n_rules; i++)
        scale_points(&f->rules[i].law, times[f->rules[i].is_send ? CLUE_SEND : CLUE_TRANSMISSION]);
    for (size_t i = 0; i < f->machine.n_pairs; i++) {
        scale_line(&f->machine.pairs[i].send, times[CLUE_SEND]);
        scale_line(&f->machine.pairs[i].transmission, times[CLUE_TRANSMISSION]);
    }
}

static void scale_links(struct clue_network *n, const double *times)
{
    struct clue_link *links = (struct clue_link *)n->links;

    for (size_t i = 0; i < n->n_links; i++) {
        links[i].bytes_per_ns *= times[CLUE_BANDWIDTH];
        links[i].latency_ns = llround((double)links[i].latency_ns * times[CLUE_LATENCY]);
    }
}

/* Scales absolute changes; others are multiples of the file's parameters, which are scaled. */
static void scale_changes(struct clue_machine *m, const double *times)
{
    struct clue_change *changes = (struct clue_change *)m->changes;

    for (size_t i = 0; i < m->n_changes; i++)
        if (changes[i].parameter == CLUE_FACTOR)
            changes[i].times *= times[CLUE_FACTOR];
}

void clue_machine_vary(struct clue_machine_file *f, uint64_t draw)
{
    static const enum clue_parameter parts[] = {CLUE_SEND, CLUE_TRANSMISSION, CLUE_RECEIVE,
                                                CLUE_COLLECTIVES};
    double lower[CLUE_PARAMETERS][CLUE_PARAMETERS], times[CLUE_PARAMETERS];

    factorize(f->covariance, lower);
    for (int i = 0; i < CLUE_PARAMETERS; i++) {
        double logarithm = 0;

        for (int k = 0; k <= i; k++)
            logarithm += lower[i][k] * portolan_draw_normal(draw, (uint64_t)k);
        times[i] = exp(logarithm);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        times[parts[i]] *= times[CLUE_COMMUNICATION];
    scale_hosts(f, times);
    scale_pairs(f, times);
    scale_links(&f->machine.network, times);
    scale_changes(&f->machine, times);
    f->machine.shared_more = times[CLUE_COLLECTIVES] - 1;
}
