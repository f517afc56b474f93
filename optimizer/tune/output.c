/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for numbers and for failures in a program's output, line by line: nothing else is kept. */
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So much output of a trial is read; the rest is dropped. */
static const size_t most_output = (size_t)64 << 20;

static void add_wanted(struct output *o, const char *what, const struct portolan_assembly_match *m)
{
    if (!m->regex)
        return;
    o->wanted[o->n_wanted].what = what;
    regcomp(&o->wanted[o->n_wanted++].regex, m->regex, REG_EXTENDED); /* the reader checked it */
}

bool output_begin(struct output *o, const struct portolan_assembly_program *p)
{
    o->wanted = portolan_arena_alloc(o->arena, p->n_contexts + 2, sizeof *o->wanted);
    o->failures = portolan_arena_alloc(o->arena, p->n_failed, sizeof *o->failures);
    if (!o->wanted || !o->failures)
        return false;
    add_wanted(o, "accuracy", &p->accuracy);
    add_wanted(o, "time", &p->time);
    for (size_t i = 0; i < p->n_contexts; i++)
        add_wanted(o, p->contexts[i].name, &p->contexts[i]);
    for (; o->n_failures < p->n_failed; o->n_failures++)
        regcomp(&o->failures[o->n_failures], p->failed[o->n_failures].regex,
                REG_EXTENDED | REG_NOSUB);
    return true;
}

void output_end(struct output *o)
{
    for (size_t i = 0; i < o->n_wanted; i++)
        regfree(&o->wanted[i].regex);
    for (size_t i = 0; i < o->n_failures; i++)
        regfree(&o->failures[i]);
}

/* The number in the regular expression's first group; the last line that has one counts. */
static void look_for(struct wanted *w, const char *line)
{
    regmatch_t at[2];
    char text[64], *end;
    double value;

    if (regexec(&w->regex, line, 2, at, 0) || at[1].rm_so < 0)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(at[1].rm_eo - at[1].rm_so), line + at[1].rm_so);
    value = strtod(text, &end);
    w->found = end > text && isfinite(value);
    w->value = value;
}

void output_take_line(void *arg, bool is_error, const char *line)
{
    struct output *o = arg;

    (void)is_error;
    o->n_bytes += strlen(line) + 1;
    if (o->n_bytes > most_output)
        return;
    snprintf(o->last[o->n_lines++ % LAST_LINES], LINE_BYTES, "%s", line);
    for (size_t i = 0; i < o->n_wanted; i++)
        look_for(&o->wanted[i], line);
    for (size_t i = 0; i < o->n_failures && !o->failed_line[0]; i++)
        if (!regexec(&o->failures[i], line, 0, NULL, 0))
            snprintf(o->failed_line, sizeof o->failed_line, "%s", line);
}

bool output_was_cut(const struct output *o)
{
    return o->n_bytes > most_output;
}

const char *output_last_lines(struct output *o)
{
    struct portolan_text t = {.arena = o->arena};

    portolan_text_add(&t, "%s", "");
    for (size_t i = o->n_lines > LAST_LINES ? o->n_lines - LAST_LINES : 0; i < o->n_lines; i++)
        portolan_text_add(&t, "%s%s", t.length ? "\n" : "", o->last[i % LAST_LINES]);
    if (t.bytes)
        portolan_clean_text(t.bytes, "\n\t");
    return t.bytes;
}
