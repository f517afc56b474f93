/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * report_source: the subject of a report, opened from what a user names: an assembly or a store,
 * and sets of its trials. One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_REPORT_SOURCE_H
#define PORTOLAN_REPORT_SOURCE_H

#include <portolan/report.h>
#include <portolan/study.h>

struct report_request {
    const struct study_means *means;
    struct study_options study;
    const char *sets[2]; /* of trials: those that are reported, or those before and those now */
    size_t n_sets;
};

struct report_source {
    struct study study;
    struct portolan_store *store;
    struct portolan_trial_list trials, before;
    char no_plan[1000];
    struct portolan_report_source source;
};

/* PLAN: with models, as `optimize` has them. The caller closes S, also after an error. */
enum portolan_status report_source_open(struct report_source *s,
                                        const struct report_request *request, bool plan,
                                        struct portolan_error *err);
/* Frees the lists of settings. */
void report_request_clear(struct report_request *request);
void report_source_close(struct report_source *s);

/* The name of the request's store, which need not be there yet; the caller frees it. ENOTFOUND: the
 * assembly has none. */
enum portolan_status report_store_name(const struct report_request *request, char **name,
                                       struct portolan_error *err);

/*
 * Adds to OUT what the store O->file says of a program without an assembly file: its options,
 * libraries or candidates, compared with each other; with bars of COLUMNS, unless 0. Frees the
 * lists of O.
 */
enum portolan_status report_store_text(struct assembly_options *o, int columns,
                                       struct portolan_text *out, struct portolan_error *err);

/* The JSON document of what is stored now; may be called again with the same request. */
enum portolan_status report_document(const struct report_request *request,
                                     struct portolan_text *out, struct portolan_error *err);

#endif
