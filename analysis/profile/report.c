/* SPDX-License-Identifier: BSD-3-Clause */
/* One view of a trial, as text or JSON: reads what it is of and calls its writer. */
#include "report.h"

/* As many values of single ranks are read to make flat views exact. */
enum { EXACT_CELLS = 1 << 16 };

static double all_calls(const struct portolan_profile *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        sum += p->nodes[i].is_context ? 0 : p->nodes[i].calls.sum;
    return sum;
}

/*
 * Of a summary, a flat view knows less than of the ranks' own values: these are read if they are
 * few, and all there (a trial may keep the first rank's alone).
 */
static enum portolan_status read_exactly(struct portolan_store *store,
                                         struct portolan_profile_query *q,
                                         struct portolan_profile **p, struct portolan_error *err)
{
    struct portolan_profile *exact = NULL, *worse;
    enum portolan_status status;

    q->cells = true;
    status = portolan_profile_read(store, q, &exact, err);
    if (status != PORTOLAN_OK)
        return status;
    worse = all_calls(exact) < all_calls(*p) ? exact : *p;
    *p = worse == exact ? *p : exact;
    portolan_profile_destroy(worse);
    return PORTOLAN_OK;
}

static enum portolan_status read_profile(const struct view *v, struct portolan_profile **p)
{
    const struct portolan_profile_report *r = v->r;
    struct portolan_profile_query q = {.trial = r->trial,
                                       .rank = r->rank,
                                       .contexts = r->view == PORTOLAN_PROFILE_CONTEXTS,
                                       .cells = r->view == PORTOLAN_PROFILE_RANKS};
    enum portolan_status status = portolan_profile_read(v->store, &q, p, v->err);

    if (status == PORTOLAN_OK && r->view == PORTOLAN_PROFILE_FLAT && !(*p)->n_cells &&
        (*p)->n_nodes * (size_t)(*p)->ranks <= EXACT_CELLS)
        status = read_exactly(v->store, &q, p, v->err);
    return status;
}

static enum portolan_status write_nodes(struct view *v)
{
    struct portolan_profile *flat = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (v->r->view != PORTOLAN_PROFILE_TREE)
        status = portolan_profile_flatten(v->p, &flat, v->err);
    v->p = flat ? flat : v->p;
    if (status == PORTOLAN_OK)
        status = v->r->as_json                          ? report_json(v)
                 : v->r->view == PORTOLAN_PROFILE_RANKS ? report_ranks(v)
                                                        : report_nodes(v);
    portolan_profile_destroy(flat);
    return status;
}

static enum portolan_status write_view(struct view *v)
{
    switch (v->r->view) {
    case PORTOLAN_PROFILE_ROWS:
        return report_rows(v);
    case PORTOLAN_PROFILE_EVENTS:
        return report_events(v);
    case PORTOLAN_PROFILE_MPI:
    case PORTOLAN_PROFILE_MATRIX:
        return report_traffic(v);
    default:
        return write_nodes(v);
    }
}

enum portolan_status portolan_profile_write(struct portolan_store *store,
                                            const struct portolan_profile_report *r,
                                            struct portolan_text *out, struct portolan_error *err)
{
    struct view v = {.store = store, .r = r, .out = out, .err = err};
    struct portolan_profile *p = NULL;
    enum portolan_status status = read_profile(&v, &p);

    v.p = p;
    if (status == PORTOLAN_OK && !r->as_json)
        report_head(&v);
    if (status == PORTOLAN_OK)
        status = write_view(&v);
    portolan_profile_destroy(p);
    return status == PORTOLAN_OK && out->failed ? portolan_no_memory(err) : status;
}
