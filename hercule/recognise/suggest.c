/* SPDX-License-Identifier: BSD-3-Clause */
/* Tries each paradigm on a trace with its own bindings; suggests those that cover most of it. */
#include "knowledge.h"
#include "recognise.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LEAST_COVER: of what is not foreign; LEAST_OF_ALL: of everything. */
static const double least_cover = 0.9, least_of_all = 0.5;

/* ------------------------------------------------- cover */

/* Returns whether I communicates and works, or communicates both ways: a send alone is not
 * enough. */
static bool is_telling(const struct recognition *r, const struct instance *i)
{
    const struct token_row *row = &r->rows[i->row];
    bool works = false, sends = false, receives = false;

    for (size_t t = i->first; t < i->end; t += 1 + row->tokens[t].n_inside) {
        works |= !row->tokens[t].n_events || row->tokens[t].n_inside;
        sends |= token_quantity(r, row, &row->tokens[t], QUANTITY_SENDS) > 0;
        receives |= token_quantity(r, row, &row->tokens[t], QUANTITY_RECEIVES) > 0;
    }
    return works + sends + receives >= 2;
}

static bool has_messages(const struct recognition *r, const struct token_row *row,
                         const struct token *t)
{
    return token_quantity(r, row, t, QUANTITY_MESSAGES) > 0;
}

/* Returns whether the instances cover enough. */
static bool measure_cover(const struct recognition *r, struct portolan_suggestion *s)
{
    double ns = 0, calls = 0, covered_ns = 0, covered_calls = 0, foreign_ns = 0, foreign_calls = 0;

    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i += 1 + r->rows[l].tokens[i].n_inside) {
            const struct token *t = &r->rows[l].tokens[i];
            double time = token_is_ordinary(r, t) ? (double)(t->end - t->begin) : 0;
            bool is_message = has_messages(r, &r->rows[l], t);

            ns += time;
            calls += is_message;
            foreign_ns += t->is_foreign ? time : 0;
            foreign_calls += t->is_foreign && is_message;
            covered_calls += is_message && t->component != TOKEN_NO_COMPONENT;
        }
    for (size_t i = 0; i < r->n_instances; i++)
        if (r->instances[i].parent == NO_INSTANCE && is_telling(r, &r->instances[i])) {
            s->n_instances++;
            covered_ns += (double)(r->instances[i].end_ns - r->instances[i].begin_ns);
        }
    /* If instances that mean something cover most of the time, the others that fit count, too:
     * collective operations, set-up. */
    for (size_t l = 0; covered_ns > 0.5 * ns && l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i += 1 + r->rows[l].tokens[i].n_inside) {
            const struct token *t = &r->rows[l].tokens[i];

            if (t->n_events && !has_messages(r, &r->rows[l], t) &&
                t->component != TOKEN_NO_COMPONENT)
                ns -= (double)(t->end - t->begin);
        }
    s->time = ns > 0 ? fmin(covered_ns / ns, 1) : 0;
    s->calls = calls > 0 ? covered_calls / calls : 0;
    return s->time >= least_of_all && covered_ns >= least_cover * (ns - foreign_ns) &&
           covered_calls >= least_cover * (calls - foreign_calls) && covered_calls > 0;
}

/* ------------------------------------------------- bindings of components */

enum { NOTHING_YET = -3, DIFFERENT = -4 };

/* Properties that all calls of a component have in common. */
struct found {
    bool *routines; /* by routine of the trace */
    int64_t tag, partner;
    size_t n_calls;
    bool is_ambiguous; /* another component has calls like these */
};

static void agree(int64_t *common, int64_t value)
{
    *common = *common == NOTHING_YET || *common == value ? value : DIFFERENT;
}

static void look_at_calls(const struct recognition *r, struct found *found)
{
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i++) {
            const struct token *t = &r->rows[l].tokens[i];
            const struct portolan_trace_event *e = &r->trace->events[t->first_event];

            if (t->component == TOKEN_NO_COMPONENT || !t->n_events ||
                e->kind != PORTOLAN_TRACE_BEGIN)
                continue;
            found[t->component].n_calls++;
            /* This is the call that received, if a call before it looked for the message. */
            found[t->component].routines[r->trace->events[t->first_event + t->n_events - 1].what] =
                true;
            for (uint32_t k = 0; k < t->n_events; k++)
                if (e[k].kind == PORTOLAN_TRACE_SEND || e[k].kind == PORTOLAN_TRACE_RECV) {
                    agree(&found[t->component].tag, e[k].tag);
                    agree(&found[t->component].partner, e[k].peer);
                }
        }
}

/* Returns whether a row for one component would also take calls of the other, which comes later. */
static bool are_alike(const struct recognition *r, const struct found *a, const struct found *b)
{
    bool shares = false;

    for (size_t i = 0; i < r->trace->n_routines; i++)
        shares |= a->routines[i] && b->routines[i];
    return shares && (a->tag < 0 || b->tag < 0 || a->tag == b->tag) &&
           (a->partner < 0 || b->partner < 0 || a->partner == b->partner) &&
           (a->partner < 0) == (b->partner < 0);
}

static void write_part(struct portolan_text *text, const struct recognition *r,
                       const struct found *f, size_t component)
{
    const char *separator = "";

    portolan_text_add(text, "  <part component=\"");
    portolan_text_add_xml(text, r->paradigm->components[component].item.name);
    portolan_text_add(text, "\" mpi=\"");
    for (size_t i = 0; i < r->trace->n_routines; i++)
        if (f->routines[i]) {
            portolan_text_add(text, "%s%s", separator, r->trace->routines[i]);
            separator = " ";
        }
    portolan_text_add(text, "\"");
    if (f->tag >= 0)
        portolan_text_add(text, " tag=\"%lld\"", (long long)f->tag);
    if (f->partner >= 0)
        portolan_text_add(text, " to=\"%lld\"", (long long)f->partner);
    portolan_text_add(text, "/>\n");
}

/* Writes rows for components that calls distinguish; for others, their own bindings hold. */
static void write_bindings(const struct recognition *r, struct found *found,
                           struct portolan_text *text)
{
    size_t n = r->paradigm->n_components;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (i != k && found[i].n_calls && found[k].n_calls &&
                are_alike(r, &found[i], &found[k]))
                found[i].is_ambiguous = true;
    portolan_text_add(text, "<paradigm name=\"program\" is=\"");
    portolan_text_add_xml(text, r->paradigm->item.name);
    portolan_text_add(text, "\">\n");
    for (int with_partner = 1; with_partner >= 0; with_partner--) /* more specific rows come
                                                                   * first */
        for (size_t i = 0; i < n; i++)
            if (found[i].n_calls && !found[i].is_ambiguous &&
                (found[i].partner >= 0) == with_partner)
                write_part(text, r, &found[i], i);
    portolan_text_add(text, "</paradigm>\n");
}

static enum portolan_status describe(const struct recognition *r, struct portolan_suggestion *s,
                                     struct portolan_error *err)
{
    size_t n = r->paradigm->n_components;
    struct portolan_arena arena = {0};
    struct portolan_text text = {0};
    struct found *found = portolan_arena_alloc(&arena, n, sizeof *found);
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; found && i < n; i++)
        found[i] = (struct found){
            .routines = portolan_arena_alloc(&arena, r->trace->n_routines, sizeof(bool)),
            .tag = NOTHING_YET,
            .partner = NOTHING_YET};
    if (arena.failed) {
        status = portolan_no_memory(err);
    } else {
        look_at_calls(r, found);
        write_bindings(r, found, &text);
        status = portolan_text_take(&text, &s->text, err);
    }
    portolan_arena_clear(&arena);
    return status;
}

/* ------------------------------------------------- all paradigms */

/* Orders by cover; if that is about equal, by what is known of each instance. */
static int compare_suggestions(const void *a, const void *b)
{
    const struct portolan_suggestion *x = a, *y = b;
    double cx = x->time < x->calls ? x->time : x->calls;
    double cy = y->time < y->calls ? y->time : y->calls;

    if (cx < cy - 0.02 || cy < cx - 0.02)
        return cx < cy ? 1 : -1;
    if (x->n_instances != y->n_instances)
        return x->n_instances > y->n_instances ? 1 : -1;
    if (cx != cy)
        return cx < cy ? 1 : -1;
    return strcmp(x->paradigm, y->paradigm);
}

void portolan_suggestions_free(struct portolan_suggestion *suggestions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(suggestions[i].text);
    free(suggestions);
}

static enum portolan_status try_paradigm(const struct paradigm *paradigm,
                                         const struct portolan_waits *waits,
                                         struct portolan_suggestion *s, struct portolan_error *err)
{
    struct recognition *r;
    enum portolan_status status = recognise(paradigm, waits, NULL, 0, &r, err);

    *s = (struct portolan_suggestion){.paradigm = paradigm->item.name};
    if (status)
        return status;
    if (measure_cover(r, s))
        status = describe(r, s, err);
    recognition_destroy(r);
    return status;
}

enum portolan_status portolan_suggest_paradigms(const struct portolan_knowledge *knowledge,
                                                const struct portolan_waits *waits,
                                                struct portolan_suggestion **suggestions, size_t *n,
                                                struct portolan_error *err)
{
    struct portolan_suggestion *all =
        portolan_calloc(knowledge->inner.n_paradigms + 1, sizeof *all);
    enum portolan_status status = all ? PORTOLAN_OK : portolan_no_memory(err);

    *n = 0;
    for (size_t i = 0; !status && i < knowledge->inner.n_paradigms; i++) {
        const struct paradigm *p = knowledge->inner.paradigms[i];

        if (!p->n_events || p->n_components > AUTOMATON_COMPONENTS)
            continue;
        status = try_paradigm(p, waits, &all[*n], err);
        *n += all[*n].text != NULL;
    }
    if (status) {
        portolan_suggestions_free(all, *n);
        *n = 0;
        return status;
    }
    qsort(all, *n, sizeof *all, compare_suggestions);
    *suggestions = all;
    return PORTOLAN_OK;
}
