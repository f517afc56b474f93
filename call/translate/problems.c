/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong is collected first, then told in the order of the file. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static void add(struct translation *t, const char *file, struct place place, const char *text)
{
    for (size_t i = 0; i < t->n_problems; i++) /* once is enough */
        if (t->problems[i].place.line == place.line &&
            t->problems[i].place.column == place.column && strcmp(t->problems[i].text, text) == 0 &&
            strcmp(t->problems[i].file, file) == 0)
            return;
    t->problems = portolan_arena_grow(&t->arena, t->problems, t->n_problems, sizeof *t->problems);
    if (t->problems) {
        t->problems[t->n_problems] = (struct problem){
            portolan_libclang_print(&t->arena, "%s", file), place, text, t->n_problems};
        t->n_problems++;
    } else {
        t->n_problems = 0;
    }
}

void problem_add(struct translation *t, const char *file, struct place place, const char *format,
                 ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(&t->arena, format, args);
    va_end(args);
    if (text)
        add(t, file, place, text);
}

void problem_at(struct translation *t, size_t at, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(&t->arena, format, args);
    va_end(args);
    if (text)
        add(t, t->source.file, source_place(&t->source, at), text);
}

void note_at(struct translation *t, size_t at, const char *format, ...)
{
    struct place place = source_place(&t->source, at);
    va_list args;
    const char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(&t->arena, format, args);
    va_end(args);
    if (text && t->options->notes)
        portolan_diagnose(t->options->notes, t->source.file, place.line, place.column, "%s", text);
}

int line_of(const struct translation *t, const struct directive *d)
{
    return source_place(&t->source, d->start).line;
}

static int in_order(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;

    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    if (x->place.column != y->place.column)
        return x->place.column < y->place.column ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

enum portolan_status problems_report(struct translation *t)
{
    const char *file = t->source.file;
    struct portolan_diagnostics_relay relay = {t->user, t->err};

    if (!t->n_problems)
        return PORTOLAN_OK;
    qsort(t->problems, t->n_problems, sizeof *t->problems, in_order);
    for (int main = 0; main < 2; main++) /* other files first: ours may follow from theirs */
        for (size_t i = 0; i < t->n_problems; i++) {
            const struct problem *p = &t->problems[i];

            if ((strcmp(p->file, file) == 0) == (main == 1))
                portolan_diagnostics_relay(&relay, p->file, p->place.line, p->place.column,
                                           p->text);
        }
    return PORTOLAN_ESYNTAX;
}

static void relay(void *arg, const char *file, int line, int column, const char *text)
{
    problem_add(arg, file, (struct place){line, column}, "%s", text);
}

struct portolan_diagnostics problems_relay(struct translation *t)
{
    return (struct portolan_diagnostics){.report = relay, .arg = t};
}
