/* SPDX-License-Identifier: BSD-3-Clause */
/* How a statement fails, and what it frees. */
#include "tables.h"

#include <portolan/command.h>
#include <portolan/profile.h>

struct owned {
    void (*release)(void *object);
    void *object;
};

_Noreturn static void leave(struct statement *s, enum portolan_status status)
{
    s->status = status;
    longjmp(*s->failed, 1);
}

_Noreturn void statement_fail(struct statement *s, const struct token *t, const char *format, ...)
{
    const char *text;
    va_list args;

    va_start(args, format);
    text = portolan_arena_vprintf(&s->arena, format, args);
    va_end(args);
    if (!t)
        leave(s, portolan_error_set(&s->err, PORTOLAN_EINVAL, "%s", text));
    portolan_diagnose(s->d, s->file, t->line, t->column, "%s", text);
    leave(s, PORTOLAN_ESYNTAX);
}

void statement_check(struct statement *s, const struct token *t, enum portolan_status status)
{
    if (status == PORTOLAN_OK)
        return;
    if (t && s->d->count == s->n_before)
        portolan_diagnose(s->d, s->file, t->line, t->column, "%s",
                          *s->err.text ? s->err.text : portolan_status_text(status));
    leave(s, status);
}

_Noreturn void statement_no_memory(struct statement *s)
{
    if (s->arg)
        portolan_no_memory(&s->err);
    else
        portolan_diagnose(s->d, s->file, s->now.line, s->now.column, "out of memory");
    leave(s, PORTOLAN_ENOMEM);
}

static void leave_without_memory(void *statement)
{
    statement_no_memory(statement);
}

const char *statement_read_file(struct statement *s, const struct token *at, const char *path,
                                size_t *size)
{
    const char *text = NULL;
    enum portolan_status status;

    s->arena.no_memory = NULL; /* the file must be closed first if memory is out */
    status = portolan_file_read(&s->arena, path, &text, size, &s->err);
    s->arena.no_memory = leave_without_memory;
    statement_check(s, at, status);
    return text;
}

/* ---------------------------------------------------------------------------------- resources */

void free_formula(void *formula)
{
    portolan_formula_destroy(formula);
}

void free_formula_sum(void *sum)
{
    portolan_formula_sum_clear(sum);
}

void free_model(void *model)
{
    portolan_model_destroy(model);
}

void free_measurements(void *measurements)
{
    portolan_measurements_destroy(measurements);
}

void free_samples(void *set)
{
    portolan_sample_set_destroy(set);
}

void free_trials(void *list)
{
    portolan_trials_clear(list);
}

void *statement_alloc(struct statement *s, size_t count, size_t size)
{
    return portolan_arena_alloc(&s->arena, count, size);
}

void statement_own(struct statement *s, void (*release)(void *object), void *object)
{
    struct owned *grown;

    s->arena.no_memory = NULL; /* OBJECT must be freed first if memory is out */
    grown = portolan_arena_grow(&s->arena, s->owned, s->n_owned, sizeof *grown);
    s->arena.no_memory = leave_without_memory;
    if (!grown) {
        release(object);
        statement_no_memory(s);
    }
    s->owned = grown;
    s->owned[s->n_owned++] = (struct owned){release, object};
}

void statement_give_away(struct statement *s, const void *object)
{
    for (size_t i = 0; i < s->n_owned; i++)
        if (s->owned[i].object == object)
            s->owned[i].release = NULL;
}

void statement_release(struct statement *s, void *object)
{
    for (size_t i = 0; i < s->n_owned; i++)
        if (s->owned[i].object == object && s->owned[i].release)
            s->owned[i].release(object);
    statement_give_away(s, object);
}

enum portolan_status statement_attempt(struct statement *s, void (*run)(struct statement *s))
{
    jmp_buf failed;

    s->arena = (struct portolan_arena){.no_memory = leave_without_memory, .no_memory_arg = s};
    s->n_before = s->d->count;
    s->failed = &failed;
    if (setjmp(failed) == 0)
        run(s);
    for (size_t i = 0; i < s->n_owned; i++)
        if (s->owned[i].release)
            s->owned[i].release(s->owned[i].object);
    portolan_arena_clear(&s->arena);
    return s->status;
}
