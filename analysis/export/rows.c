/* SPDX-License-Identifier: BSD-3-Clause */
/* Single calls: as they are stored, or as they are entered and left on a thread. */
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status job_needs_rows(const struct job *job, struct portolan_error *err)
{
    bool any;
    enum portolan_status status =
        portolan_profile_has_rows(job->store, job->id, job->options->rank, &any, err);

    if (status != PORTOLAN_OK || any)
        return status;
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "trial %" PRId64
                              " has no rows of single calls%s, which this format needs; measure "
                              "again with the Mastermind's parameter rows=all",
                              job->id, job->options->rank ? " of this rank" : "");
}

enum portolan_status job_visit_rows(const struct job *job, portolan_invocation_fn visit, void *arg,
                                    struct portolan_error *err)
{
    return portolan_store_visit_invocations(job->store, job->id, job->options->rank, visit, arg,
                                            err);
}

void row_label(const struct portolan_sample *path, struct portolan_text *text)
{
    const struct portolan_profile_node node = portolan_profile_node_of(path);

    text->length = 0;
    portolan_profile_add_label(&node, false, text);
    clean_utf8(text->bytes);
}

/* ------------------------------------------------- in time */

struct call {
    const struct portolan_sample *path;
    struct portolan_invocation row;
    int64_t start_ns, end_ns;
    bool spans; /* several steps */
};

/*
 * Rows come in the order of their start. Rows with one start wait for the next start, since the
 * longest of them is the outermost call; open calls are on a stack.
 */
struct timeline {
    struct portolan_kept_paths paths; /* since the last calls end after the store's visit */
    const struct timeline_ops *ops;
    void *arg;
    struct portolan_error *err;
    enum portolan_status status;
    bool has_thread;
    int rank, thread;
    int64_t last_ns;
    struct call *open, *waiting;
    size_t n_open, open_room, n_waiting, waiting_room;
};

static bool push(struct call **calls, size_t *n, size_t *room, const struct call *c)
{
    if (*n == *room) {
        size_t wanted = *room ? 2 * *room : 64;
        struct call *grown = portolan_reallocarray(*calls, wanted, sizeof *grown);

        if (!grown)
            return false;
        *calls = grown;
        *room = wanted;
    }
    (*calls)[(*n)++] = *c;
    return true;
}

static void fail(struct timeline *t, enum portolan_status status)
{
    if (t->status == PORTOLAN_OK)
        t->status = status;
}

static void leave(struct timeline *t)
{
    const struct call *c = &t->open[--t->n_open];

    t->last_ns = c->end_ns;
    fail(t, t->ops->call(t->arg, false, c->path, &c->row, c->end_ns, t->err));
}

/*
 * Returns whether an open call lasts until C. The time of a row does not contain the time that the
 * Mastermind takes between steps, so a call around several steps seems to end too early. But a row
 * has the step in which its call ended: a call that ended in an earlier step is inside it. For the
 * same step this is only certain for the outermost call.
 */
static bool lasts_until(const struct timeline *t, size_t open, const struct call *c)
{
    const struct call *around = &t->open[open];

    return c->row.step < around->row.step ||
           (open == 0 && around->spans && c->row.step == around->row.step);
}

/* Enters a call; despite rounding it ends no later than the call around it. */
static void enter(struct timeline *t, struct call c)
{
    while (t->status == PORTOLAN_OK && t->n_open > 0 &&
           t->open[t->n_open - 1].end_ns <= c.start_ns && !lasts_until(t, t->n_open - 1, &c))
        leave(t);
    for (size_t i = 0; i < t->n_open; i++) {
        struct call *around = &t->open[i];

        if (around->end_ns < c.end_ns && lasts_until(t, i, &c))
            around->end_ns = c.end_ns;
        around->spans |= c.row.step < around->row.step;
    }
    if (t->n_open > 0 && c.end_ns > t->open[t->n_open - 1].end_ns)
        c.end_ns = t->open[t->n_open - 1].end_ns;
    if (t->status != PORTOLAN_OK)
        return;
    if (!push(&t->open, &t->n_open, &t->open_room, &c)) {
        fail(t, portolan_no_memory(t->err));
        return;
    }
    t->last_ns = c.start_ns;
    fail(t, t->ops->call(t->arg, true, c.path, &c.row, c.start_ns, t->err));
}

static int compare_calls(const void *a, const void *b)
{
    const struct call *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

static void enter_waiting(struct timeline *t)
{
    if (t->n_waiting > 1)
        qsort(t->waiting, t->n_waiting, sizeof *t->waiting, compare_calls);
    for (size_t i = 0; i < t->n_waiting && t->status == PORTOLAN_OK; i++)
        enter(t, t->waiting[i]);
    t->n_waiting = 0;
}

static void end_thread(struct timeline *t)
{
    enter_waiting(t);
    while (t->status == PORTOLAN_OK && t->n_open > 0)
        leave(t);
    if (t->has_thread && t->ops->end && t->status == PORTOLAN_OK)
        fail(t, t->ops->end(t->arg, t->last_ns, t->err));
    t->n_open = 0;
    t->has_thread = false;
}

static int take_row(void *arg, const struct portolan_sample *path,
                    const struct portolan_invocation *row)
{
    struct timeline *t = arg;
    struct call c = {.row = *row,
                     .start_ns = llround(row->start_ns),
                     .end_ns = llround(row->start_ns + row->inclusive_ns)};

    if (!t->has_thread || path->rank != t->rank || path->thread != t->thread) {
        end_thread(t);
        t->has_thread = true;
        t->rank = path->rank;
        t->thread = path->thread;
        t->last_ns = 0;
        if (t->status == PORTOLAN_OK)
            fail(t, t->ops->thread(t->arg, t->rank, t->thread, t->err));
    }
    if (t->n_waiting > 0 && t->waiting[0].start_ns != c.start_ns)
        enter_waiting(t);
    c.path = portolan_profile_keep_path(&t->paths, row->path, path);
    if (t->status == PORTOLAN_OK &&
        (!c.path || !push(&t->waiting, &t->n_waiting, &t->waiting_room, &c)))
        fail(t, portolan_no_memory(t->err));
    return t->status != PORTOLAN_OK;
}

enum portolan_status job_visit_timeline(const struct job *job, const struct timeline_ops *ops,
                                        void *arg, struct portolan_error *err)
{
    struct timeline t = {.ops = ops, .arg = arg, .err = err};
    enum portolan_status status = job_visit_rows(job, take_row, &t, err);

    if (status == PORTOLAN_OK && t.status == PORTOLAN_OK)
        end_thread(&t);
    portolan_arena_clear(&t.paths.arena);
    free(t.open);
    free(t.waiting);
    return status == PORTOLAN_OK ? t.status : status;
}

void clean_utf8(char *text)
{
    for (size_t n; text && *text; text += n ? n : 1)
        if ((n = portolan_utf8_length(text)) == 0)
            *text = '?';
}
