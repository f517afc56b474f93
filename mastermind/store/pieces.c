/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows of call_data are a trial's, and a walk over them in the order that is asked for. */
#include "internal.h"

#include <stdlib.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_step(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int c = compare(x->step, y->step);

    if (!c)
        c = compare(x->rank, y->rank);
    return c ? c : compare(x->first, y->first);
}

static int by_rank(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int c = compare(x->rank, y->rank);

    return c ? c : compare(x->first, y->first);
}

enum portolan_status pieces_read(struct backend *b, int64_t trial, const struct piece_range *r,
                                 enum piece_order order, struct piece **pieces, size_t *n,
                                 struct portolan_error *err)
{
    struct piece *made = NULL;
    size_t capacity = 0;
    enum portolan_status status =
        backend_query(b, READ_CALL_PIECES, err, "iiiii", trial, (int64_t)r->first_step,
                      (int64_t)r->last_step, (int64_t)r->first_rank, (int64_t)r->last_rank);
    bool row;

    *pieces = NULL;
    *n = 0;
    while (!status && !(status = backend_next(b, READ_CALL_PIECES, &row, err)) && row) {
        if (store_reserve(&made, &capacity, *n, sizeof *made))
            made[(*n)++] = (struct piece){
                .first = backend_int(b, READ_CALL_PIECES, 0),
                .last = backend_int(b, READ_CALL_PIECES, 1),
                .step = (int)backend_int(b, READ_CALL_PIECES, 2),
                .rank = (int)backend_int(b, READ_CALL_PIECES, 3),
            };
        else
            status = portolan_no_memory(err);
    }
    backend_reset(b, READ_CALL_PIECES);
    if (status) {
        free(made);
        return status;
    }
    if (*n)
        qsort(made, *n, sizeof *made, order == PIECES_BY_STEP ? by_step : by_rank);
    *pieces = made;
    return PORTOLAN_OK;
}

enum portolan_status pieces_visit(struct backend *b, const struct piece *pieces, size_t n,
                                  enum portolan_status (*visit)(void *arg,
                                                                const struct piece *piece),
                                  void *arg, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t at = 0, end; at < n && !status; at = end) {
        bool row;

        /* Pieces that lie side by side are one range. */
        for (end = at + 1; end < n && pieces[end].first == pieces[end - 1].last + 1;)
            ++end;
        status =
            backend_query(b, READ_CALL_DATA, err, "ii", pieces[at].first, pieces[end - 1].last);
        while (!status && !(status = backend_next(b, READ_CALL_DATA, &row, err)) && row) {
            while (backend_int(b, READ_CALL_DATA, CALL_ID) > pieces[at].last)
                ++at;
            status = visit(arg, &pieces[at]);
        }
        backend_reset(b, READ_CALL_DATA);
    }
    return status;
}
