/* SPDX-License-Identifier: BSD-3-Clause */
/* The sandwich of each function: its own time, who calls it, and what it calls, whatever the path.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 200, MOST_PARTNERS = 4 };

/* The callers or callees of a function, each with the time of the calls. */
struct partners {
    const struct portolan_profile *flat;
    double *ns; /* of each row of FLAT; the last: calls from the program itself */
    double sum;
};

static bool is_same(const struct portolan_profile_node *a, const struct portolan_profile_node *b)
{
    return !strcmp(a->method, b->method) && !strcmp(a->instance, b->instance) &&
           !strcmp(a->port, b->port) && !strcmp(a->implementation, b->implementation);
}

static size_t row_of(const struct portolan_profile *flat, const struct portolan_profile_node *n)
{
    size_t i = 0;

    while (i < flat->n_nodes && !is_same(&flat->nodes[i], n))
        i++;
    return i;
}

static void add_partner(struct partners *p, size_t row, double ns)
{
    if (!(ns > 0))
        return;
    p->ns[row] += ns;
    p->sum += ns;
}

/* "driver.go 83 %, amr.refine 17 %": those with the most time. */
static void write_partners(struct partners *p, const char *key, struct portolan_json *j)
{
    struct portolan_text t = {0};

    for (size_t k = 0; k < MOST_PARTNERS; k++) {
        size_t best = 0;

        for (size_t i = 1; i <= p->flat->n_nodes; i++)
            if (p->ns[i] > p->ns[best])
                best = i;
        if (!(p->ns[best] > 0))
            break;
        portolan_text_add(&t, "%s", k ? ", " : "");
        if (best < p->flat->n_nodes)
            portolan_text_add(&t, "%s.%s", p->flat->nodes[best].instance,
                              p->flat->nodes[best].method);
        else
            portolan_text_add(&t, "the program");
        portolan_text_add(&t, " %.3g %%", 100 * p->ns[best] / p->sum);
        p->ns[best] = 0;
    }
    portolan_json_text(j, key, t.length ? t.bytes : "");
    j->out->failed |= t.failed;
    portolan_text_clear(&t);
    memset(p->ns, 0, (p->flat->n_nodes + 1) * sizeof *p->ns);
    p->sum = 0;
}

static void write_function(const struct portolan_profile *p, const struct portolan_profile *flat,
                           const size_t *rows, size_t row, double total, struct partners *scratch,
                           struct portolan_json *j)
{
    const struct portolan_profile_node *f = &flat->nodes[row];
    struct portolan_text label = {0};

    portolan_json_open(j, NULL, '{');
    portolan_profile_add_label(f, false, &label);
    portolan_json_text(j, "label", label.bytes);
    j->out->failed |= label.failed;
    portolan_text_clear(&label);
    portolan_json_number(j, "calls", f->calls.sum / p->ranks);
    portolan_json_number(j, "inclusive_ns", f->inclusive.value / p->ranks);
    portolan_json_number(j, "exclusive_ns", f->exclusive.value / p->ranks);
    portolan_json_number(j, "share", total > 0 ? f->exclusive.value / total : NAN);
    for (size_t i = 0; i < p->n_nodes; i++)
        if (rows[i] == row)
            add_partner(scratch, p->nodes[i].parent < 0 ? flat->n_nodes : rows[p->nodes[i].parent],
                        p->nodes[i].inclusive.value);
    write_partners(scratch, "callers", j);
    for (size_t i = 0; i < p->n_nodes; i++)
        if (p->nodes[i].parent >= 0 && rows[p->nodes[i].parent] == row)
            add_partner(scratch, rows[i], p->nodes[i].inclusive.value);
    write_partners(scratch, "callees", j);
    portolan_json_close(j, '}');
}

static const struct portolan_profile *sorting;

static int by_own_time(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    double x = sorting->nodes[i].exclusive.value, y = sorting->nodes[k].exclusive.value;

    return x < y ? 1 : x > y ? -1 : (i > k) - (i < k);
}

enum portolan_status report_write_functions(const struct portolan_profile *p, double total,
                                            struct portolan_json *j, struct portolan_error *err)
{
    struct portolan_profile *flat = NULL;
    enum portolan_status status = portolan_profile_flatten(p, &flat, err);
    size_t n = status ? 0 : flat->n_nodes, shown = n < MOST_FUNCTIONS ? n : MOST_FUNCTIONS;
    size_t *rows = portolan_calloc(p->n_nodes + n + 1, sizeof *rows), *order = rows + p->n_nodes;
    struct partners scratch = {flat, portolan_calloc(n + 1, sizeof(double)), 0};

    if (!status && (!rows || !scratch.ns))
        status = portolan_no_memory(err);
    portolan_json_open(j, "functions", '[');
    if (!status) {
        for (size_t i = 0; i < p->n_nodes; i++)
            rows[i] = row_of(flat, &p->nodes[i]);
        for (size_t i = 0; i < n; i++)
            order[i] = i;
        sorting = flat;
        qsort(order, n, sizeof *order, by_own_time);
        for (size_t i = 0; i < shown; i++)
            write_function(p, flat, rows, order[i], total, &scratch, j);
    }
    portolan_json_close(j, ']');
    portolan_json_number(j, "functions_left_out", (double)(n - shown));
    free(scratch.ns);
    free(rows);
    portolan_profile_destroy(flat);
    return status;
}
