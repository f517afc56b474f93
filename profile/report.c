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

static enum portolan_status read_profile(struct portolan_store *store,
                                         const struct portolan_profile_report *r,
                                         struct portolan_profile **p, struct portolan_error *err)
{
    struct portolan_profile_query q = {.trial = r->trial,
                                       .rank = r->rank,
                                       .contexts = r->view == PORTOLAN_PROFILE_CONTEXTS,
                                       .cells = r->view == PORTOLAN_PROFILE_RANKS};
    enum portolan_status status = portolan_profile_read(store, &q, p, err);

    if (status == PORTOLAN_OK && r->view == PORTOLAN_PROFILE_FLAT && !(*p)->n_cells &&
        (*p)->n_nodes * (size_t)(*p)->ranks <= EXACT_CELLS)
        status = read_exactly(store, &q, p, err);
    return status;
}

static enum portolan_status write_traffic(struct portolan_store *store,
                                          const struct portolan_profile *p,
                                          const struct portolan_profile_report *r,
                                          struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_traffic_set *set = NULL;
    enum portolan_status status = portolan_store_read_traffic(store, p->trial->id, &set, err);

    if (status == PORTOLAN_OK && r->as_json)
        status = report_traffic_json(p->trial, set, out, err);
    else if (status == PORTOLAN_OK && r->view == PORTOLAN_PROFILE_MPI)
        status = report_mpi(p, set, r, out, err);
    else if (status == PORTOLAN_OK)
        status = report_matrix(p->trial->ranks, set, r, out, err);
    portolan_traffic_set_destroy(set);
    return status;
}

static enum portolan_status write_events(struct portolan_store *store,
                                         const struct portolan_trial *t,
                                         const struct portolan_profile_report *r,
                                         struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_event_set *set = NULL;
    enum portolan_status status = portolan_store_read_events(store, t->id, r->rank, &set, err);

    if (status == PORTOLAN_OK)
        status =
            r->as_json ? report_events_json(t, set, out, err) : report_events(set, r, out, err);
    portolan_event_set_destroy(set);
    return status;
}

static enum portolan_status write_nodes(const struct portolan_profile *p,
                                        const struct portolan_profile_report *r,
                                        struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_profile *flat = NULL;
    enum portolan_status status =
        r->view == PORTOLAN_PROFILE_TREE ? PORTOLAN_OK : portolan_profile_flatten(p, &flat, err);

    p = flat ? flat : p;
    if (status == PORTOLAN_OK)
        status = r->as_json                          ? report_json(p, out, err)
                 : r->view == PORTOLAN_PROFILE_RANKS ? report_ranks(p, r, out, err)
                                                     : report_nodes(p, r, out, err);
    portolan_profile_destroy(flat);
    return status;
}

enum portolan_status portolan_profile_write(struct portolan_store *store,
                                            const struct portolan_profile_report *r,
                                            struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_profile *p = NULL;
    enum portolan_status status = read_profile(store, r, &p, err);

    if (status == PORTOLAN_OK && !r->as_json) {
        report_head(p, out);
        portolan_text_add(out, "\n");
    }
    if (status == PORTOLAN_OK)
        switch (r->view) {
        case PORTOLAN_PROFILE_ROWS:
            status = report_rows(store, p->trial, r, out, err);
            break;
        case PORTOLAN_PROFILE_EVENTS:
            status = write_events(store, p->trial, r, out, err);
            break;
        case PORTOLAN_PROFILE_MPI:
        case PORTOLAN_PROFILE_MATRIX:
            status = write_traffic(store, p, r, out, err);
            break;
        default:
            status = write_nodes(p, r, out, err);
        }
    portolan_profile_destroy(p);
    return status;
}
