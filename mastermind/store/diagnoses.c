/* SPDX-License-Identifier: BSD-3-Clause */
/* Why runs were slow: diagnoses with their findings. */
#include "internal.h"

#include <stdlib.h>

static const struct column diagnosis_columns[] = {
    COLUMN(INT64, portolan_stored_diagnosis, trial),
    COLUMN(INT, portolan_stored_diagnosis, number),
    COLUMN(INT, portolan_stored_diagnosis, first_step),
    COLUMN(INT, portolan_stored_diagnosis, last_step),
    COLUMN(TEXT, portolan_stored_diagnosis, paradigm),
    COLUMN(TEXT, portolan_stored_diagnosis, verdict),
    COLUMN(TEXT, portolan_stored_diagnosis, why),
    COLUMN(DOUBLE, portolan_stored_diagnosis, run_ns),
    COLUMN(DOUBLE, portolan_stored_diagnosis, unexplained),
};
static const struct column finding_columns[] = {
    COLUMN(INT64, portolan_stored_finding, trial),
    COLUMN(INT, portolan_stored_finding, diagnosis),
    COLUMN(INT, portolan_stored_finding, number),
    COLUMN(TEXT, portolan_stored_finding, cause),
    COLUMN(TEXT, portolan_stored_finding, title),
    COLUMN(TEXT, portolan_stored_finding, verdict),
    COLUMN(TEXT, portolan_stored_finding, instance),
    COLUMN(TEXT, portolan_stored_finding, port),
    COLUMN(TEXT, portolan_stored_finding, factor),
    COLUMN(TEXT, portolan_stored_finding, remedy),
    COLUMN(TEXT, portolan_stored_finding, place),
    COLUMN(DOUBLE, portolan_stored_finding, share),
    COLUMN(DOUBLE, portolan_stored_finding, spread),
    COLUMN(DOUBLE, portolan_stored_finding, without_ns),
    COLUMN(DOUBLE, portolan_stored_finding, gain),
    COLUMN(DOUBLE, portolan_stored_finding, low),
    COLUMN(DOUBLE, portolan_stored_finding, high),
};

#define COUNT(COLUMNS) (sizeof(COLUMNS) / sizeof *(COLUMNS))

struct put_findings {
    const struct portolan_stored_diagnosis *of;
    const struct portolan_stored_finding *rows;
};

static void fill_finding(void *arg, size_t row, union backend_value *v)
{
    const struct put_findings *p = arg;

    columns_put(finding_columns, COUNT(finding_columns), &p->rows[row], v);
    v[0].i = p->of->trial;
    v[1].i = p->of->number;
    v[2].i = (int64_t)row + 1;
}

enum portolan_status portolan_store_put_diagnosis(struct portolan_store *s,
                                                  const struct portolan_stored_diagnosis *d,
                                                  const struct portolan_stored_finding *findings,
                                                  size_t n, struct portolan_error *err)
{
    struct put_findings p = {d, findings};
    union backend_value values[COUNT(diagnosis_columns)];
    enum portolan_status status = store_begin(s, d->trial, err);

    if (status)
        return store_explain(s, status, err, "a diagnosis");
    columns_put(diagnosis_columns, COUNT(diagnosis_columns), d, values);
    status =
        backend_run(s->backend, DELETE_DIAGNOSIS, NULL, err, "ii", d->trial, (int64_t)d->number);
    if (!status)
        status = backend_run_values(s->backend, PUT_DIAGNOSIS, NULL, err, "iiiitttdd", values);
    if (!status)
        status = backend_put_rows(s->backend, PUT_FINDING, "iiittttttttdddddd", n, fill_finding, &p,
                                  err);
    return store_explain(s, store_finish(s, status, err), err, "a diagnosis");
}

void portolan_diagnosis_set_destroy(struct portolan_diagnosis_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->diagnoses);
    free(set->findings);
    free(set);
}

static enum portolan_status read_all(struct backend *b, int64_t trial,
                                     struct portolan_diagnosis_set *set, struct portolan_error *err)
{
    static const struct shape diagnosis = SHAPE(portolan_stored_diagnosis, diagnosis_columns);
    static const struct shape finding = SHAPE(portolan_stored_finding, finding_columns);
    enum portolan_status status = rows_read(b, READ_DIAGNOSES, &diagnosis, set->impl,
                                            &set->diagnoses, &set->n_diagnoses, err, "i", trial);

    return status ? status
                  : rows_read(b, READ_FINDINGS, &finding, set->impl, &set->findings,
                              &set->n_findings, err, "i", trial);
}

enum portolan_status portolan_store_read_diagnoses(struct portolan_store *store, int64_t trial,
                                                   struct portolan_diagnosis_set **set,
                                                   struct portolan_error *err)
{
    struct portolan_diagnosis_set *made = portolan_calloc(1, sizeof *made);
    enum portolan_status status = PORTOLAN_OK;

    *set = NULL;
    if (!made || !(made->impl = texts_create()))
        status = portolan_no_memory(err);
    if (!status && !(status = store_start_reading(store, err)))
        status = store_finish_reading(store, read_all(store->backend, trial, made, err), err);
    if (status) {
        portolan_diagnosis_set_destroy(made);
        return store_unread(store, status, err, "diagnoses", trial);
    }
    *set = made;
    return PORTOLAN_OK;
}
