/* SPDX-License-Identifier: BSD-3-Clause */
/* Constraints of events: what an expression matched but does not keep them is dropped or cut. */
#include "recognise.h"

#include <portolan/list.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* "NAME": the attribute must not be 0. "same(NAME)": where the attribute of the events within
   changes, the instance ends. */
struct constraint {
    size_t event, attribute;
    bool is_same;
};

struct constraints {
    struct constraint *all;
    size_t n;
};

static size_t find_attribute(const struct paradigm *p, size_t event, const char *name, size_t n)
{
    for (size_t i = 0; i < p->n_attributes; i++) {
        const char *own = strrchr(p->attributes[i].item.name, '.');

        own = own ? own + 1 : p->attributes[i].item.name;
        if ((event == HERCULE_NONE || p->attributes[i].event == event) && !strncmp(own, name, n) &&
            !own[n])
            return i;
    }
    return HERCULE_NONE;
}

/* The constraint that TEXT, of N bytes, is of EVENT; false: it is none. */
static bool parse_constraint(const struct paradigm *p, size_t event, const char *text, size_t n,
                             struct constraint *c)
{
    *c = (struct constraint){.event = event};

    if (n > 6 && !strncmp(text, "same(", 5) && text[n - 1] == ')') {
        c->is_same = true;
        c->attribute = find_attribute(p, HERCULE_NONE, text + 5, n - 6);
        if (c->attribute != HERCULE_NONE)
            c->event = p->attributes[c->attribute].event;
    } else {
        c->attribute = find_attribute(p, event, text, n);
    }
    return c->attribute != HERCULE_NONE;
}

static enum portolan_status read_constraints(const struct paradigm *p, struct constraints *c,
                                             struct portolan_diagnostics *d,
                                             struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {d, err};
    struct portolan_diagnostics own = {portolan_diagnostics_relay, &relay, 0};

    for (size_t e = 0; e < p->n_events; e++) {
        const char *text = p->events[e].constraints ? p->events[e].constraints : "", *at = text;

        while (*(at += strspn(at, " ,\n\t"))) {
            size_t n = strcspn(at, ",");
            struct constraint one;

            while (isspace((unsigned char)at[n - 1]))
                n--;
            if (!parse_constraint(p, e, at, n, &one))
                portolan_diagnose(&own, p->events[e].constraints_place.file,
                                  p->events[e].constraints_place.line,
                                  p->events[e].constraints_place.column + (int)(at - text),
                                  "'%.*s' is not a constraint; write the name of an attribute of "
                                  "event '%s', or same(NAME) of one of an event within",
                                  (int)n, at, p->events[e].item.name);
            else if (!portolan_append(&c->all, &c->n, &one, sizeof one))
                return portolan_no_memory(err);
            at += n;
        }
    }
    return own.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

enum verdict { KEEP, CUT_BEFORE, DROP };

/* The instance within the outermost one that holds I; I itself when it is the outermost. */
static size_t part_of(const struct recognition *r, size_t i)
{
    while (r->instances[i].parent != HERCULE_NONE &&
           r->instances[r->instances[i].parent].parent != HERCULE_NONE)
        i = r->instances[i].parent;
    return i;
}

static bool judge(struct recognition *r, const struct constraints *c, bool of_outermost,
                  uint8_t *verdicts)
{
    for (size_t k = 0; k < c->n; k++) {
        size_t event = c->all[k].event, n = r->n_of_event[event];
        const double *values = attribute_values(r, c->all[k].attribute);

        if (!values)
            return false;
        for (size_t i = 0; i < n; i++) {
            size_t at = r->of_event[event][i], before = i ? r->of_event[event][i - 1] : at;
            const struct instance *x = &r->instances[at];
            bool is_outermost = x->parent == HERCULE_NONE;

            if (c->all[k].is_same && i && r->instances[before].parent == x->parent &&
                !is_outermost && values[i] != values[i - 1])
                verdicts[part_of(r, at)] |= CUT_BEFORE;
            if (!c->all[k].is_same && is_outermost == of_outermost && !(values[i] != 0))
                verdicts[part_of(r, at)] |= DROP; /* also NaN */
        }
    }
    return true;
}

static void forget_tokens(struct recognition *r, const struct instance *i)
{
    for (size_t t = i->first; t < i->end; t++)
        r->rows[i->row].tokens[t].component = TOKEN_NO_COMPONENT;
}

/* Moves instance FROM, with all within, to the end of KEPT; TO is the new place of its parent. */
static void move_instance(struct recognition *r, size_t from, struct instance *kept, size_t *n_kept,
                          size_t to)
{
    size_t n = r->instances[from].n_inside + 1, shift = *n_kept;

    for (size_t i = 0; i < n; i++) {
        struct instance *x = &kept[shift + i];

        *x = r->instances[from + i];
        x->parent = i ? shift + (x->parent - from) : to;
    }
    *n_kept += n;
}

/* An outermost instance that is kept, in as many pieces as the verdicts on its parts ask for. */
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
        kept[piece].n_inside = *n_kept - 1 - piece;
    }
}

static bool cut(struct recognition *r, const uint8_t *verdicts)
{
    struct instance *kept = portolan_calloc(2 * r->n_instances + 1, sizeof *kept);
    size_t n_kept = 0;

    if (!kept)
        return false;
    for (size_t i = 0; i < r->n_instances; i += 1 + r->instances[i].n_inside) {
        bool is_whole = true;

        for (size_t k = 1; k <= r->instances[i].n_inside; k++)
            is_whole &= verdicts[i + k] == KEEP;
        if (verdicts[i] & DROP)
            forget_tokens(r, &r->instances[i]);
        else if (is_whole)
            move_instance(r, i, kept, &n_kept, HERCULE_NONE);
        else
            keep_pieces(r, i, verdicts, kept, &n_kept);
    }
    free(r->instances);
    r->instances = kept;
    r->room = 2 * r->n_instances + 1;
    r->n_instances = n_kept;
    return instances_order(r);
}

enum portolan_status constraints_apply(struct recognition *r,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err)
{
    struct constraints c = {0};
    enum portolan_status status = read_constraints(r->paradigm, &c, diagnostics, err);

    /* First parts, then the pieces that are left of their wholes. */
    for (int pass = 0; !status && c.n && pass < 2; pass++) {
        uint8_t *verdicts = portolan_calloc(r->n_instances + 1, 1);

        if (!verdicts || !judge(r, &c, pass == 1, verdicts) || !cut(r, verdicts))
            status = portolan_no_memory(err);
        free(verdicts);
    }
    free(c.all);
    return status;
}
