/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes statements one by one: finds what each one is, and keeps the objects. */
#include "internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCES = 20, MAX_SESSION = 1 << 20 };

enum portolan_status portolan_llac_create(const struct portolan_llac_options *options,
                                          struct portolan_llac **llac, struct portolan_error *err)
{
    *llac = portolan_calloc(1, sizeof **llac);
    if (!*llac)
        return portolan_no_memory(err);
    (*llac)->options = *options;
    return PORTOLAN_OK;
}

void portolan_llac_destroy(struct portolan_llac *in)
{
    if (!in)
        return;
    llac_forget_all(in);
    free(in->objects);
    portolan_text_clear(&in->out);
    portolan_text_clear(&in->session);
    free(in);
}

bool portolan_llac_has_ended(const struct portolan_llac *in, int *code)
{
    if (in->has_ended && code)
        *code = in->code;
    return in->has_ended;
}

/* ------------------------------------------------------------------------------------ objects */

struct object *llac_find(const struct portolan_llac *in, const char *name)
{
    for (size_t i = 0; i < in->n_objects; i++)
        if (!strcmp(in->objects[i].name, name))
            return &in->objects[i];
    return NULL;
}

static void clear_object(struct object *o)
{
    if (o->model) {
        portolan_model_destroy(o->model->model);
        portolan_formula_destroy(o->model->parsed);
        portolan_formula_sum_clear(&o->model->sum);
    }
    portolan_arena_clear(&o->arena);
}

void llac_forget(struct portolan_llac *in, struct object *o)
{
    size_t at = (size_t)(o - in->objects);

    clear_object(o);
    memmove(o, o + 1, (--in->n_objects - at) * sizeof *o);
}

void llac_forget_all(struct portolan_llac *in)
{
    while (in->n_objects)
        llac_forget(in, &in->objects[in->n_objects - 1]);
}

static const char *keep_text(struct portolan_arena *arena, const char *text)
{
    return text ? portolan_arena_strdup(arena, text) : NULL;
}

static struct fitted *keep_fitted(struct portolan_arena *arena, const struct fitted *f)
{
    struct fitted *kept = portolan_arena_alloc(arena, 1, sizeof *kept);

    *kept = *f;
    kept->points = f->points ? table_copy(arena, f->points, true) : NULL;
    kept->observable = keep_text(arena, f->observable);
    kept->unit = keep_text(arena, f->unit);
    kept->formula = keep_text(arena, f->formula);
    return kept;
}

/* The place for NAME among the objects: that of an older one, which is cleared, or a new one. */
static struct object *make_room(struct statement *s, const char *name)
{
    struct portolan_llac *in = s->in;
    struct object *old = llac_find(in, name), *grown;

    if (old) {
        clear_object(old);
        return old;
    }
    if (!(grown = portolan_reallocarray(in->objects, in->n_objects + 1, sizeof *grown)))
        statement_no_memory(s);
    in->objects = grown;
    return &in->objects[in->n_objects++];
}

const struct object *llac_put(struct statement *s, const char *name, const struct object *o)
{
    struct object *kept, *making = &s->in->making;
    struct portolan_arena *arena = &making->arena;

    arena->no_memory = s->arena.no_memory;
    arena->no_memory_arg = s->arena.no_memory_arg;
    making->name = portolan_arena_strdup(arena, name);
    making->kind = o->kind;
    making->number = o->number;
    making->table = o->table ? table_copy(arena, o->table, true) : NULL;
    making->model = o->model ? keep_fitted(arena, o->model) : NULL;
    kept = make_room(s, name);
    *kept = *making;
    *making = (struct object){0};
    if (o->model) {
        statement_give_away(s, o->model->model);
        statement_give_away(s, o->model->parsed);
        statement_give_away(s, &o->model->sum);
    }
    return kept;
}

const struct object *llac_put_table(struct statement *s, const char *name, struct table *t)
{
    return llac_put(s, name, &(struct object){.kind = OBJECT_TABLE, .table = t});
}

bool llac_variable(const struct portolan_llac *in, const char *name, double *value)
{
    const struct object *o = llac_find(in, name);

    if (o && o->kind == OBJECT_NUMBER)
        *value = o->number;
    return o && o->kind == OBJECT_NUMBER;
}

static const struct {
    const char *what, *remedy;
} kinds[] = {
    [OBJECT_NUMBER] = {"number", "; `NAME = VALUE` makes one"},
    [OBJECT_TABLE] = {"table", "; `load` reads some, `show` lists them"},
    [OBJECT_MODEL] = {"model", "; `NAME = fit TABLE` makes one"},
};

const char *llac_kind(enum object_kind kind)
{
    return kinds[kind].what;
}

const struct object *llac_peek_object(struct statement *s)
{
    return s->now.kind == TOKEN_NAME ? llac_find(s->in, llac_text(s, &s->now)) : NULL;
}

const struct fitted *llac_accept_model(struct statement *s)
{
    const struct object *o = llac_peek_object(s);

    if (!o || o->kind != OBJECT_MODEL)
        return NULL;
    llac_advance(s);
    return o->model;
}

/* Reads the name of an object. That of an existing one may be a reserved word. */
static const char *parse_object_name(struct statement *s, const char *what)
{
    const struct object *o = llac_peek_object(s);

    if (!o)
        return llac_parse_name(s, what);
    llac_advance(s);
    return o->name;
}

const struct object *llac_parse_object(struct statement *s, enum object_kind kind)
{
    const struct token at = s->now;
    const char **known = statement_alloc(s, s->in->n_objects, sizeof *known);
    const char *what = portolan_arena_printf(&s->arena, "a %s", kinds[kind].what);
    const char *name = parse_object_name(s, what);
    const struct object *o = llac_find(s->in, name);
    size_t n = 0;

    if (o && o->kind == kind)
        return o;
    if (o)
        statement_fail(s, &at, "'%s' is a %s, and %s is wanted here", name, llac_kind(o->kind),
                       what);
    for (size_t i = 0; i < s->in->n_objects; i++)
        if (s->in->objects[i].kind == kind)
            known[n++] = s->in->objects[i].name;
    statement_fail(s, &at, "there is no %s '%s'%s", kinds[kind].what, name,
                   llac_suggest(s, name, known, n, kinds[kind].remedy));
}

/* --------------------------------------------------------------------------------- statements */

static void run_command(struct statement *s, const struct command_form *form)
{
    if (form->touches_files && s->in->options.without_files)
        statement_fail(s, &s->now, "'%s' would touch files, which is not wanted here", form->name);
    llac_advance(s);
    form->run(s);
}

/* NAME = … */
static void define_result(struct statement *s)
{
    const struct token at = s->now;
    const char *word = llac_text(s, &s->now);
    const struct command_form *form = at.kind == TOKEN_NAME ? llac_command(word) : NULL;
    const struct object *named = llac_peek_object(s);
    struct object o = {.kind = OBJECT_NUMBER};

    if (form && !form->gives)
        statement_fail(s, &at, "'%s' gives nothing that could be called '%s'", word, s->result);
    if (form) {
        run_command(s, form);
        return;
    }
    if (named && named->kind != OBJECT_NUMBER) {
        o.kind = OBJECT_TABLE;
        o.table = llac_parse_table(s);
    } else {
        o.number = llac_parse_number(s);
    }
    llac_parse_end(s);
    llac_put(s, s->result, &o);
}

/* Shows the value of a formula, or the object that a name refers to. */
static void evaluate(struct statement *s)
{
    const struct object *o = llac_peek_object(s);
    double value;

    if (o && o->kind != OBJECT_NUMBER) {
        do_show(s);
        return;
    }
    value = llac_parse_number(s);
    llac_parse_end(s);
    portolan_text_add(&s->in->out, "%.10g\n", value);
}

_Noreturn static void fail_unknown(struct statement *s, const char *word)
{
    const char *known[100];
    size_t n = 0;

    for (const struct command_form *f = llac_commands; f->name && n < 60; f++)
        known[n++] = f->name;
    for (size_t i = 0; i < s->in->n_objects && n < 100; i++)
        known[n++] = s->in->objects[i].name;
    statement_fail(s, &s->now, "'%s' is neither a command nor anything that was loaded%s", word,
                   llac_suggest(s, word, known, n, "; `help` lists the commands"));
}

static void do_statement(struct statement *s)
{
    const char *word;
    const struct command_form *form;

    if ((llac_is(s, "let") || llac_is(s, "set")) && !llac_is_next(s, "="))
        llac_advance(s);
    word = llac_text(s, &s->now);
    if (s->now.kind != TOKEN_NAME) {
        evaluate(s);
    } else if (llac_is_next(s, "=")) {
        s->result = llac_parse_name(s, "a name");
        llac_advance(s);
        define_result(s);
    } else if ((form = llac_command(word))) {
        /* The command wins over an experiment of that name, which `show` and others can reach. */
        run_command(s, form);
    } else if (llac_find(s->in, word) || llac_is_next(s, "(")) {
        evaluate(s);
    } else {
        fail_unknown(s, word);
    }
    if (s->in->out.failed)
        statement_no_memory(s);
}

/* ---------------------------------------------------------------------------------- splitting */

struct reader {
    const char *at, *end;
    int line, column;
};

/* The end of the statement at R->at: a newline without backslash, or ';' or '#' outside quotes. */
static const char *end_of_statement(const struct reader *r)
{
    char quote = '\0';

    for (const char *at = r->at; at < r->end; at++) {
        if (*at == '\\' && at + 1 < r->end && (at[1] == '\n' || at[1] == '\r'))
            at += at[1] == '\r' && at + 2 < r->end && at[2] == '\n' ? 2 : 1;
        else if (*at == '\n' || (!quote && (*at == ';' || *at == '#')))
            return at;
        else if (quote ? *at == quote : *at == '"' || *at == '\'' || *at == '`')
            quote = quote ? '\0' : *at;
    }
    return r->end;
}

static void move_reader(struct reader *r, const char *to)
{
    for (; r->at < to; r->at++)
        if (*r->at == '\n') {
            r->line++;
            r->column = 1;
        } else {
            r->column++;
        }
}

static void flush_output(struct portolan_llac *in)
{
    if (in->out.length && in->options.print)
        in->options.print(in->options.arg, in->out.bytes);
    portolan_text_clear(&in->out);
    in->out = (struct portolan_text){0};
}

/* Does not record statements of scripts, nor those about the session itself. */
static void remember(struct portolan_llac *in, const char *at, const char *end)
{
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    if (in->depth > 1 || at == end || in->session.length > MAX_SESSION ||
        !strncmp(at, "history", 7) || !strncmp(at, "save session", 12))
        return;
    portolan_text_add_bytes(&in->session, at, (size_t)(end - at));
    portolan_text_add(&in->session, "\n");
}

static enum portolan_status run_statement(struct portolan_llac *in, const char *file,
                                          const struct reader *r, const char *end,
                                          struct portolan_diagnostics *d)
{
    struct statement s = {.in = in, .d = d, .file = file};
    const char *at;
    enum portolan_status status;

    llac_begin(&s, r->at, end, r->line, r->column);
    if (s.now.kind == TOKEN_END)
        return PORTOLAN_OK;
    at = s.now.at;
    status = statement_attempt(&s, do_statement);
    portolan_arena_clear(&in->making.arena);
    if (status == PORTOLAN_OK)
        remember(in, at, end);
    flush_output(in);
    return status;
}

enum portolan_status llac_run(struct portolan_llac *in, const char *text, size_t size,
                              const char *file, int line, struct portolan_diagnostics *d)
{
    struct reader r = {.at = text, .end = text + size, .line = line, .column = 1};
    enum portolan_status first = PORTOLAN_OK, status;

    if (in->depth == MAX_SOURCES) {
        portolan_diagnose(d, file, line, 0, "scripts source each other %d deep; one does itself",
                          MAX_SOURCES);
        return PORTOLAN_ESYNTAX;
    }
    in->depth++;
    while (r.at < r.end && !in->has_ended) {
        const char *end = end_of_statement(&r);

        status = run_statement(in, file, &r, end, d);
        first = first == PORTOLAN_OK ? status : first;
        if (status != PORTOLAN_OK && !in->options.keeps_going)
            break;
        if (end < r.end && *end == '#' && !(end = memchr(end, '\n', (size_t)(r.end - end))))
            end = r.end;
        move_reader(&r, end < r.end ? end + 1 : end);
    }
    in->depth--;
    return first;
}

enum portolan_status portolan_llac_run(struct portolan_llac *in, const char *text, size_t size,
                                       const char *file, int line,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {.user = diagnostics, .err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};

    return llac_run(in, text, size, file, line, &d);
}
