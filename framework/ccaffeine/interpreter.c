/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an interpreter, and the way from a line to its command. */
#include "interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

static void show_text(const struct portolan_interpreter *in, void (*to)(void *, const char *),
                      const char *format, va_list args)
{
    char *text = NULL;

    if (!to || in->cohort->rank != 0 || vasprintf(&text, format, args) < 0)
        return;
    to(in->options.arg, text);
    free(text);
}

void interpreter_print(const struct portolan_interpreter *in, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    show_text(in, in->options.print, format, args);
    va_end(args);
}

void interpreter_say(const struct portolan_interpreter *in, const char *format, ...)
{
    va_list args;

    if (in->options.quiet)
        return;
    va_start(args, format);
    show_text(in, in->options.print, format, args);
    va_end(args);
}

void interpreter_warn(const struct portolan_interpreter *in, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    show_text(in, in->options.warn, format, args);
    va_end(args);
}

/* -------------------------------------------------------------------------------------- life */

enum portolan_status portolan_interpreter_create(const struct portolan_interpreter_options *options,
                                                 struct portolan_interpreter **out,
                                                 struct portolan_error *err)
{
    struct portolan_interpreter *in = portolan_calloc(1, sizeof *in);
    enum portolan_status status;

    *out = NULL;
    if (!in)
        return portolan_no_memory(err);
    in->options = *options;
    in->cohort = options->cohort ? options->cohort : portolan_cohort_alone();
    status = portolan_palette_create(&in->palette, err);
    if (status == PORTOLAN_OK && options->path)
        status = portolan_palette_add_path(in->palette, options->path, NULL, err);
    in->options.path = NULL; /* the caller's text, not needed any more */
    if (status == PORTOLAN_OK)
        status = portolan_framework_create(in->palette, in->cohort, &in->framework, err);
    if (status != PORTOLAN_OK) {
        portolan_interpreter_destroy(in);
        return status;
    }
    in->builder = portolan_framework_peek_builder(in->framework);
    *out = in;
    return PORTOLAN_OK;
}

struct portolan_framework *portolan_interpreter_peek_framework(struct portolan_interpreter *in)
{
    return in->framework;
}

/* Properties left over most likely belong to a misspelt instance. */
static void warn_of_pending(const struct portolan_interpreter *in)
{
    const struct pending *p;

    LL_FOREACH(in->pending, p)
    interpreter_warn(in, "property '%s' of '%s': no such instance was ever made", p->key,
                     p->instance);
}

void portolan_interpreter_destroy(struct portolan_interpreter *in)
{
    if (!in)
        return;
    if (!in->has_ended && !in->has_stopped)
        warn_of_pending(in);
    console_end(in);
    portolan_framework_destroy(in->framework);
    portolan_palette_destroy(in->palette);
    portolan_arena_clear(&in->arena);
    free(in);
}

bool portolan_interpreter_has_ended(const struct portolan_interpreter *in, int *code)
{
    if (code)
        *code = in->exit_code;
    return in->has_ended;
}

/* ---------------------------------------------------------------------------------- commands */

const char *verb_argument(const struct command *c, size_t index)
{
    return index + 1 < c->words->n_words ? c->words->words[index + 1] : NULL;
}

enum portolan_status verb_exit(struct command *c)
{
    const char *text = verb_argument(c, 0);
    int64_t code = 0;

    if (text && (!portolan_read_int64(text, &code) || code < 0 || code > 255))
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "exit: '%s' is no exit status; they go from 0 to 255", text);
    warn_of_pending(c->in);
    interpreter_say(c->in, "\nbye!\nexit\n");
    c->in->has_ended = true;
    c->in->exit_code = (int)code;
    return PORTOLAN_OK;
}

enum portolan_status verb_debug(struct command *c)
{
    if (c->in->options.debug)
        c->in->options.debug(c->in->options.arg, !strcmp(c->form->names[0], "debug"));
    return PORTOLAN_OK;
}

enum portolan_status verb_shell(struct command *c)
{
    const struct portolan_interpreter_options *o = &c->in->options;
    char *line = verb_rest(c->arena, c->words, 0);
    int result;

    if (!line)
        return portolan_no_memory(c->err);
    if (!o->shell)
        return portolan_error_set(c->err, PORTOLAN_EUNSUPPORTED,
                                  "commands of the operating system are not allowed; start with "
                                  "--allow-shell if you trust the script");
    result = c->in->cohort->rank == 0 ? o->shell(o->arg, line) : 0;
    if (result)
        return portolan_error_set(c->err, PORTOLAN_ECOMPONENT, "'%s' ended with status %d", line,
                                  result);
    return PORTOLAN_OK;
}

enum portolan_status verb_nothing(struct command *c)
{
    (void)c;
    return PORTOLAN_OK;
}

enum portolan_status verb_end(struct command *c)
{
    c->in->has_ended = true;
    return PORTOLAN_OK;
}

/* A command that failed on some ranks only has changed the others. No command may follow: it would
 * find different instances on the ranks, and components that communicate would wait for ever. */
static enum portolan_status agree_on_command(struct portolan_interpreter *in,
                                             enum portolan_status own, struct portolan_error *err)
{
    enum portolan_status status = portolan_cohort_agree(in->cohort, own, err);
    double has_done = own == PORTOLAN_OK;
    struct portolan_error cause = *err;

    if (status == PORTOLAN_OK || in->cohort->size == 1)
        return status;
    if (in->cohort->max(in->cohort, &has_done, 1) == PORTOLAN_OK && has_done == 0.0)
        return status;
    in->has_ended = true;
    in->exit_code = 1;
    *err = (struct portolan_error){0};
    return portolan_error_set(err, status, "%s; the ranks differ now, so that nothing more is run",
                              cause.text);
}

static enum portolan_status do_command(struct portolan_interpreter *in,
                                       const struct portolan_script_command *words,
                                       struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct command c = {.in = in, .words = words, .arena = &arena, .err = err};
    enum portolan_status status = verb_find(words->words[0], &c.form, err);

    if (status == PORTOLAN_OK)
        status = verb_check(c.form, words, err);
    if (status == PORTOLAN_OK)
        status = c.form->run(&c);
    portolan_arena_clear(&arena);
    if (c.form && c.form->run == verb_go && in->options.settle)
        return in->options.settle(in->options.arg, status, err);
    if (c.form && (c.form->run == verb_go || c.form->run == verb_shell))
        return portolan_cohort_agree(in->cohort, status, err);
    return agree_on_command(in, status, err);
}

enum portolan_status portolan_interpreter_run(struct portolan_interpreter *in,
                                              const struct portolan_script *s,
                                              struct portolan_diagnostics *d,
                                              struct portolan_error *err)
{
    enum portolan_status first = PORTOLAN_OK;

    for (size_t i = 0; i < s->n_commands && !in->has_ended; i++) {
        struct portolan_error cause = {0};
        enum portolan_status status = do_command(in, &s->commands[i], &cause);

        if (status == PORTOLAN_OK)
            continue;
        portolan_diagnose(d, s->file, s->commands[i].line, 0, "%s", cause.text);
        portolan_error_set(err, status, "%s:%d: %s", s->file, s->commands[i].line, cause.text);
        first = first == PORTOLAN_OK ? status : first;
        in->has_stopped = !in->options.keeps_going;
        if (in->has_stopped)
            break;
    }
    return first;
}
