/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded stacks: "a;b;c VALUE", for flame graphs. Whole microseconds, or counts. */
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Replaces ';', which separates frames, and blanks, which come before the value. */
static void add_frame(struct portolan_text *line, const char *name)
{
    for (const char *c = name; *c; c++)
        portolan_text_add_bytes(line, *c == ';' ? ":" : (unsigned char)*c <= ' ' ? "_" : c, 1);
}

/*
 * Carries the rounding error of one line to the next, so that a thousand short calls do not vanish
 * and the lines add up to the total.
 */
static int64_t take_whole(double *left)
{
    double whole = floor(*left + 0.5);

    if (whole <= 0)
        return 0;
    *left -= whole;
    return (int64_t)whole;
}

enum portolan_status write_folded(struct job *job, struct portolan_error *err)
{
    struct portolan_text *out = &job->sink.text;
    const struct tree *t = &job->tree;
    double left = 0, scale;
    int metric = TREE_TIME;
    enum portolan_status status = job_find_metric(job, &metric, err);

    if (status == PORTOLAN_OK)
        status = job_make_tree(job, err);
    scale = metric == TREE_TIME || metric == TREE_MPI ? 1e-3 : 1;
    for (size_t i = 0; status == PORTOLAN_OK && i < t->n; i++) {
        int64_t value;

        left += tree_value(&t->nodes[i], metric) * scale;
        value = take_whole(&left);
        if (value == 0)
            continue;
        tree_add_path(out, t, &t->nodes[i], ";", add_frame);
        portolan_text_add(out, " %" PRId64 "\n", value);
        sink_flush(&job->sink);
    }
    return status;
}
