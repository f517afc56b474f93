/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements one by one: what each is, and what becomes of its result. */
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
    while (in->n_objects)
        llac_forget(in, &in->objects[in->n_objects - 1]);
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

/* --------------------------------------------------------------------------------- statements */

/* What is named by TABLE, the caller's to give away. */
static enum portolan_status put_table(struct statement *s, const char *name, struct table *t)
{
    struct object o = {.kind = OBJECT_TABLE, .table = t};

    if (llac_put(s->in, name, &o) == PORTOLAN_OK)
        return PORTOLAN_OK;
    llac_table_destroy(t);
    return llac_no_memory(s);
}

static bool begins_table(const struct statement *s, const char *name)
{
    const struct object *o = llac_find(s->in, name);

    return s->now.kind == TOKEN_NAME && o && o->kind != OBJECT_NUMBER;
}

static enum portolan_status run_command(struct statement *s, const struct command_form *form,
                                        const char *name)
{
    if (form->touches_files && s->in->options.without_files)
        return llac_fail(s, &s->now, "'%s' would touch files, which is not wanted here",
                         form->name);
    llac_advance(s);
    return form->run(s, name);
}

/* NAME = … */
static enum portolan_status define(struct statement *s, const char *name)
{
    const struct token at = s->now;
    const char *word = llac_text(s, &s->now);
    const struct command_form *form = at.kind == TOKEN_NAME ? llac_command(word) : NULL;
    struct object o = {.kind = OBJECT_NUMBER};
    struct table *t = NULL;
    enum portolan_status status;

    if (form && !form->gives)
        return llac_fail(s, &at, "'%s' gives nothing that could be called '%s'", word, name);
    if (form)
        return run_command(s, form, name);
    if (begins_table(s, word)) {
        if ((status = llac_parse_table(s, &t)) != PORTOLAN_OK)
            return status;
        if ((status = llac_parse_end(s)) == PORTOLAN_OK)
            return put_table(s, name, t);
        llac_table_destroy(t);
        return status;
    }
    status = llac_parse_number(s, &o.number);
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK && llac_put(s->in, name, &o) != PORTOLAN_OK)
        status = llac_no_memory(s);
    return status;
}

/* A formula alone is worth its value, a name what it stands for. */
static enum portolan_status evaluate(struct statement *s)
{
    const struct object *o =
        s->now.kind == TOKEN_NAME ? llac_find(s->in, llac_text(s, &s->now)) : NULL;
    double value;
    enum portolan_status status;

    if (o && o->kind != OBJECT_NUMBER)
        return do_show(s, NULL);
    status = llac_parse_number(s, &value);
    if (status == PORTOLAN_OK)
        status = llac_parse_end(s);
    if (status == PORTOLAN_OK)
        portolan_text_add(&s->in->out, "%.10g\n", value);
    return status;
}

static enum portolan_status unknown(struct statement *s, const char *word)
{
    const char *known[100];
    size_t n = 0;

    for (const struct command_form *f = llac_commands; f->name && n < 60; f++)
        known[n++] = f->name;
    for (size_t i = 0; i < s->in->n_objects && n < 100; i++)
        known[n++] = s->in->objects[i].name;
    return llac_fail(s, &s->now, "'%s' is neither a command nor anything that was loaded%s", word,
                     llac_suggest(s, word, known, n, "; `help` lists the commands"));
}

static enum portolan_status do_statement(struct statement *s)
{
    const char *word, *name;
    const struct command_form *form;
    enum portolan_status status;

    if ((llac_is(s, "let") || llac_is(s, "set")) && !llac_is_next(s, "="))
        llac_advance(s);
    word = llac_text(s, &s->now);
    if (s->now.kind != TOKEN_NAME)
        return evaluate(s);
    if (llac_is_next(s, "=")) {
        if ((status = llac_parse_name(s, "a name", &name)) != PORTOLAN_OK)
            return status;
        llac_advance(s);
        return define(s, name);
    }
    /* Also if a report has an experiment of that name, which `show` and the others reach. */
    if ((form = llac_command(word)))
        return run_command(s, form, NULL);
    if (llac_find(s->in, word) || llac_is_next(s, "("))
        return evaluate(s);
    return unknown(s, word);
}

/* ---------------------------------------------------------------------------------- splitting */

struct reader {
    const char *at, *end;
    int line, column;
};

/* The end of the statement at R->at: a line's end without a backslash, ';' or '#' outside quotes.
 */
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

static void move(struct reader *r, const char *to)
{
    for (; r->at < to; r->at++)
        if (*r->at == '\n') {
            r->line++;
            r->column = 1;
        } else {
            r->column++;
        }
}

static void flush(struct portolan_llac *in)
{
    if (in->out.length && in->options.print)
        in->options.print(in->options.arg, in->out.bytes);
    portolan_text_clear(&in->out);
    in->out = (struct portolan_text){0};
}

/* What failed, or only asked for the session itself, is not of the session. */
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
    struct portolan_arena arena = {0};
    struct statement s = {.in = in, .d = d, .arena = &arena, .file = file};
    enum portolan_status status = PORTOLAN_OK;
    int before = d->count;

    llac_begin(&s, r->at, end, r->line, r->column);
    if (s.now.kind != TOKEN_END) {
        const char *at = s.now.at;

        status = do_statement(&s);
        if (status == PORTOLAN_OK && (arena.failed || in->out.failed))
            status = PORTOLAN_ENOMEM;
        if (status != PORTOLAN_OK && d->count == before)
            llac_fail(&s, &s.now, "%s", portolan_status_text(status));
        if (status == PORTOLAN_OK)
            remember(in, at, end);
    }
    flush(in);
    portolan_arena_clear(&arena);
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
        move(&r, end < r.end ? end + 1 : end);
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
