/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callgrind's format, for callgrind_annotate and KCachegrind: functions with their own cost and
 * the calls between them. As in callgrind, a recursive activation is a separate function, NAME'2,
 * so that inclusive costs are right.
 */
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const char *name; /* with its depth of recursion */
    const char *file;
    double calls;
    int64_t *own, *whole; /* a value per metric */
};

struct writer {
    const struct tree *t;
    struct place *places;
    size_t *order; /* of places, by function and then by caller */
    struct portolan_arena arena;
};

/* Replaces control characters: a name ends at the end of the line. */
static const char *one_line(char *name)
{
    for (char *c = name; c && *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return name;
}

/* The depth of recursion of node I on its path: 1, 2, … */
static unsigned depth_of(const struct tree *t, size_t i)
{
    unsigned depth = 1;

    for (int64_t k = t->nodes[i].above; k >= 0; k = t->nodes[k].above)
        depth += !strcmp(t->nodes[k].label, t->nodes[i].label);
    return depth;
}

static void make_place(struct writer *w, size_t i)
{
    const struct tree_node *n = &w->t->nodes[i];
    struct place *p = &w->places[i];
    unsigned depth = depth_of(w->t, i);
    const char *file = *n->of->implementation ? n->of->implementation
                       : *n->of->port_type    ? n->of->port_type
                                              : "unknown";

    p->name = one_line(depth > 1 ? portolan_arena_printf(&w->arena, "%s'%u", n->label, depth)
                                 : portolan_arena_strdup(&w->arena, n->label));
    p->file = one_line(portolan_arena_strdup(&w->arena, file));
    p->calls = n->calls;
    p->own = portolan_arena_alloc(&w->arena, w->t->n_metrics, 2 * sizeof *p->own);
    p->whole = p->own ? p->own + w->t->n_metrics : NULL;
    for (size_t m = 0; p->own && m < w->t->n_metrics; m++)
        p->own[m] = llround(fmax(n->exclusive[m], 0));
}

/* Sums inclusive costs from exclusive ones, so that the file's sums agree to the last digit. */
static void sum_up(struct writer *w)
{
    for (size_t i = w->t->n; i-- > 0;) {
        const struct tree_node *n = &w->t->nodes[i];

        for (size_t m = 0; m < w->t->n_metrics; m++) {
            w->places[i].whole[m] += w->places[i].own[m];
            if (n->above >= 0)
                w->places[n->above].whole[m] += w->places[i].whole[m];
        }
    }
}

static int compare_functions(const struct place *a, const struct place *b)
{
    int by_file = strcmp(a->file, b->file);

    return by_file ? by_file : strcmp(a->name, b->name);
}

static int compare_order(const void *x, const void *y, void *arg)
{
    const struct place *places = arg;
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    int by_function = compare_functions(&places[a], &places[b]);

    return by_function ? by_function : (a > b) - (a < b);
}

static void put_costs(struct portolan_text *out, const char *before, const int64_t *costs, size_t n)
{
    portolan_text_add(out, "%s", before);
    for (size_t m = 0; m < n; m++)
        portolan_text_add(out, " %" PRId64, costs[m]);
    portolan_text_add(out, "\n");
}

static void put_header(struct portolan_text *out, const struct job *job, const int64_t *total)
{
    const struct portolan_profile *p = job->sums;

    portolan_text_add(out, "# callgrind format\nversion: 1\ncreator: portolan %s\n",
                      portolan_version());
    portolan_text_add(out, "cmd: %s\n", job->trial->assembly);
    portolan_text_add(out, "desc: Trigger: trial %" PRId64 " of %s, %d rank%s\n", job->id,
                      job->trial->started, p->ranks, p->ranks == 1 ? "" : "s");
    for (size_t i = 0; i < job->trial->n_metadata; i++)
        if (!strpbrk(job->trial->metadata[i].name, "\r\n") &&
            !strpbrk(job->trial->metadata[i].value, "\r\n"))
            portolan_text_add(out, "desc: %s: %s\n", job->trial->metadata[i].name,
                              job->trial->metadata[i].value);
    portolan_text_add(out, "positions: line\nevents: Time_ns MPI_ns");
    for (size_t m = 0; m < p->n_counters; m++) {
        portolan_text_add(out, " ");
        for (const char *c = p->counter_names[m]; *c; c++) /* blanks separate events */
            portolan_text_add_bytes(out, (unsigned char)*c <= ' ' ? "_" : c, 1);
    }
    portolan_text_add(out, "\n");
    put_costs(out, "summary:", total, job->tree.n_metrics);
}

/* Writes the places of one function, ORDER[FIRST] … ORDER[LAST - 1]: exclusive costs in one line,
 * then the calls. */
static void put_function(struct portolan_text *out, const struct writer *w, size_t first,
                         size_t last, const size_t *children, const size_t *first_child,
                         int64_t *own)
{
    const struct place *p = &w->places[w->order[first]];

    memset(own, 0, w->t->n_metrics * sizeof *own);
    for (size_t i = first; i < last; i++)
        for (size_t m = 0; m < w->t->n_metrics; m++)
            own[m] += w->places[w->order[i]].own[m];
    portolan_text_add(out, "\nfl=%s\nfn=%s\n", p->file, p->name);
    put_costs(out, "0", own, w->t->n_metrics);
    for (size_t i = first; i < last; i++)
        for (size_t k = first_child[w->order[i]]; k < first_child[w->order[i] + 1]; k++) {
            const struct place *called = &w->places[children[k]];

            portolan_text_add(out, "cfl=%s\ncfn=%s\ncalls=%.0f 0\n", called->file, called->name,
                              called->calls);
            put_costs(out, "0", called->whole, w->t->n_metrics);
        }
}

/* Lists the children: those of node I are CHILDREN[FIRST[I]] … CHILDREN[FIRST[I + 1] - 1]. */
static void find_children(const struct tree *t, size_t *children, size_t *first)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->nodes[i].above >= 0)
            first[t->nodes[i].above + 2]++;
    for (size_t i = 2; i < t->n + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < t->n; i++)
        if (t->nodes[i].above >= 0)
            children[first[t->nodes[i].above + 1]++] = i;
}

static bool make_places(struct writer *w)
{
    size_t n = w->t->n;

    w->places = portolan_arena_alloc(&w->arena, n + 1, sizeof *w->places);
    w->order = portolan_arena_alloc(&w->arena, n + 1, sizeof *w->order);
    for (size_t i = 0; i < n && !w->arena.failed; i++) {
        make_place(w, i);
        w->order[i] = i;
    }
    return !w->arena.failed;
}

static bool write_places(struct job *job, struct writer *w)
{
    size_t n = w->t->n, n_metrics = w->t->n_metrics;
    size_t *children = portolan_arena_alloc(&w->arena, n + 1, sizeof *children);
    size_t *first_child = portolan_arena_alloc(&w->arena, n + 3, sizeof *first_child);
    int64_t *own = portolan_arena_alloc(&w->arena, n_metrics, 2 * sizeof *own);

    if (!make_places(w))
        return false;
    sum_up(w);
    find_children(w->t, children, first_child);
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < n_metrics; m++)
            own[n_metrics + m] += w->places[i].own[m];
    qsort_r(w->order, n, sizeof *w->order, compare_order, w->places);
    put_header(&job->sink.text, job, own + n_metrics);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n; next++)
            if (compare_functions(&w->places[w->order[i]], &w->places[w->order[next]]))
                break;
        put_function(&job->sink.text, w, i, next, children, first_child, own);
        sink_flush(&job->sink);
    }
    return true;
}

enum portolan_status write_callgrind(struct job *job, struct portolan_error *err)
{
    struct writer w = {.t = &job->tree};
    enum portolan_status status = job_make_tree(job, err);

    if (status == PORTOLAN_OK && !write_places(job, &w))
        status = portolan_no_memory(err);
    portolan_arena_clear(&w.arena);
    return status;
}
