/* SPDX-License-Identifier: BSD-3-Clause */
/* Complaints about a model in XML, and the questions that all its readers ask of elements. */
#include "xml_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PROBLEMS = 20 };

/* ---- complaints ---- */

void reader_no_memory(struct reader *r)
{
    if (!r->status)
        r->status = PORTOLAN_ENOMEM;
}

void reader_report(void *arg, const char *file, int line, int column, const char *text)
{
    struct reader *r = arg;

    /* After memory ran out, parts may be missing although the text has them. */
    if (r->status == PORTOLAN_ENOMEM)
        return;
    r->status = PORTOLAN_ESYNTAX;
    if (r->n_problems++ >= MOST_PROBLEMS)
        return;
    portolan_diagnose(r->diagnostics, file, line, column, "%s", text);
    portolan_error_set(r->err, PORTOLAN_ESYNTAX, "%s:%d: %s", file, line, text);
}

void reader_complain(struct reader *r, const struct xml_element *e, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader_report(r, e->file, e->line, e->column, text);
}

struct portolan_hint reader_hint(const char *word, const char *const *known, size_t n)
{
    return portolan_did_you_mean(portolan_nearest_word(word, known, n));
}

/* ---- elements ---- */

bool reader_is(const struct xml_element *e, const char *name)
{
    return e && strcmp(e->name, name) == 0;
}

bool reader_is_in(const struct xml_element *e, const char *space)
{
    return e->space && strcmp(e->space, space) == 0;
}

const struct xml_element *reader_first(struct reader *r, const struct xml_element *parent)
{
    if (parent->text_line)
        reader_report(r, parent->file, parent->text_line, 0,
                      "text is not allowed between elements");
    return parent->children;
}

bool reader_number(const char *text, double *value)
{
    char word[2 * NUMBER_TEXT + 2];
    size_t length;

    text += strspn(text, " \t\r\n");
    length = strspn(text, "+-.0123456789eE");
    if (!length || length >= sizeof word || text[length + strspn(text + length, " \t\r\n")])
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return portolan_read_double(word, value);
}
