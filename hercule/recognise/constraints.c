/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies constraints of events: matched instances that break them are dropped or cut. */
#include "recognise.h"

#include <stdlib.h>

enum verdict { KEEP, CUT_BEFORE, DROP };

/* Returns the part of the outermost instance that contains I; I if it is the outermost. */
static size_t part_of(const struct recognition *r, size_t i)
{
    while (r->instances[i].parent != NO_INSTANCE &&
           r->instances[r->instances[i].parent].parent != NO_INSTANCE)
        i = r->instances[i].parent;
    return i;
}

static bool judge(struct recognition *r, const struct constraint *c, bool of_outermost,
                  uint8_t *verdicts)
{
    size_t event = r->paradigm->attributes[c->attribute].event;
    const double *values = attribute_values(r, c->attribute);

    for (size_t i = 0; values && i < r->n_of_event[event]; i++) {
        size_t at = r->of_event[event][i], before = i ? r->of_event[event][i - 1] : at;
        const struct instance *x = &r->instances[at];
        bool is_outermost = x->parent == NO_INSTANCE;

        if (c->is_same && i && r->instances[before].parent == x->parent && !is_outermost &&
            values[i] != values[i - 1])
            verdicts[part_of(r, at)] |= CUT_BEFORE;
        if (!c->is_same && is_outermost == of_outermost && !(values[i] != 0))
            verdicts[part_of(r, at)] |= DROP; /* true for NaN as well */
    }
    return values;
}

static void forget_tokens(struct recognition *r, const struct instance *i)
{
    for (size_t t = i->first; t < i->end; t++)
        r->rows[i->row].tokens[t].component = TOKEN_NO_COMPONENT;
}

/* Returns the first or the last call of an instance; NULL: it has none. */
static struct token *call_of(const struct recognition *r, const struct instance *i, bool is_last)
{
    struct token *tokens = r->rows[i->row].tokens, *call = NULL;

    for (size_t t = i->first; t < i->end && (is_last || !call); t += 1 + tokens[t].n_inside)
        if (tokens[t].n_events && tokens[t].components && !tokens[t].is_apart)
            call = &tokens[t];
    return call;
}

static bool is_same_call(const struct recognition *r, const struct token *a, const struct token *b)
{
    const struct portolan_trace_event *events = r->trace->events;

    return a && b && events[a->first_event].what == events[b->first_event].what;
}

/* Sets a call apart that does something else before or after an iteration: the first call, or the
 * last if the first is that of LIKE, an instance that was kept (NULL: there is none). */
static void set_apart(struct recognition *r, const struct instance *i, const struct instance *like)
{
    struct token *first = call_of(r, i, false), *last = call_of(r, i, true);
    bool is_last = like && is_same_call(r, first, call_of(r, like, false)) &&
                   !is_same_call(r, last, call_of(r, like, true));

    if (first) {
        (is_last ? last : first)->is_apart = true;
        r->n_apart++;
    }
}

/* Moves instance FROM, with all within, to the end of KEPT; TO is the new index of its parent. */
static void move_instance(struct recognition *r, size_t from, struct instance *kept, size_t *n_kept,
                          size_t to)
{
    size_t n = r->instances[from].n_inside + 1, shift = *n_kept;

    for (size_t i = 0; i < n; i++) {
        struct instance *x = &kept[shift + i];

        *x = r->instances[from + i];
        x->parent = (uint32_t)(i ? shift + (x->parent - from) : to);
    }
    *n_kept += n;
}

/* Keeps an outermost instance in as many pieces as the verdicts on its parts ask for. */
static void keep_pieces(struct recognition *r, size_t whole, const uint8_t *verdicts,
                        struct instance *kept, size_t *n_kept)
{
    struct instance w = r->instances[whole];
    size_t piece = HERCULE_NONE, end = whole + 1 + w.n_inside;

    for (size_t i = whole + 1; i < end; i += 1 + r->instances[i].n_inside) {
        const struct instance *part = &r->instances[i];

        if (verdicts[i] & DROP) {
            forget_tokens(r, part);
            piece = HERCULE_NONE;
            continue;
        }
        if (piece == HERCULE_NONE || verdicts[i] & CUT_BEFORE) {
            piece = (*n_kept)++;
            kept[piece] = w;
            kept[piece].first = i == whole + 1 ? w.first : part->first;
        }
        kept[piece].end = i + 1 + part->n_inside == end ? w.end : part->end;
        move_instance(r, i, kept, n_kept, piece);
        kept[piece].n_inside = (uint32_t)(*n_kept - 1 - piece);
    }
}

static bool cut(struct recognition *r, const uint8_t *verdicts)
{
    struct instance *kept = portolan_calloc(2 * r->n_instances + 1, sizeof *kept);
    const struct instance *like = NULL;
    size_t n_kept = 0;

    if (!kept)
        return false;
    for (size_t i = 0; i < r->n_instances; i += 1 + r->instances[i].n_inside) {
        bool is_whole = true;

        for (size_t k = 1; k <= r->instances[i].n_inside; k++)
            is_whole &= verdicts[i + k] == KEEP;
        if (like && like->row != r->instances[i].row)
            like = NULL;
        if (verdicts[i] & DROP) {
            forget_tokens(r, &r->instances[i]);
            set_apart(r, &r->instances[i], like);
        } else if (is_whole) {
            like = &r->instances[i];
            move_instance(r, i, kept, &n_kept, NO_INSTANCE);
        } else
            keep_pieces(r, i, verdicts, kept, &n_kept);
    }
    free(r->instances);
    r->instances = kept;
    r->room = 2 * r->n_instances + 1;
    r->n_instances = n_kept;
    return instances_order(r);
}

bool constraints_apply(struct recognition *r)
{
    const struct paradigm *p = r->paradigm;
    bool is_good = true, has_any = false;

    for (size_t e = 0; e < p->n_events; e++)
        has_any |= p->events[e].n_keeps > 0;
    /* The first pass judges parts, the second the pieces that are left of their wholes. */
    for (int pass = 0; is_good && has_any && pass < 2; pass++) {
        uint8_t *verdicts = portolan_calloc(r->n_instances + 1, 1);

        is_good = verdicts != NULL;
        for (size_t e = 0; e < p->n_events; e++)
            for (size_t k = 0; is_good && k < p->events[e].n_keeps; k++)
                is_good = judge(r, &p->events[e].keeps[k], pass == 1, verdicts);
        is_good = is_good && cut(r, verdicts);
        free(verdicts);
    }
    return is_good;
}
