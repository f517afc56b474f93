/* SPDX-License-Identifier: BSD-3-Clause */
/* Combinations of a program's options, and the command lines that they make. */
#include "assembly.h"

#include <portolan/list.h>
#include <portolan/options.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

#define NONE SIZE_MAX

/* Words of options may have placeholders of others; so deep at most. */
enum { MOST_DEPTH = 8, MOST_TRIED = 100000, MOST_DRAWN = 300 };

/* A combination on its way: per option its value, or NONE while it is not used. */
struct walk {
    struct portolan_assembly *a;
    const struct portolan_assembly_program *p;
    struct portolan_arena *arena; /* of the assembly; NULL: combinations are only counted */
    size_t *values;
    size_t n, most, tried;
    bool failed;    /* no memory */
    bool takes_all; /* also combinations that are excluded */
};

/* ------------------------------------------------------------------ placeholders */

/* The next "{NAME}" in *AT, which goes after it; *NAME is not terminated. NULL: there is none. */
static const char *next_place(const char **at, const char **name, size_t *length)
{
    for (const char *open = strchr(*at, '{'); open; open = strchr(open + 1, '{')) {
        *name = open + 1;
        *length = strspn(*name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
        if (!*length || (*name)[*length] != '}')
            continue; /* a brace of the command's own, as in awk's programs */
        *at = *name + *length + 1;
        return open;
    }
    return NULL;
}

static size_t option_of(const struct portolan_assembly_program *p, const char *name, size_t length)
{
    for (size_t k = 0; k < p->n_options; k++)
        if (!strncmp(p->options[k].name, name, length) && !p->options[k].name[length])
            return k;
    return NONE;
}

void assembly_visit_places(const char *text,
                           void (*visit)(void *arg, const char *name, size_t length), void *arg)
{
    const char *name;
    size_t length;

    while (text && next_place(&text, &name, &length))
        visit(arg, name, length);
}

static const struct portolan_assembly_alternative *
value_of(const struct portolan_assembly_program *p, const size_t *values, size_t k)
{
    return &p->options[k].alternatives[values[k]];
}

static bool expand(struct portolan_text *out, const struct portolan_assembly *a,
                   const size_t *values, const char *text, bool with_parameters, int depth);

/* Adds what "{NAME}" stands for: an option's words, or a parameter. */
static bool add_place(struct portolan_text *out, const struct portolan_assembly *a,
                      const size_t *values, const char *name, size_t length, bool with_parameters,
                      int depth)
{
    const struct portolan_assembly_program *p = a->program;
    const struct portolan_assembly_alternative *base = a->instances[0].alternatives;
    size_t k = option_of(p, name, length);

    if (k != NONE)
        return values[k] == NONE ||
               expand(out, a, values, value_of(p, values, k)->words, with_parameters, depth + 1);
    for (size_t i = 0; with_parameters && i < base->n_parameters; i++)
        if (!strncmp(base->parameters[i].name, name, length) && !base->parameters[i].name[length]) {
            portolan_text_add(out, "%s", base->parameters[i].text);
            return true;
        }
    portolan_text_add(out, "{%.*s}", (int)length, name);
    return true;
}

static bool expand(struct portolan_text *out, const struct portolan_assembly *a,
                   const size_t *values, const char *text, bool with_parameters, int depth)
{
    const char *at = text, *name, *open;
    size_t length;

    if (depth > MOST_DEPTH)
        return false;
    while ((open = next_place(&at, &name, &length))) {
        portolan_text_add_bytes(out, text, (size_t)(open - text));
        if (!add_place(out, a, values, name, length, with_parameters, depth))
            return false;
        text = at;
    }
    portolan_text_add(out, "%s", text);
    return !out->failed;
}

static char *expand_command(const struct portolan_assembly *a, const size_t *values,
                            bool with_parameters, struct portolan_arena *arena)
{
    const struct portolan_assembly_program *p = a->program;
    struct portolan_text out = {.arena = arena};
    bool good = expand(&out, a, values, p->command, with_parameters, 0);

    for (size_t k = 0; good && k < p->n_options; k++) {
        if (p->is_placed[k] || values[k] == NONE || !*value_of(p, values, k)->words)
            continue;
        portolan_text_add(&out, " ");
        good = expand(&out, a, values, value_of(p, values, k)->words, with_parameters, 0);
    }
    return good ? out.bytes : NULL;
}

/* ------------------------------------------------------------------ which options are used */

struct use {
    const struct portolan_assembly_program *p;
    const size_t *values;
    bool *used;
    int depth;
};

static void mark_place(void *arg, const char *name, size_t length)
{
    struct use *u = arg;
    size_t k = option_of(u->p, name, length);

    if (k == NONE || u->depth > MOST_DEPTH)
        return;
    u->used[k] = true;
    u->depth++;
    if (u->values[k] != NONE)
        assembly_visit_places(value_of(u->p, u->values, k)->words, mark_place, u);
    u->depth--;
}

/* Marks the options that are used with VALUES, as far as those are known. */
static void mark_used(const struct portolan_assembly_program *p, const size_t *values, bool *used)
{
    struct use u = {p, values, used, 0};

    memset(used, 0, p->n_options * sizeof *used);
    assembly_visit_places(p->command, mark_place, &u);
    for (size_t i = 0; i < p->n_files; i++)
        assembly_visit_places(p->files[i].text, mark_place, &u);
    for (size_t i = 0; i < p->n_variables; i++)
        assembly_visit_places(p->variables[i].text, mark_place, &u);
    for (size_t k = 0; k < p->n_options; k++)
        if (!p->is_placed[k])
            mark_place(&u, p->options[k].name, strlen(p->options[k].name));
}

/* The first option that is used and has no value; NONE: the combination is complete. */
static size_t next_open(struct walk *w)
{
    bool *used = portolan_calloc(w->p->n_options + 1, sizeof *used);
    size_t k = 0;

    w->failed = w->failed || !used;
    if (!used)
        return NONE;
    mark_used(w->p, w->values, used);
    while (k < w->p->n_options && !(used[k] && w->values[k] == NONE))
        k++;
    free(used);
    return k < w->p->n_options ? k : NONE;
}

/* Forgets the values of options that are not used any more. */
static void drop_unused(struct walk *w)
{
    bool *used = portolan_calloc(w->p->n_options + 1, sizeof *used);

    w->failed = w->failed || !used;
    if (!used)
        return;
    mark_used(w->p, w->values, used);
    for (size_t k = 0; k < w->p->n_options; k++)
        if (!used[k])
            w->values[k] = NONE;
    free(used);
}

/* ------------------------------------------------------------------ which are allowed */

/* A portolan_condition_lookup_fn: an option's name stands for its value, "" if it is not used. */
static bool look_up(void *arg, const char *name, struct portolan_condition_value *value)
{
    const struct walk *w = arg;
    size_t k = option_of(w->p, name, strlen(name));

    if (k != NONE)
        value->text = w->values[k] == NONE ? "" : value_of(w->p, w->values, k)->class_name;
    return k != NONE;
}

/* Returns whether a condition excludes the combination, whatever the parameters are. */
static bool is_excluded(struct walk *w)
{
    bool is_no = false;

    for (size_t k = 0; k < w->p->n_options && !is_no; k++) {
        const char *text = w->values[k] == NONE ? NULL : value_of(w->p, w->values, k)->applies;
        struct portolan_condition *c = NULL;

        if (!text || portolan_condition_parse(text, &c, NULL))
            continue;
        is_no = portolan_condition_evaluate(c, look_up, w) == PORTOLAN_NO;
        portolan_condition_destroy(c);
    }
    return is_no;
}

static bool may_run(const struct walk *w)
{
    for (size_t k = 0; k < w->p->n_options; k++)
        if (w->values[k] != NONE && !portolan_assembly_may_run(&w->p->options[k], w->values[k]))
            return false;
    return true;
}

/* ------------------------------------------------------------------ adding */

static const char *name_combination(const struct walk *w)
{
    struct portolan_text t = {.arena = w->arena};

    for (size_t k = 0; k < w->p->n_options; k++)
        if (w->values[k] != NONE)
            portolan_text_add(&t, "%s%s=%s", t.length ? " " : "", w->p->options[k].name,
                              value_of(w->p, w->values, k)->class_name);
    return t.bytes ? t.bytes : w->p->name;
}

/* The parameters that all combinations have, and the command, so that trials of another one do not
 * count. */
static struct portolan_assembly_parameter *make_parameters(const struct walk *w, size_t *n)
{
    const struct portolan_assembly_alternative *base = w->a->instances[0].alternatives;
    size_t kept = base->n_parameters ? base->n_parameters - 1 : 0; /* the last is the command */
    struct portolan_assembly_parameter *p = portolan_arena_alloc(w->arena, kept + 1, sizeof *p);

    *n = kept + 1;
    if (!p)
        return NULL;
    if (kept)
        memcpy(p, base->parameters, kept * sizeof *p);
    p[kept] = (struct portolan_assembly_parameter){
        .name = "command",
        .type = PORTOLAN_VALUE_STRING,
        .text = expand_command(w->a, w->values, false, w->arena),
        .line = w->p->line};
    return p[kept].text ? p : NULL;
}

static bool add_combination(struct walk *w)
{
    struct portolan_assembly_instance *i = w->a->instances;
    struct portolan_assembly_alternative x = {.class_name = name_combination(w),
                                              .line = w->p->line};

    if (w->arena->failed)
        return false;
    for (size_t k = 0; k < i->n_alternatives; k++)
        if (!strcmp(i->alternatives[k].class_name, x.class_name))
            return true;
    x.parameters = make_parameters(w, &x.n_parameters);
    for (size_t k = 0; k < w->p->n_options; k++)
        if (w->values[k] != NONE)
            x.applies = assembly_join_conditions(w->arena, x.applies,
                                                 value_of(w->p, w->values, k)->applies);
    x.is_forbidden = !may_run(w) || is_excluded(w);
    return x.parameters &&
           portolan_arena_append(w->arena, &i->alternatives, &i->n_alternatives, &x, sizeof x);
}

static void take_combination(struct walk *w)
{
    if (!w->takes_all && (!may_run(w) || is_excluded(w)))
        return;
    w->n++;
    if (w->arena)
        w->failed = w->failed || !add_combination(w);
}

static bool is_over(const struct walk *w)
{
    return w->failed || w->n >= w->most || w->tried >= MOST_TRIED;
}

/* Gives each value to the next open option, and so on, until all have one. */
static void walk_all(struct walk *w)
{
    size_t k = next_open(w);

    w->tried++;
    if (k == NONE) {
        take_combination(w);
        return;
    }
    for (size_t v = 0; v < w->p->options[k].n_alternatives && !is_over(w); v++) {
        w->values[k] = v;
        if (portolan_assembly_may_run(&w->p->options[k], v))
            walk_all(w);
    }
    w->values[k] = NONE;
}

static struct portolan_arena *arena_of(const struct portolan_assembly *a)
{
    return &((struct assembly_impl *)a->impl)->arena;
}

/* ARENA NULL: combinations are only counted. */
static bool begin_walk(struct walk *w, const struct portolan_assembly *a,
                       struct portolan_arena *arena)
{
    *w = (struct walk){
        .a = (struct portolan_assembly *)a, .p = a->program, .arena = arena, .most = SIZE_MAX};
    w->values = portolan_calloc(w->p->n_options + 1, sizeof *w->values);
    for (size_t k = 0; w->values && k < w->p->n_options; k++)
        w->values[k] = NONE;
    w->failed = !w->values;
    return !w->failed;
}

static enum portolan_status end_walk(struct walk *w, struct portolan_error *err)
{
    free(w->values);
    return w->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* Gives the open options their values as written. */
static void complete(struct walk *w)
{
    for (size_t k; (k = next_open(w)) != NONE;)
        w->values[k] = w->p->options[k].selected;
}

enum portolan_status assembly_settle_options(struct portolan_assembly *a,
                                             struct portolan_arena *arena,
                                             struct portolan_error *err)
{
    struct portolan_assembly_instance *i = a->instances;
    struct portolan_assembly_alternative base = i->alternatives[i->selected];
    struct walk w;
    bool none = false;

    if (begin_walk(&w, a, arena)) {
        i->alternatives = portolan_arena_alloc(w.arena, 1, sizeof base);
        if ((w.failed = !i->alternatives))
            return end_walk(&w, err);
        i->alternatives[0] = base;
        i->n_alternatives = 0;
        i->selected = 0;
        complete(&w);
        if (may_run(&w) && !is_excluded(&w)) {
            w.failed = w.failed || !add_combination(&w);
        } else if (!w.failed) {
            for (size_t k = 0; k < w.p->n_options; k++)
                w.values[k] = NONE;
            w.most = 1;
            walk_all(&w);
            none = !w.failed && !w.n;
        }
        if (w.failed || none)
            i->n_alternatives = 1;
    }
    if (none) {
        free(w.values);
        return portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                                  "%s:%d: conditions and pins allow no combination of options",
                                  a->file, a->program->line);
    }
    return end_walk(&w, err);
}

enum portolan_status portolan_options_settle(struct portolan_assembly *a,
                                             struct portolan_error *err)
{
    return assembly_settle_options(a, arena_of(a), err);
}

size_t portolan_options_count(const struct portolan_assembly *a, size_t most)
{
    struct walk w;

    if (begin_walk(&w, a, NULL)) {
        w.most = most;
        walk_all(&w);
    }
    free(w.values);
    return w.tried >= MOST_TRIED ? most : w.n;
}

enum portolan_status portolan_options_offer_all(struct portolan_assembly *a,
                                                struct portolan_error *err)
{
    struct walk w;

    if (begin_walk(&w, a, arena_of(a)))
        walk_all(&w);
    return end_walk(&w, err);
}

/* Reads "ksp=cg pc=jacobi"; false: it is no combination of these options. */
static bool read_combination(struct walk *w, const char *text)
{
    while (*text) {
        const char *equals = strchr(text, '=');
        size_t k = equals ? option_of(w->p, text, (size_t)(equals - text)) : NONE, v = 0;
        size_t length = equals ? strcspn(++equals, " ") : 0;
        const struct portolan_assembly_instance *x = k == NONE ? NULL : &w->p->options[k];

        if (!x || w->values[k] != NONE)
            return false;
        while (v < x->n_alternatives && (strncmp(x->alternatives[v].class_name, equals, length) ||
                                         x->alternatives[v].class_name[length]))
            v++;
        if (v == x->n_alternatives)
            return false;
        w->values[k] = v;
        text = equals + length + (equals[length] == ' ');
    }
    return true;
}

/* Returns whether all options have a value that are used, and no others. */
static bool is_complete(struct walk *w)
{
    size_t before = 0, after = 0;

    if (next_open(w) != NONE)
        return false;
    for (size_t k = 0; k < w->p->n_options; k++)
        before += w->values[k] != NONE;
    drop_unused(w);
    for (size_t k = 0; k < w->p->n_options; k++)
        after += w->values[k] != NONE;
    return before == after;
}

enum portolan_status portolan_options_offer(struct portolan_assembly *a, const char *text,
                                            struct portolan_error *err)
{
    bool is_one = true;
    struct walk w;

    if (begin_walk(&w, a, arena_of(a))) {
        is_one = (!a->program->n_options && !strcmp(text, a->program->name)) ||
                 (read_combination(&w, text) && is_complete(&w));
        if (is_one && !w.failed)
            w.failed = !add_combination(&w);
    }
    if (end_walk(&w, err))
        return PORTOLAN_ENOMEM;
    return is_one ? PORTOLAN_OK
                  : portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                       "'%s' is no combination of the options of '%s'", text,
                                       a->program->name);
}

/* Returns whether the option's values are numbers in ascending order. */
static bool is_ordered(const struct portolan_assembly_instance *x)
{
    double last = -INFINITY, now;

    for (size_t k = 0; k < x->n_alternatives; k++) {
        if (!portolan_read_double(x->alternatives[k].class_name, &now) || now <= last)
            return false;
        last = now;
    }
    return x->n_alternatives > 2;
}

/* Takes the combinations that differ from FROM in N_CHANGES of the options from FIRST on. */
static void change(struct walk *w, const size_t *from, size_t first, size_t n_changes)
{
    size_t bytes = w->p->n_options * sizeof *from;
    size_t *changed = portolan_calloc(w->p->n_options, sizeof *changed);

    w->failed = w->failed || !changed;
    for (size_t k = first; k < w->p->n_options && !w->failed; k++) {
        bool near_only = is_ordered(&w->p->options[k]);

        for (size_t v = 0; from[k] != NONE && v < w->p->options[k].n_alternatives; v++) {
            if (v == from[k] || (near_only && v + 1 != from[k] && v != from[k] + 1))
                continue;
            memcpy(w->values, from, bytes);
            w->values[k] = v;
            drop_unused(w);
            complete(w);
            memcpy(changed, w->values, bytes);
            if (n_changes > 1)
                change(w, changed, k + 1, n_changes - 1);
            else
                take_combination(w);
        }
    }
    free(changed);
}

enum portolan_status portolan_options_offer_changes(struct portolan_assembly *a, size_t alternative,
                                                    size_t n_changes, size_t most,
                                                    struct portolan_error *err)
{
    const char *text = a->instances[0].alternatives[alternative].class_name;
    size_t *from = portolan_calloc(a->program->n_options + 1, sizeof *from);
    struct walk w;

    if (begin_walk(&w, a, NULL) && from && a->program->n_options && read_combination(&w, text)) {
        memcpy(from, w.values, w.p->n_options * sizeof *from);
        change(&w, from, 0, n_changes);
        w.arena = arena_of(a);
        if (w.n <= most)
            change(&w, from, 0, n_changes);
    }
    w.failed = w.failed || !from;
    free(from);
    return end_walk(&w, err);
}

enum portolan_status portolan_options_offer_drawn(struct portolan_assembly *a,
                                                  struct portolan_error *err)
{
    const struct portolan_assembly_instance *i = a->instances;
    size_t before = i->n_alternatives;
    unsigned short seed[3] = {(unsigned short)before, (unsigned short)(before >> 16), 48};
    struct walk w;

    if (begin_walk(&w, a, arena_of(a)))
        for (int n = 0; n < MOST_DRAWN && !w.failed && i->n_alternatives == before; n++) {
            for (size_t k = 0; k < w.p->n_options; k++)
                w.values[k] = NONE;
            for (size_t k; (k = next_open(&w)) != NONE;)
                w.values[k] = (size_t)nrand48(seed) % w.p->options[k].n_alternatives;
            take_combination(&w);
        }
    return end_walk(&w, err);
}

enum portolan_status portolan_options_restrict(struct portolan_assembly *a, size_t alternative,
                                               const char *condition, struct portolan_error *err)
{
    const char **applies = &a->instances[0].alternatives[alternative].applies;
    struct portolan_arena *arena = arena_of(a);

    *applies = assembly_join_conditions(arena, *applies, portolan_arena_strdup(arena, condition));
    return arena->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* ------------------------------------------------------------------ what runs */

static char *make_text(const struct portolan_assembly *a, size_t alternative, const char *text,
                       struct portolan_arena *arena)
{
    struct portolan_text out = {.arena = arena};
    struct walk w;
    char *made = NULL;

    if (begin_walk(&w, a, NULL) &&
        (!w.p->n_options ||
         read_combination(&w, a->instances[0].alternatives[alternative].class_name))) {
        if (!text)
            made = expand_command(a, w.values, true, arena);
        else if (expand(&out, a, w.values, text, true, 0))
            made = out.bytes ? out.bytes : portolan_arena_strdup(arena, "");
    }
    free(w.values);
    return made;
}

char *portolan_options_expand(const struct portolan_assembly *a, size_t alternative,
                              const char *text, struct portolan_arena *arena)
{
    return make_text(a, alternative, text, arena);
}

char *portolan_options_command(const struct portolan_assembly *a, size_t alternative,
                               struct portolan_arena *arena)
{
    return make_text(a, alternative, NULL, arena);
}
