/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches begins with ends, also of sweeps; the regions of an experiment, and its formula. */
#include "internal.h"

#include <ctype.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- pairs */

struct open {
    struct translation *t;
    struct directive **list; /* the innermost is last */
    size_t n;
};

static bool is_closed_by(const struct directive *begin, const struct directive *end)
{
    if (begin->kind == DIRECTIVE_FOR)
        return end->kind == DIRECTIVE_END_FOR;
    return end->kind == DIRECTIVE_END && strcmp(begin->name.text, end->name.text) == 0;
}

static const char *name_of(struct translation *t, const struct directive *d)
{
    return d->kind == DIRECTIVE_FOR
               ? "the sweep"
               : portolan_libclang_print(&t->arena, "experiment '%s'", d->name.text);
}

static bool ends_later(const struct translation *t, const struct directive *begin,
                       const struct directive *from)
{
    for (const struct directive *d = from; d < t->directives + t->n_directives; d++)
        if (is_closed_by(begin, d))
            return true;
    return false;
}

/* Reports an end without a begin. */
static void report_stray(struct open *open, const struct directive *end)
{
    struct translation *t = open->t;
    const char **names = portolan_arena_alloc(&t->arena, open->n + 1, sizeof *names);
    const char *near = NULL;
    size_t n = 0;

    if (end->kind == DIRECTIVE_END_FOR) {
        problem_at(t, end->body,
                   "no sweep is open here: it begins with 'cll for (init; condition; "
                   "step)'");
        return;
    }
    for (size_t i = 0; names && i < open->n; i++)
        if (open->list[i]->kind == DIRECTIVE_BEGIN)
            names[n++] = open->list[i]->name.text;
    if (names)
        near = portolan_nearest_word(end->name.text, names, n);
    if (near)
        problem_at(t, end->name.at, "no experiment '%s' is open here%s", end->name.text,
                   portolan_did_you_mean(near).text);
    else
        problem_at(t, end->name.at,
                   "no experiment '%s' is open here: it begins with '#pragma cll %s'",
                   end->name.text, end->name.text);
}

static void close_one(struct open *open, struct directive *end)
{
    struct translation *t = open->t;
    size_t i = open->n;
    struct directive *inner;

    while (i && !is_closed_by(open->list[i - 1], end))
        i--;
    if (!i) {
        report_stray(open, end);
        return;
    }
    inner = open->list[open->n - 1];
    if (i < open->n && ends_later(t, inner, end))
        problem_at(t, end->body, "%s, begun in line %d, must end before %s of line %d does",
                   name_of(t, inner), line_of(t, inner), name_of(t, open->list[i - 1]),
                   line_of(t, open->list[i - 1]));
    open->list[i - 1]->partner = end;
    end->partner = open->list[i - 1];
    open->n--;
    memmove(&open->list[i - 1], &open->list[i], (open->n - (i - 1)) * sizeof *open->list);
}

static void report_open(struct translation *t, const struct directive *d)
{
    const char *near = d->kind == DIRECTIVE_BEGIN ? pragma_nearest(d->name.text) : NULL;

    if (d->kind == DIRECTIVE_FOR)
        problem_at(t, d->body, "this sweep never ends: put '#pragma cll end for' behind its body");
    else if (near)
        problem_at(t, d->name.at,
                   "'%s' is no word of the pragmas%s (an experiment of this name would need "
                   "'#pragma cll end %s')",
                   d->name.text, portolan_did_you_mean(near).text, d->name.text);
    else
        problem_at(t, d->name.at,
                   "experiment '%s' never ends: put '#pragma cll end %s' behind what it times",
                   d->name.text, d->name.text);
}

void pair_directives(struct translation *t)
{
    struct open open = {
        .t = t, .list = portolan_arena_alloc(&t->arena, t->n_directives + 1, sizeof *open.list)};

    for (size_t i = 0; i < t->n_directives; i++)
        t->directives[i].partner = NULL;
    for (size_t i = 0; open.list && i < t->n_directives; i++) {
        struct directive *d = &t->directives[i];

        if (d->kind == DIRECTIVE_BEGIN || d->kind == DIRECTIVE_FOR)
            open.list[open.n++] = d;
        else if (d->kind == DIRECTIVE_END || d->kind == DIRECTIVE_END_FOR)
            close_one(&open, d);
    }
    for (size_t i = 0; i < open.n; i++)
        report_open(t, open.list[i]);
}

/* ---------------------------------------------------------------------------------- experiments */

struct experiment *experiment_find(const struct translation *t, const char *name)
{
    struct experiment *e = t->experiments;

    while (e && strcmp(e->name, name) != 0)
        e = e->next;
    return e;
}

/* Is LONGER one of the names that FILE.cll.h defines for SYMBOL (emit.c)? */
static bool is_list_of(const char *longer, const char *symbol)
{
    static const char *const lists[] = {"", "_identifiers", "_observables", "_begins", "_ends"};
    size_t length = strlen(symbol);

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strncmp(longer, symbol, length) == 0 && strcmp(longer + length, lists[i]) == 0)
            return true;
    return false;
}

static bool is_taken(const struct translation *t, const char *symbol)
{
    for (const struct experiment *e = t->experiments; e; e = e->next)
        if (e->symbol && (is_list_of(symbol, e->symbol) || is_list_of(e->symbol, symbol)))
            return true;
    return source_has_word(&t->source, symbol);
}

const char *symbol_of(struct translation *t, const char *name)
{
    const char *symbol = portolan_libclang_print(&t->arena, "cll_%s", name);

    while (!t->arena.failed && is_taken(t, symbol))
        symbol = portolan_libclang_print(&t->arena, "%s_", symbol);
    return symbol;
}

/* How much a begin states about the experiment. */
static int says(const struct directive *d)
{
    return d->formula.text ? 2 : d->n_observables > 0;
}

static void add_region(struct translation *t, struct directive *d)
{
    struct experiment *e = experiment_find(t, d->name.text);

    if (!e) {
        e = portolan_arena_alloc(&t->arena, 1, sizeof *e);
        if (!e)
            return;
        e->name = d->name.text;
        e->symbol = symbol_of(t, e->name);
        e->first = d;
        if (!t->last_experiment)
            t->last_experiment = &t->experiments;
        *t->last_experiment = e;
        t->last_experiment = &e->next;
        t->n_experiments++;
    }
    if (says(d) > says(e->first))
        e->first = d;
    d->experiment = e;
    portolan_arena_append(&t->arena, &e->regions, &e->n_regions, &d, sizeof d);
}

const char *one_line(struct translation *t, const char *text)
{
    char *line = portolan_arena_strdup(&t->arena, text);
    size_t n = 0;

    for (size_t i = 0; line && text[i]; i++) {
        bool blank = isspace((unsigned char)text[i]) || text[i] == '\\';

        if (!blank)
            line[n++] = text[i];
        else if (n && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    if (line)
        line[n] = '\0';
    return line ? line : "";
}

static bool same_but_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (isspace((unsigned char)*a) || *a == '\\')
            a++;
        while (isspace((unsigned char)*b) || *b == '\\')
            b++;
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static bool same_observables(const struct directive *a, const struct directive *b)
{
    bool same = a->n_observables == b->n_observables;

    for (size_t i = 0; same && i < a->n_observables; i++)
        same = strcmp(a->observables[i], b->observables[i]) == 0;
    return same;
}

/* All regions with one name are one experiment. */
static void check_regions(struct translation *t, const struct experiment *e)
{
    const struct directive *first = e->first;

    for (size_t i = 0; i < e->n_regions; i++) {
        const struct directive *d = e->regions[i];

        if (d->formula.text && !same_but_blanks(d->formula.text, first->formula.text))
            problem_at(t, d->formula.at,
                       "experiment '%s' has another formula in line %d: give it the same, or this "
                       "one another name",
                       e->name, line_of(t, first));
        else if (says(d) && !same_observables(d, first))
            problem_at(t, d->name.at,
                       "experiment '%s' has other observables in line %d: give it the same, or "
                       "this one another name",
                       e->name, line_of(t, first));
    }
}

/* Backquotes allow names in formulas that are not variables of C; reports them. */
static void check_names(struct translation *t, const struct experiment *e)
{
    for (size_t i = 0; i < portolan_formula_n_names(e->formula); i++) {
        const char *name = portolan_formula_peek_name(e->formula, i);

        for (const char *c = name; *c; c++)
            if (!isalnum((unsigned char)*c) && !strchr("_.->", *c)) {
                problem_at(t, e->first->formula.at, "`%s` is no variable of C", name);
                break;
            }
    }
}

/* The position of NAME[ in the formula. */
static size_t constant_at(const struct words *formula, const char *name)
{
    size_t length = strlen(name);

    for (const char *c = formula->text; (c = strstr(c, name)) != NULL; c++) {
        bool begins = c == formula->text || (!isalnum((unsigned char)c[-1]) && c[-1] != '_');

        if (begins && c[length + strspn(c + length, " \t")] == '[')
            return formula->at + (size_t)(c - formula->text);
    }
    return formula->at;
}

static void check_canonical(struct translation *t, struct experiment *e)
{
    const struct words *w = &e->first->formula;
    struct place place = source_place(&t->source, w->at);
    struct portolan_diagnostics relay = problems_relay(t);
    struct portolan_formula_sum sum = {0};
    struct portolan_error err = {0};

    if (portolan_formula_split(e->formula, t->source.file, place.line, place.column, &relay, &sum,
                               &err) == PORTOLAN_OK) {
        e->n_constants = (unsigned)sum.n_terms;
        if (strcmp(sum.constants, e->name) != 0)
            problem_at(t, constant_at(w, sum.constants),
                       "the constants of experiment '%s' are %s[0] and so on, not %s[...]", e->name,
                       e->name, sum.constants);
    }
    t->arena.failed |= err.status == PORTOLAN_ENOMEM;
    portolan_formula_sum_clear(&sum);
}

static void read_formula(struct translation *t, struct experiment *e)
{
    const struct words *w = &e->first->formula;
    struct place place = source_place(&t->source, w->at);
    struct portolan_diagnostics relay = problems_relay(t);
    struct portolan_error err = {0};

    if (!w->text || e->first->is_bad)
        return;
    if (!e->first->partner && pragma_nearest(e->name))
        return; /* a typing error, already reported */
    e->infix = one_line(t, w->text);
    if (portolan_formula_parse(w->text, strlen(w->text), t->source.file, place.line, place.column,
                               &relay, &e->formula, &err) != PORTOLAN_OK) {
        t->arena.failed |= err.status == PORTOLAN_ENOMEM;
        return;
    }
    check_canonical(t, e);
    check_names(t, e);
}

void experiments_make(struct translation *t)
{
    for (size_t i = 0; i < t->n_directives; i++)
        if (t->directives[i].kind == DIRECTIVE_BEGIN)
            add_region(t, &t->directives[i]);
    for (struct experiment *e = t->experiments; e; e = e->next) {
        read_formula(t, e);
        check_regions(t, e);
    }
}

void experiments_clear(struct translation *t)
{
    for (struct experiment *e = t->experiments; e; e = e->next)
        portolan_formula_destroy(e->formula);
}
