/* SPDX-License-Identifier: BSD-3-Clause */
/* The common part of both readers, and the reader of the text form: "NAME: value" line by line, and
 * tables after "SAMPLE:". */
#include "internal.h"

#include <portolan/list.h>

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_complain(struct report_reader *r, int line, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->failed = true;
    portolan_diagnose(r->diagnostics, r->file, line, 0, "%s", text);
    if (line > 0)
        portolan_error_set(r->err, PORTOLAN_ESYNTAX, "%s:%d: error: %s", r->file, line, text);
    else
        portolan_error_set(r->err, PORTOLAN_ESYNTAX, "%s: error: %s", r->file, text);
    return false;
}

bool report_no_memory(struct report_reader *r)
{
    r->failed = true;
    portolan_no_memory(r->err);
    return false;
}

/* ------------------------------------------------------------------ descriptions */

bool report_read_number(const char *text, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(text, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    return portolan_read_double(text, value);
}

/* In lists, names are separated by blanks and commas. */
static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == ',')
            return false;
    return length > 0;
}

static bool add_word(struct report_reader *r, int line, char ***words, size_t *n, const char *word,
                     size_t length)
{
    char *copy;

    if (!is_name(word, length))
        return report_complain(r, line, "'%.*s' is no name, which would have no blanks or commas",
                               (int)(length < 80 ? length : 80), word);
    copy = portolan_asprintf("%.*s", (int)length, word);
    if (copy && portolan_append(words, n, &copy, sizeof copy))
        return true;
    free(copy);
    return report_no_memory(r);
}

/* Words between spaces; commas count as spaces. */
static bool split_words(struct report_reader *r, int line, const char *value, char ***words,
                        size_t *n)
{
    for (;;) {
        size_t length;

        value += strspn(value, " \t,");
        length = strcspn(value, " \t,");
        if (length == 0)
            return true;
        if (!add_word(r, line, words, n, value, length))
            return false;
        value += length;
    }
}

static bool set_lines(struct report_reader *r, int line, const char *name, const char *value,
                      unsigned **numbers, size_t *n)
{
    char **words = NULL;
    size_t n_words = 0;
    bool good = split_words(r, line, value, &words, &n_words);

    for (size_t i = 0; good && i < n_words; i++) {
        double number;
        unsigned whole;

        good = portolan_read_double(words[i], &number) && number >= 0 && number <= UINT_MAX &&
               number == (double)(unsigned)number;
        whole = good ? (unsigned)number : 0;
        if (!good)
            report_complain(r, line, "%s has numbers of lines, and '%s' is none", name, words[i]);
        else if (!portolan_append(numbers, n, &whole, sizeof whole))
            good = report_no_memory(r);
    }
    report_free_words(words, n_words);
    return good;
}

#define MAX_CONSTANTS 1000

static bool set_dimension(struct report_reader *r, int line, const char *value,
                          struct portolan_cll_sample *s)
{
    double number;

    if (!portolan_read_double(value, &number))
        return report_complain(r, line, "DIMENSION is '%s', which is no number", value);
    if (!(number >= 0 && number <= MAX_CONSTANTS) || number != (double)(unsigned)number)
        return report_complain(r, line, "DIMENSION is %.6g; it would be a whole number up to %d",
                               number, MAX_CONSTANTS);
    s->n_constants = (unsigned)number;
    return true;
}

static bool set_text(struct report_reader *r, char **field, const char *value)
{
    free(*field);
    *field = portolan_strdup(value);
    return *field || report_no_memory(r);
}

enum report_kind report_kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum report_kind kind;
    } members[] = {{"EXPERIMENT", REPORT_TEXT},  {"FILE", REPORT_TEXT},
                   {"INFORMULA", REPORT_TEXT},   {"BEGIN_LINE", REPORT_NUMBERS},
                   {"END_LINE", REPORT_NUMBERS}, {"DIMENSION", REPORT_NUMBERS},
                   {"IDENTS", REPORT_WORDS},     {"OBSERVABLES", REPORT_WORDS}};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!strcmp(name, members[i].name))
            return members[i].kind;
    return REPORT_DERIVED;
}

bool report_set(struct report_reader *r, int line, struct portolan_cll_sample *s, const char *name,
                const char *value)
{
    if (!strcmp(name, "EXPERIMENT"))
        return is_name(value, strlen(value))
                   ? set_text(r, &s->name, value)
                   : report_complain(r, line, "EXPERIMENT is '%.80s', which is no name", value);
    if (!strcmp(name, "FILE"))
        return set_text(r, &s->file, value);
    if (!strcmp(name, "INFORMULA"))
        return !*value || set_text(r, &s->formula, value);
    if (!strcmp(name, "BEGIN_LINE"))
        return set_lines(r, line, name, value, &s->begin_lines, &s->n_begin);
    if (!strcmp(name, "END_LINE"))
        return set_lines(r, line, name, value, &s->end_lines, &s->n_end);
    if (!strcmp(name, "IDENTS"))
        return split_words(r, line, value, &s->identifiers, &s->n_identifiers);
    if (!strcmp(name, "OBSERVABLES"))
        return split_words(r, line, value, &s->observables, &s->n_observables);
    return strcmp(name, "DIMENSION") != 0 || set_dimension(r, line, value, s);
}

static bool check_columns(struct report_reader *r, int line, struct portolan_cll_sample *s,
                          char *const *columns, size_t n)
{
    size_t fixed = PORTOLAN_CLL_FIXED_COLUMNS;

    if (!s->name)
        return report_complain(r, line, "there is a table before any EXPERIMENT");
    if (n < fixed || strcmp(columns[0], "CPU") != 0 || strcmp(columns[1], "NCPUS") != 0)
        return report_complain(r, line,
                               "the columns of '%s' begin with %s; the first two are "
                               "CPU and NCPUS",
                               s->name, n ? columns[0] : "nothing");
    for (size_t i = 0; i < s->n_identifiers; i++)
        if (fixed + i >= n || strcmp(columns[fixed + i], s->identifiers[i]) != 0)
            return report_complain(r, line, "column %zu of '%s' is %s%s%s; by IDENTS it is '%s'",
                                   fixed + i + 1, s->name, fixed + i < n ? "'" : "missing",
                                   fixed + i < n ? columns[fixed + i] : "",
                                   fixed + i < n ? "'" : "", s->identifiers[i]);
    report_free_words(s->observables, s->n_observables);
    s->observables = NULL;
    s->n_observables = 0;
    for (size_t i = fixed + s->n_identifiers; i < n; i++)
        if (!add_word(r, line, &s->observables, &s->n_observables, columns[i], strlen(columns[i])))
            return false;
    if (s->n_observables == 0)
        return report_complain(r, line, "'%s' has no column for an observable", s->name);
    return true;
}

bool report_set_columns(struct report_reader *r, int line, struct portolan_cll_sample *s,
                        const char *text)
{
    char **columns = NULL;
    size_t n = 0;
    bool good = split_words(r, line, text, &columns, &n) && check_columns(r, line, s, columns, n);

    report_free_words(columns, n);
    return good;
}

bool report_row_is_process(const double *row)
{
    return row[0] >= 0 && row[0] < row[1] && row[1] < 1e9 && row[0] == (double)(long)row[0] &&
           row[1] == (double)(long)row[1];
}

/* Returns whether TEXT can be a key, before a colon: letters, digits and _. */
static bool is_key(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return length > 0 && !isdigit((unsigned char)text[0]);
}

bool report_take_header(struct report_reader *r, int line, const char *name, const char *value)
{
    if (!is_key(name, strlen(name)) || !strcmp(name, "EXPERIMENT") || !strcmp(name, "SAMPLE") ||
        !strcmp(name, "cll_experiment"))
        return report_complain(r, line, "'%.80s' is no name of a header", name);
    return portolan_cll_report_add_header(r->report, name, value) == PORTOLAN_OK ||
           report_no_memory(r);
}

static bool join_sample(struct report_reader *r, struct portolan_cll_sample *s)
{
    struct portolan_cll_sample *to;
    size_t columns = portolan_cll_sample_columns(s);
    double *rows;

    if (portolan_cll_report_join(r->report, s, &to) != PORTOLAN_OK)
        return report_no_memory(r);
    if (to->n_rows == 0) {
        free(to->rows);
        to->rows = s->rows;
        to->n_rows = s->n_rows;
        to->rows_room = s->rows_room;
        s->rows = NULL;
        return true;
    }
    rows = portolan_cll_sample_add_rows(to, s->n_rows);
    if (!rows)
        return report_no_memory(r);
    if (s->n_rows > 0)
        memcpy(rows, s->rows, s->n_rows * columns * sizeof *rows);
    return true;
}

bool report_take_sample(struct report_reader *r, struct portolan_cll_sample *s)
{
    bool good = join_sample(r, s);

    report_sample_clear(s);
    return good;
}

/* -------------------------------------------------------------------------------- the text form */

struct text_reader {
    struct report_reader *r;
    const char *next, *end; /* the rest of the text */
    int line;               /* of TEXT, from 1 */
    struct portolan_text line_text;
    char *text;                        /* the current line, without surrounding spaces */
    struct portolan_cll_sample sample; /* the experiment that is being read */
    double tests;                      /* number of rows according to NUMTESTS; 0: not stated */
};

/* The next line into T->text; false at the end, or when memory is out. */
static bool next_line(struct text_reader *t)
{
    const char *stop, *start = t->next;

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
    t->line_text.length = 0;
    portolan_text_add_bytes(&t->line_text, start, (size_t)(stop - start));
    t->text = t->line_text.bytes;
    if (t->line_text.failed)
        return report_no_memory(t->r);
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

/* Splits the line into words, in place; at most MAX of them. */
static size_t cut_words(char *text, char **words, size_t max)
{
    size_t n = 0;

    for (char *word, *rest = text; n < max && (word = strtok_r(rest, " \t", &rest));)
        words[n++] = word;
    return n;
}

static bool begins_with_key(const char *text)
{
    const char *colon = strchr(text, ':');

    return colon && is_key(text, (size_t)(colon - text));
}

/* Reads rows up to the next key or the end; the line with that key becomes T's current line. */
static bool read_rows(struct text_reader *t, bool *more)
{
    size_t columns = portolan_cll_sample_columns(&t->sample);
    char **words = portolan_calloc(columns + 1, sizeof *words);
    bool good = words || report_no_memory(t->r);

    while (good && (*more = next_line(t)) && !begins_with_key(t->text))
        if (*t->text)
            good = read_row(t, words, cut_words(t->text, words, columns + 1));
    free(words);
    return good && !t->r->failed;
}

/* Compares with NUMTESTS; otherwise a truncated file would go unnoticed. */
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
    if (!*more || begins_with_key(t->text))
        return report_complain(t->r, at, "SAMPLE: is followed by no names of columns");
    return report_set_columns(t->r, t->line, &t->sample, t->text) && read_rows(t, more) &&
           has_all_rows(t) && report_take_sample(t->r, &t->sample);
}

/* ------------------------------------------------------------------ keys */

/* The beginning of a value; removes quotes around it. */
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

/* The sum over processes; a word that is not a number ends it. */
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

    if (!begins_with_key(t->text))
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

static bool read_text(struct report_reader *r, const char *text, size_t size)
{
    struct text_reader t = {.r = r, .next = text, .end = text + size};
    bool good = read_all(&t);

    report_sample_clear(&t.sample);
    portolan_text_clear(&t.line_text);
    return good;
}

/* ------------------------------------------------------------------ files */

enum portolan_status portolan_cll_report_parse(const char *text, size_t size, const char *file,
                                               struct portolan_diagnostics *diagnostics,
                                               struct portolan_cll_report **report,
                                               struct portolan_error *err)
{
    struct portolan_error own = {0};
    struct report_reader r = {.file = file, .diagnostics = diagnostics, .err = err ? err : &own};
    size_t start = 0;

    *report = NULL;
    r.report = portolan_cll_report_create();
    if (!r.report)
        return portolan_no_memory(err);
    if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
        start = 3;
    while (start < size && isspace((unsigned char)text[start]))
        start++;
    if (memchr(text, '\0', size))
        report_complain(&r, 0, "there is a NUL in it: this is no report of CALL's run time");
    else if (start < size && text[start] == '{')
        report_read_json(&r, text, size);
    else if (start < size && text[start] == '<')
        report_complain(&r, 0, "a report is text or JSON, not XML; use CLL_FORMAT=json");
    else
        read_text(&r, text, size);
    if (!r.failed) {
        *report = r.report;
        return PORTOLAN_OK;
    }
    portolan_cll_report_destroy(r.report);
    return r.err->status;
}

enum portolan_status portolan_cll_report_read(const char *path,
                                              struct portolan_diagnostics *diagnostics,
                                              struct portolan_cll_report **report,
                                              struct portolan_error *err)
{
    struct portolan_text text = {0};
    enum portolan_status status;

    *report = NULL;
    if (portolan_text_add_file(&text, path, SIZE_MAX))
        status = portolan_cll_report_parse(text.bytes ? text.bytes : "", text.length, path,
                                           diagnostics, report, err);
    else if (text.failed)
        status = portolan_no_memory(err);
    else
        status =
            portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", path, strerror(errno));
    portolan_text_clear(&text);
    return status;
}
