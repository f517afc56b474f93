/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the reports on nodes: values by name, order, selection. */
#ifndef PORTOLAN_PROFILE_REPORT_H
#define PORTOLAN_PROFILE_REPORT_H

#include "internal.h"

#include <portolan/grid.h>
#include <portolan/json.h>

/* The metric of a report: time, MPI time, or counter `counter`. */
enum metric { METRIC_TIME, METRIC_MPI, METRIC_COUNTER };

/* A report that is being written. */
struct view {
    struct portolan_store *store;
    const struct portolan_profile *p;
    const struct portolan_profile_report *r;
    struct portolan_text *out;
    struct portolan_error *err;
    /* Set by view_open(): */
    enum metric metric;
    size_t counter;
    double *own;          /* exclusive values of a counter, by node */
    bool by_name, by_key; /* the order; neither: as called */
    unsigned key;         /* a value of report_nodes.c */
    double total;         /* exclusive time of all, for shares */
};

/* Takes the metric and the order of the report; EINVAL, ENOMEM. */
enum portolan_status view_open(struct view *v, const char *default_sort);
void view_close(struct view *v);

/* Returns whether the report includes this node. */
bool view_matches(const struct view *v, size_t node);

/* The views. */
enum portolan_status report_nodes(struct view *v);
enum portolan_status report_ranks(struct view *v);
enum portolan_status report_traffic(const struct view *v);
enum portolan_status report_events(const struct view *v);
enum portolan_status report_rows(const struct view *v);

/*
 * Begin a JSON document, with TRIAL unless it is NULL; add a trial elsewhere; end the document,
 * which returns ENOMEM if memory was out.
 */
void profile_json_begin(struct portolan_json *j, const char *form,
                        const struct portolan_trial *trial);
void profile_json_trial(struct portolan_json *j, const char *key, const struct portolan_trial *t);
enum portolan_status profile_json_end(struct portolan_json *j, struct portolan_error *err);

#endif
