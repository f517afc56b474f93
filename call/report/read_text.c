/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form: "NAME: value" line by line, and tables after "SAMPLE:". */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct text_reader {
    struct report_reader *r;
    const char *next, *end; /* what has not been read */
    int line;               /* of TEXT, from 1 */
    char *text;             /* the line, without spaces around it */
    size_t room;
    struct portolan_cll_sample sample; /* the experiment that is being read */
    double tests;                      /* how many rows NUMTESTS promises; 0: it says nothing */
};

/* The next line into T->text; false at the end, or when memory is out. */
static bool next_line(struct text_reader *t)
{
    const char *stop, *start = t->next;
    size_t length;

    if (start >= t->end)
        return false;
    stop = memchr(start, '\n', (size_t)(t->end - start));
    stop = stop ? stop : t->end;
    t->next = stop < t->end ? stop + 1 : stop;
    t->line++;
    while (start < stop && strchr(" \t\r", *start))
        start++;
    while (stop > start && strchr(" \t\r", stop[-1]))
        stop--;
    length = (size_t)(stop - start);
    if (length >= t->room) {
        char *more = portolan_reallocarray(t->text, length + 1, 2);

        if (!more)
            return report_no_memory(t->r);
        t->text = more;
        t->room = 2 * (length + 1);
    }
    memcpy(t->text, start, length);
    t->text[length] = '\0';
    return true;
}

/* ------------------------------------------------------------------ tables */

static bool read_row(struct text_reader *t, char *const *words, size_t n)
{
    size_t columns = portolan_cll_sample_columns(&t->sample);
    double *row;

    if (n != columns)
        return report_complain(t->r, t->line, "a row of '%s' has %zu numbers; it has %zu columns",
                               t->sample.name, n, columns);
    row = portolan_cll_sample_add_rows(&t->sample, 1);
    if (!row)
        return report_no_memory(t->r);
    for (size_t i = 0; i < n; i++)
        if (!report_read_number(words[i], &row[i]))
            return report_complain(t->r, t->line, "'%s' is no number", words[i]);
    return report_row_is_process(row) ||
           report_complain(t->r, t->line,
                           "a row of '%s' is of process %s of %s; processes are "
                           "numbered from 0",
                           t->sample.name, words[0], words[1]);
}

/* Words of the line, in place; at most MAX of them. */
static size_t cut_words(char *text, char **words, size_t max)
{
    size_t n = 0;

    for (char *word, *rest = text; n < max && (word = strtok_r(rest, " \t", &rest));)
        words[n++] = word;
    return n;
}

static bool is_key(const char *text)
{
    const char *colon = strchr(text, ':');

    return colon && report_is_key(text, (size_t)(colon - text));
}

/* Up to the next key or the end; the line that ends it is T's line then. */
static bool read_rows(struct text_reader *t, bool *more)
{
    size_t columns = portolan_cll_sample_columns(&t->sample);
    char **words = portolan_calloc(columns + 1, sizeof *words);
    bool good = words || report_no_memory(t->r);

    while (good && (*more = next_line(t)) && !is_key(t->text))
        if (*t->text)
            good = read_row(t, words, cut_words(t->text, words, columns + 1));
    free(words);
    return good && !t->r->failed;
}

/* What was cut off would not be missed otherwise. */
static bool has_all_rows(struct text_reader *t)
{
    return (double)t->sample.n_rows >= t->tests ||
           report_complain(t->r, t->line,
                           "the table of '%s' ends after %zu of %.0f rows: the file is cut off; "
                           "where rows were taken out on purpose, correct NUMTESTS",
                           t->sample.name, t->sample.n_rows, t->tests);
}

static bool read_table(struct text_reader *t, bool *more)
{
    int at = t->line;

    do {
        *more = next_line(t);
    } while (*more && !*t->text);
    if (!*more || is_key(t->text))
        return report_complain(t->r, at, "SAMPLE: is followed by no names of columns");
    return report_set_columns(t->r, t->line, &t->sample, t->text) && read_rows(t, more) &&
           has_all_rows(t) && report_take_sample(t->r, &t->sample);
}

/* ------------------------------------------------------------------ keys */

/* Where a value begins; quotes around it are taken away. */
static char *value_of(char *text)
{
    size_t length;

    text += strspn(text, " \t");
    length = strlen(text);
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
        text[length - 1] = '\0';
        text++;
    }
    return text;
}

/* The sum over processes; what is no number promises nothing. */
static double sum_tests(const char *value)
{
    double sum = 0;
    char *end;

    for (double n; n = strtod(value, &end), end > value; value = end)
        sum += n > 0 && n < 1e15 ? n : 0;
    return sum;
}

static bool read_key(struct text_reader *t, bool *in_experiment)
{
    char *colon = strchr(t->text, ':'), *value;

    if (!is_key(t->text))
        return report_complain(t->r, t->line,
                               "'%.40s' is no line of a report, which would be "
                               "NAME: value",
                               t->text);
    *colon = '\0';
    value = value_of(colon + 1);
    if (!strcmp(t->text, "EXPERIMENT")) {
        if (*in_experiment)
            return report_complain(t->r, t->line,
                                   "experiment '%s' has no SAMPLE:, and here is "
                                   "the next",
                                   t->sample.name);
        *in_experiment = true;
        t->tests = 0;
    }
    if (*in_experiment && !strcmp(t->text, "NUMTESTS"))
        t->tests = sum_tests(value);
    if (*in_experiment)
        return report_set(t->r, t->line, &t->sample, t->text, value);
    return report_take_header(t->r, t->line, t->text, value);
}

static bool read_all(struct text_reader *t)
{
    bool more = next_line(t), in_experiment = false, any = false;

    while (more && !t->r->failed) {
        if (!strcmp(t->text, "SAMPLE:")) {
            if (!read_table(t, &more))
                return false;
            in_experiment = false;
            continue;
        }
        if (*t->text && !read_key(t, &in_experiment))
            return false;
        any = any || *t->text;
        more = next_line(t);
    }
    if (!t->r->failed && in_experiment)
        return report_complain(t->r, t->line,
                               "the report ends before experiment '%s' has its "
                               "SAMPLE:",
                               t->sample.name);
    if (!t->r->failed && !any)
        return report_complain(t->r, 0,
                               "it is empty; a report of CALL's run time begins with "
                               "CALL_VERSION");
    return !t->r->failed;
}

bool report_read_text(struct report_reader *r, const char *text, size_t size)
{
    struct text_reader t = {.r = r, .next = text, .end = text + size};
    bool good = read_all(&t);

    report_sample_clear(&t.sample);
    free(t.text);
    return good;
}
