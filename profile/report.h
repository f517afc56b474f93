/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports on nodes share: values by name, order, choice. */
#ifndef PORTOLAN_PROFILE_REPORT_H
#define PORTOLAN_PROFILE_REPORT_H

#include "internal.h"
#include "table.h"

#include <portolan/json.h>

/* What a report is about: time, MPI time, or counter `counter`. */
enum metric { METRIC_TIME, METRIC_MPI, METRIC_COUNTER };

struct view {
    const struct portolan_profile *p;
    const struct portolan_profile_report *r;
    enum metric metric;
    size_t counter;
    double *own; /* of a counter: without the calls below; by node */
    double (*key)(const struct view *, size_t node); /* NULL: by name, or as called */
    bool by_name;
    double total; /* exclusive time of all, for shares */
};

enum portolan_status view_open(struct view *v, const struct portolan_profile *p,
                               const struct portolan_profile_report *r, const char *default_sort,
                               struct portolan_error *err);
void view_close(struct view *v);

/* Totals over ranks as the report wants them. */
/* What values of timed calls are multiplied by to be of all calls; 1 for raw values. */
double view_ratio(const struct view *v, size_t node);
struct portolan_profile_estimate view_inclusive(const struct view *v, size_t node);
struct portolan_profile_estimate view_exclusive(const struct view *v, size_t node);
struct portolan_profile_estimate view_mpi(const struct view *v, size_t node);

/*
 * The nodes to be shown, in order: siblings sorted, children behind parents, of those the greatest
 * TOP with all above them. The caller frees *ORDER.
 */
enum portolan_status view_order(const struct view *v, size_t **order, size_t *n,
                                struct portolan_error *err);

/* Whether the report is about this node. */
bool view_matches(const struct view *v, size_t node);

/*
 * What all documents in JSON begin with, TRIAL (or NULL) in them; a trial in other places; and the
 * end, which tells whether memory was out.
 */
void profile_json_begin(struct portolan_json *j, const char *form,
                        const struct portolan_trial *trial);
void profile_json_trial(struct portolan_json *j, const char *key, const struct portolan_trial *t);
enum portolan_status profile_json_end(struct portolan_json *j, struct portolan_error *err);

#endif
