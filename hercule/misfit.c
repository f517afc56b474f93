/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes what fits no event of the paradigm: which calls, how much of the time, and examples. */
#include <string.h>

#include "diagnosis.h"
#include "recognise.h"

enum { EXAMPLES = 3, SHOWN = 3 };

/* Tokens of one call, of one region, or of computing. */
struct misfit {
    const char *what; /* name; NULL: computing */
    bool is_call;
    uint64_t components; /* components that they may be */
    double ns;
    size_t n;
    const struct token *examples[EXAMPLES];
    const struct token_row *rows[EXAMPLES]; /* rows of the examples */
};

static struct misfit *misfit_of(struct misfit *all, size_t *n, size_t most, const char *what)
{
    for (size_t i = 0; i < *n; i++)
        if (what ? all[i].what && !strcmp(all[i].what, what) : !all[i].what)
            return &all[i];
    if (*n == most)
        return NULL;
    all[*n].what = what;
    return &all[(*n)++];
}

static void add_token(const struct recognition *r, const struct token_row *row,
                      const struct token *t, struct misfit *all, size_t *n, size_t most)
{
    const struct portolan_trace *trace = r->trace;
    const struct portolan_trace_event *e = t->n_events ? &trace->events[t->first_event] : NULL;
    bool is_call = e && e->kind == PORTOLAN_TRACE_BEGIN;
    struct misfit *m = misfit_of(all, n, most,
                                 is_call ? trace->routines[e->what]
                                 : e     ? trace->regions[e->what].name
                                         : NULL);

    if (!m)
        return;
    /* Examples of several ranks show more than the first calls of one. */
    if (m->n < EXAMPLES && (!m->n || m->rows[m->n - 1]->rank != row->rank)) {
        m->examples[m->n] = t;
        m->rows[m->n++] = row;
    }
    m->is_call = is_call;
    m->components |= t->components;
    m->ns += (double)(t->end - t->begin);
}

/* Adds "rank 0 at 50 ms in main/solve": the regions show where in the program to look. */
static void add_example(const struct recognition *r, const struct token_row *row,
                        const struct token *t, struct portolan_text *text)
{
    size_t first = r->trace->locations[row - r->rows].first;
    uint32_t path = t->first_event > first ? r->waits->path[t->first_event - 1] : 0;
    char time[32];

    portolan_text_add(text, " rank %d at %s", row->rank,
                      portolan_format_time((double)t->begin, 3, time, sizeof time));
    if (r->waits->paths[path].kind == PORTOLAN_PATH_REGION) {
        portolan_text_add(text, " in ");
        portolan_path_add(r->waits, path, text);
    }
}

static void describe(const struct recognition *r, const struct misfit *m,
                     struct portolan_arena *arena, struct portolan_text *text)
{
    const struct paradigm *p = r->paradigm;

    portolan_text_add(text, "  %s", m->what ? m->what : "computing");
    if (m->components)
        portolan_text_add(
            text, " (%s)",
            item_title(arena, p, &p->components[__builtin_ctzll(m->components)].item));
    portolan_text_add(text, ": %.1f %% of run time; for example",
                      100 * m->ns / (double)r->waits->all_ns);
    for (size_t i = 0; i < m->n; i++) {
        portolan_text_add(text, "%s", i ? "," : "");
        add_example(r, m->rows[i], m->examples[i], text);
    }
    portolan_text_add(text, "\n");
    if (!m->components && m->what)
        portolan_text_add(
            text,
            "    no component of the paradigm; <part component=\"NAME\" %s=\"%s\"/> makes it one\n",
            m->is_call ? "mpi" : "region", m->what);
}

/* Returns whether a token is a misfit. Start, finish, and waiting for the others at a rank's end
 * are part of no paradigm. */
static bool is_misfit(const struct recognition *r, const struct token *t)
{
    if (t->component != TOKEN_NO_COMPONENT)
        return false;
    return t->n_events ? token_is_ordinary(r, t) : t->wait < t->end - t->begin;
}

double recognition_misfit(const struct recognition *r)
{
    double sum = 0;

    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i += 1 + r->rows[l].tokens[i].n_inside)
            if (is_misfit(r, &r->rows[l].tokens[i]))
                sum += (double)(r->rows[l].tokens[i].end - r->rows[l].tokens[i].begin);
    return sum / (double)r->waits->all_ns;
}

const char *recognition_misfits(const struct recognition *r, struct portolan_arena *arena)
{
    size_t most = r->trace->n_routines + r->trace->n_regions + 1, n = 0;
    struct misfit *all = portolan_arena_alloc(arena, most, sizeof *all);
    struct portolan_text text = {.arena = arena};

    for (size_t l = 0; all && l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i += 1 + r->rows[l].tokens[i].n_inside)
            if (is_misfit(r, &r->rows[l].tokens[i]))
                add_token(r, &r->rows[l], &r->rows[l].tokens[i], all, &n, most);
    portolan_text_add(&text, "does not fit the paradigm: %.1f %% of run time, most of it\n",
                      100 * recognition_misfit(r));
    for (size_t shown = 0; shown < SHOWN && shown < n; shown++) {
        struct misfit largest;
        size_t at = shown;

        for (size_t i = shown + 1; i < n; i++)
            at = all[i].ns > all[at].ns ? i : at;
        largest = all[at];
        all[at] = all[shown];
        all[shown] = largest;
        describe(r, &largest, arena, &text);
    }
    return text.bytes ? text.bytes : "";
}
