/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores what explains a run: its decisions with their alternatives, expected and measured times.
 */
#include "internal.h"

#include <stdlib.h>

static const struct column reason_columns[] = {
    COLUMN(INT64, portolan_reason, trial),    COLUMN(INT, portolan_reason, number),
    COLUMN(INT, portolan_reason, step),       COLUMN(TEXT, portolan_reason, asked_by),
    COLUMN(TEXT, portolan_reason, change),    COLUMN(TEXT, portolan_reason, choice),
    COLUMN(TEXT, portolan_reason, binding),   COLUMN(INT, portolan_reason, steps),
    COLUMN(INT, portolan_reason, trials),     COLUMN(DOUBLE, portolan_reason, now_ns),
    COLUMN(DOUBLE, portolan_reason, step_ns), COLUMN(DOUBLE, portolan_reason, low_ns),
    COLUMN(DOUBLE, portolan_reason, high_ns), COLUMN(DOUBLE, portolan_reason, cost_ns),
    COLUMN(DOUBLE, portolan_reason, chance),  COLUMN(TEXT, portolan_reason, text),
    COLUMN(TEXT, portolan_reason, outcome),
};
static const struct column alternative_columns[] = {
    COLUMN(INT64, portolan_alternative, trial),
    COLUMN(INT, portolan_alternative, number),
    COLUMN(TEXT, portolan_alternative, instance),
    COLUMN(TEXT, portolan_alternative, implementation),
    COLUMN(BOOL, portolan_alternative, chosen),
    COLUMN(INT, portolan_alternative, rows),
    COLUMN(DOUBLE, portolan_alternative, step_ns),
    COLUMN(DOUBLE, portolan_alternative, low_ns),
    COLUMN(DOUBLE, portolan_alternative, high_ns),
    COLUMN(DOUBLE, portolan_alternative, forced_ns),
    COLUMN(DOUBLE, portolan_alternative, chance),
    COLUMN(TEXT, portolan_alternative, binding),
    COLUMN(TEXT, portolan_alternative, text),
};
static const struct column expectation_columns[] = {
    COLUMN(INT64, portolan_expectation, trial),
    COLUMN(INT, portolan_expectation, step),
    COLUMN(TEXT, portolan_expectation, path),
    COLUMN(TEXT, portolan_expectation, cause),
    COLUMN(DOUBLE, portolan_expectation, expected_ns),
    COLUMN(DOUBLE, portolan_expectation, low_ns),
    COLUMN(DOUBLE, portolan_expectation, high_ns),
    COLUMN(DOUBLE, portolan_expectation, measured_ns),
};

#define COUNT(COLUMNS) (sizeof(COLUMNS) / sizeof *(COLUMNS))

/* ---------------------------------------------------------------------------- writing */

struct put_alternatives {
    const struct portolan_reason *of;
    const struct portolan_alternative *rows;
};

static void fill_alternative(void *arg, size_t row, union backend_value *v)
{
    const struct put_alternatives *p = arg;

    columns_put(alternative_columns, COUNT(alternative_columns), &p->rows[row], v);
    v[0].i = p->of->trial;
    v[1].i = p->of->number;
}

enum portolan_status portolan_store_put_reason(struct portolan_store *s,
                                               const struct portolan_reason *r,
                                               const struct portolan_alternative *alternatives,
                                               size_t n, struct portolan_error *err)
{
    struct put_alternatives p = {r, alternatives};
    union backend_value values[COUNT(reason_columns)];
    enum portolan_status status = store_begin(s, r->trial, err);

    if (status)
        return store_explain(s, status, err, "a reason");
    columns_put(reason_columns, COUNT(reason_columns), r, values);
    status = backend_run_values(s->backend, PUT_REASON, NULL, err, "iiittttiiddddddtt", values);
    if (!status)
        status = backend_put_rows(s->backend, PUT_ALTERNATIVE, "iittiidddddtt", n, fill_alternative,
                                  &p, err);
    return store_explain(s, store_finish(s, status, err), err, "a reason");
}

enum portolan_status portolan_store_put_expectations(struct portolan_store *s, int64_t trial,
                                                     const struct portolan_expectation *rows,
                                                     size_t n, struct portolan_error *err)
{
    union backend_value values[COUNT(expectation_columns)];
    enum portolan_status status = store_begin(s, trial, err);

    if (status)
        return store_explain(s, status, err, "expectations");
    for (size_t i = 0; i < n && !status; ++i) {
        columns_put(expectation_columns, COUNT(expectation_columns), &rows[i], values);
        values[0].i = trial;
        status = backend_run_values(s->backend, PUT_EXPECTATION, NULL, err, "iittdddd", values);
    }
    return store_explain(s, store_finish(s, status, err), err, "expectations");
}

/* ---------------------------------------------------------------------------- reading */

void portolan_reason_set_destroy(struct portolan_reason_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->reasons);
    free(set->alternatives);
    free(set->expectations);
    free(set);
}

static enum portolan_status read_all(struct backend *b, int64_t trial,
                                     struct portolan_reason_set *set, struct portolan_error *err)
{
    static const struct shape reason = SHAPE(portolan_reason, reason_columns);
    static const struct shape alternative = SHAPE(portolan_alternative, alternative_columns);
    static const struct shape expectation = SHAPE(portolan_expectation, expectation_columns);
    enum portolan_status status = rows_read(b, READ_REASONS, &reason, set->impl, &set->reasons,
                                            &set->n_reasons, err, "i", trial);

    if (!status)
        status = rows_read(b, READ_ALTERNATIVES, &alternative, set->impl, &set->alternatives,
                           &set->n_alternatives, err, "i", trial);
    if (!status)
        status = rows_read(b, READ_EXPECTATIONS, &expectation, set->impl, &set->expectations,
                           &set->n_expectations, err, "i", trial);
    return status;
}

enum portolan_status portolan_store_read_reasons(struct portolan_store *store, int64_t trial,
                                                 struct portolan_reason_set **set,
                                                 struct portolan_error *err)
{
    struct portolan_reason_set *made = portolan_calloc(1, sizeof *made);
    enum portolan_status status = PORTOLAN_OK;

    *set = NULL;
    if (!made || !(made->impl = texts_create()))
        status = portolan_no_memory(err);
    if (!status && !(status = store_start_reading(store, err)))
        status = store_finish_reading(store, read_all(store->backend, trial, made, err), err);
    if (status) {
        portolan_reason_set_destroy(made);
        return store_unread(store, status, err, "reasons", trial);
    }
    *set = made;
    return PORTOLAN_OK;
}
