/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes reports as text and as JSON, into memory and into files that are complete or absent. Both
 * forms have the same members in the same order; they differ in how a member, a list and a row of
 * the table are written.
 */
#include "internal.h"

#include <portolan/formula.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A report that is written piece by piece. */
struct writer {
    struct portolan_text out;
    int fd;    /* -1: everything stays in OUT */
    int error; /* errno of the failure */
    bool is_json;
};

/* ------------------------------------------------------------------ pieces */

#define PIECE 65536

/* Writes the collected text, unless it is still short. */
static void drain(struct writer *w, bool all)
{
    if (w->fd < 0 || !w->out.bytes || (!all && w->out.length < PIECE))
        return;
    errno = 0;
    if (!w->error && !portolan_write_all(w->fd, w->out.bytes, w->out.length))
        w->error = errno ? errno : EIO;
    w->out.length = 0;
    w->out.bytes[0] = '\0';
}

/* The fewest digits, 17 at most, that read back as the same value. JSON has no NaN or infinity. */
static void add_number(struct writer *w, double value)
{
    char text[32];
    int digits = 15;

    if (isnan(value)) {
        portolan_text_add(&w->out, w->is_json ? "null" : "nan");
    } else if (isinf(value)) {
        portolan_text_add(&w->out, w->is_json ? "\"%s\"" : "%s", value < 0 ? "-inf" : "inf");
    } else if (fabs(value) < 1e15 && value == (double)(long long)value &&
               (value != 0 || !signbit(value))) {
        portolan_text_add(&w->out, "%lld", (long long)value);
    } else {
        do
            snprintf(text, sizeof text, "%.*g", digits, value);
        while (strtod(text, NULL) != value && digits++ < 17);
        portolan_text_add(&w->out, "%s", text);
    }
}

/* In the text form a value is one line: line breaks become spaces. */
static void add_text(struct writer *w, const char *value)
{
    if (w->is_json) {
        portolan_text_add_json(&w->out, value);
        return;
    }
    for (; *value; value++) {
        char c = *value == '\n' || *value == '\r' ? ' ' : *value;

        portolan_text_add_bytes(&w->out, &c, 1);
    }
}

/* ------------------------------------------------------------------ members */

/* EXPERIMENT is always the first member. */
static void begin_member(struct writer *w, const char *name)
{
    if (!w->is_json)
        portolan_text_add(&w->out, "%s:", name);
    else
        portolan_text_add(&w->out, "%s\n  \"%s\": ", strcmp(name, "EXPERIMENT") ? "," : "{", name);
}

static void end_member(struct writer *w)
{
    portolan_text_add(&w->out, w->is_json ? "" : "\n");
}

/* VALUE NULL: the member is missing. */
static void write_text(struct writer *w, const char *name, const char *value)
{
    if (!value)
        return;
    begin_member(w, name);
    portolan_text_add(&w->out, w->is_json ? "" : " ");
    add_text(w, value);
    end_member(w);
}

static void write_count(struct writer *w, const char *name, size_t count)
{
    begin_member(w, name);
    portolan_text_add(&w->out, w->is_json ? "%zu" : " %zu", count);
    end_member(w);
}

/* Writes what comes before item I of a list; SEPARATOR is for the text form. */
static void begin_item(struct writer *w, size_t i, const char *separator)
{
    if (w->is_json)
        portolan_text_add(&w->out, i ? ", " : "[");
    else
        portolan_text_add(&w->out, "%s ", i ? separator : "");
}

static void end_list(struct writer *w, size_t n)
{
    portolan_text_add(&w->out, !w->is_json ? "" : n ? "]" : "[]");
    end_member(w);
}

static void write_words(struct writer *w, const char *name, char *const *words, size_t n,
                        const char *separator)
{
    begin_member(w, name);
    for (size_t i = 0; i < n; i++) {
        begin_item(w, i, separator);
        add_text(w, words[i]);
    }
    end_list(w, n);
}

static void write_numbers(struct writer *w, const char *name, const unsigned *numbers, size_t n)
{
    begin_member(w, name);
    for (size_t i = 0; i < n; i++) {
        begin_item(w, i, "");
        portolan_text_add(&w->out, "%u", numbers[i]);
    }
    end_list(w, n);
}

/* ------------------------------------------------------------------ formulas */

/* Texts derived from a formula; all NULL if the formula cannot be read. */
struct derived {
    char *postfix;
    size_t n_components;
    char **components, **postfix_components;
};

/* Components are in the order of the constants; the formula may have its terms in another order. */
static enum portolan_status derive_components(const struct portolan_formula_sum *sum,
                                              struct derived *d)
{
    enum portolan_status status = PORTOLAN_OK;

    d->components = portolan_calloc(sum->n_terms + 1, sizeof *d->components);
    d->postfix_components = portolan_calloc(sum->n_terms + 1, sizeof *d->postfix_components);
    if (!d->components || !d->postfix_components)
        return PORTOLAN_ENOMEM;
    d->n_components = sum->n_terms;
    for (size_t i = 0; i < sum->n_terms && status == PORTOLAN_OK; i++) {
        const struct portolan_formula_term *term = &sum->terms[i];

        status = portolan_formula_write(term->expression, PORTOLAN_NOTATION_INFIX,
                                        &d->components[term->index], NULL);
        if (status == PORTOLAN_OK)
            status = portolan_formula_write(term->expression, PORTOLAN_NOTATION_POSTFIX,
                                            &d->postfix_components[term->index], NULL);
    }
    return status;
}

static void clear_derived(struct derived *d)
{
    report_free_words(d->components, d->n_components);
    report_free_words(d->postfix_components, d->n_components);
    free(d->postfix);
    *d = (struct derived){0};
}

/* False: out of memory. */
static bool derive(const struct portolan_cll_sample *s, struct derived *d)
{
    struct portolan_formula *formula = NULL;
    struct portolan_formula_sum sum = {0};
    enum portolan_status status;

    if (!s->formula)
        return true;
    status =
        portolan_formula_parse(s->formula, strlen(s->formula), s->name, 1, 1, NULL, &formula, NULL);
    if (status == PORTOLAN_OK)
        status = portolan_formula_write(formula, PORTOLAN_NOTATION_POSTFIX, &d->postfix, NULL);
    if (status == PORTOLAN_OK)
        status = portolan_formula_split(formula, s->name, 1, 1, NULL, &sum, NULL);
    if (status == PORTOLAN_OK)
        status = derive_components(&sum, d);
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(formula);
    if (status == PORTOLAN_ENOMEM)
        clear_derived(d);
    return status != PORTOLAN_ENOMEM; /* nothing is derived from a formula that cannot be read */
}

static void write_formula(struct writer *w, const struct portolan_cll_sample *s)
{
    struct derived d = {0};
    char name[40];

    if (!derive(s, &d))
        w->out.failed = true;
    write_text(w, "FORMULA", d.postfix);
    write_text(w, "INFORMULA", s->formula);
    write_count(w, "MAXTESTS", s->n_rows);
    write_count(w, "DIMENSION", s->n_constants);
    if (d.n_components > 0)
        write_words(w, "COMPONENTS", d.components, d.n_components, ";");
    if (d.n_components > 0 && w->is_json)
        write_words(w, "POSTFIX_COMPONENTS", d.postfix_components, d.n_components, "");
    for (size_t i = 0; i < d.n_components && !w->is_json; i++) {
        snprintf(name, sizeof name, "POSTFIX_COMPONENT_%zu", i);
        write_text(w, name, d.postfix_components[i]);
    }
    clear_derived(&d);
}

/* ------------------------------------------------------------------ experiments */

/* A row with a larger process number is not counted. */
#define MAX_PROCESSES (1 << 22)

/* Writes how many rows each process has. */
static void write_tests(struct writer *w, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s), n = 0;
    unsigned *tests;

    for (size_t i = 0; i < s->n_rows; i++) {
        double cpu = s->rows[i * columns];

        if (cpu >= 0 && cpu < MAX_PROCESSES && (size_t)cpu >= n)
            n = (size_t)cpu + 1;
    }
    tests = portolan_calloc(n + 1, sizeof *tests);
    if (!tests) {
        w->out.failed = true;
        return;
    }
    for (size_t i = 0; i < s->n_rows; i++) {
        double cpu = s->rows[i * columns];

        if (cpu >= 0 && cpu < MAX_PROCESSES)
            tests[(size_t)cpu]++;
    }
    write_numbers(w, "NUMTESTS", tests, n);
    free(tests);
}

static void write_table(struct writer *w, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s), n = s->n_identifiers;

    portolan_text_add(&w->out,
                      w->is_json ? ",\n  \"headers\": [\"CPU\", \"NCPUS\"" : "SAMPLE:\nCPU NCPUS");
    for (size_t i = 0; i < n + s->n_observables; i++) {
        portolan_text_add(&w->out, w->is_json ? ", " : " ");
        add_text(w, i < n ? s->identifiers[i] : s->observables[i - n]);
    }
    portolan_text_add(&w->out, w->is_json ? "],\n  \"sample\": [" : "\n");
    for (size_t i = 0; i < s->n_rows; i++) {
        if (w->is_json)
            portolan_text_add(&w->out, i ? ",\n    [" : "\n    [");
        for (size_t k = 0; k < columns; k++) {
            portolan_text_add(&w->out, !k ? "" : w->is_json ? ", " : " ");
            add_number(w, s->rows[i * columns + k]);
        }
        portolan_text_add(&w->out, w->is_json ? "]" : "\n");
        drain(w, false);
    }
    if (w->is_json)
        portolan_text_add(&w->out, s->n_rows ? "\n  ]}" : "]}");
}

static void write_experiment(struct writer *w, const struct portolan_cll_sample *s)
{
    write_text(w, "EXPERIMENT", s->name);
    write_text(w, "FILE", s->file);
    write_numbers(w, "BEGIN_LINE", s->begin_lines, s->n_begin);
    write_numbers(w, "END_LINE", s->end_lines, s->n_end);
    write_formula(w, s);
    write_count(w, "NUMIDENTS", s->n_identifiers);
    write_words(w, "IDENTS", s->identifiers, s->n_identifiers, "");
    write_words(w, "OBSERVABLES", s->observables, s->n_observables, "");
    write_tests(w, s);
    write_table(w, s);
}

/* ------------------------------------------------------------------ the whole */

static bool occurs(const struct portolan_cll_report *report, const char *name, size_t from,
                   size_t to)
{
    while (from < to && strcmp(report->headers[from].name, name) != 0)
        from++;
    return from < to;
}

/* In JSON a header that occurs several times is an array. */
static void write_json_headers(struct writer *w, const struct portolan_cll_report *report)
{
    size_t n = report->n_headers;

    for (size_t i = 0; i < n; i++) {
        const char *name = report->headers[i].name;
        bool several = occurs(report, name, i + 1, n);

        if (occurs(report, name, 0, i))
            continue;
        add_text(w, name);
        portolan_text_add(&w->out, several ? ": [" : ": ");
        add_text(w, report->headers[i].value);
        for (size_t k = i + 1; k < n; k++)
            if (!strcmp(report->headers[k].name, name)) {
                portolan_text_add(&w->out, ", ");
                add_text(w, report->headers[k].value);
            }
        portolan_text_add(&w->out, several ? "],\n" : ",\n");
    }
}

static void write_all(struct writer *w, const struct portolan_cll_report *report)
{
    bool one = report->n_experiments == 1;

    if (w->is_json) {
        portolan_text_add(&w->out, "{\n");
        write_json_headers(w, report);
        portolan_text_add(&w->out, one ? "\"cll_experiment\": " : "\"cll_experiment\": [");
    }
    for (size_t i = 0; i < report->n_headers && !w->is_json; i++)
        write_text(w, report->headers[i].name, report->headers[i].value);
    for (size_t i = 0; i < report->n_experiments; i++) {
        portolan_text_add(&w->out, !w->is_json ? "\n" : i ? ", " : "");
        write_experiment(w, &report->experiments[i]);
    }
    if (w->is_json)
        portolan_text_add(&w->out, one ? "\n}\n" : "]\n}\n");
}

/* Numbers have a decimal point whatever locale the program uses. */
static enum portolan_status emit_report(struct writer *w, const struct portolan_cll_report *report,
                                        struct portolan_error *err)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;

    if (!plain)
        return portolan_no_memory(err);
    before = uselocale(plain);
    write_all(w, report);
    uselocale(before);
    freelocale(plain);
    drain(w, true);
    return w->out.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status portolan_cll_report_write(const struct portolan_cll_report *report,
                                               enum portolan_cll_form form, char **text,
                                               struct portolan_error *err)
{
    struct writer w = {.fd = -1, .is_json = form == PORTOLAN_CLL_JSON};
    enum portolan_status status = emit_report(&w, report, err);

    *text = NULL;
    if (status == PORTOLAN_OK)
        status = portolan_text_take(&w.out, text, err);
    portolan_text_clear(&w.out);
    return status;
}

/* ------------------------------------------------------------------ files */

static enum portolan_status cannot_write(const char *path, int error, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path, strerror(error));
}

/* Writes the report to FD and closes it. */
static enum portolan_status pour(const struct portolan_cll_report *report,
                                 enum portolan_cll_form form, int fd, const char *path,
                                 struct portolan_error *err)
{
    struct writer w = {.fd = fd, .is_json = form == PORTOLAN_CLL_JSON};
    enum portolan_status status = emit_report(&w, report, err);

    portolan_text_clear(&w.out);
    if (close(fd) != 0 && !w.error)
        w.error = errno;
    if (status == PORTOLAN_OK && w.error)
        status = cannot_write(path, w.error, err);
    return status;
}

/* PATH with NUMBER inserted before its ending. */
static char *numbered(const char *path, unsigned number)
{
    const char *name = portolan_file_name(path), *dot = strrchr(name, '.');
    int stem;

    if (!number)
        return portolan_strdup(path);
    if (!dot || dot == name)
        return portolan_asprintf("%s.%u", path, number);
    stem = (int)(dot - path);
    return portolan_asprintf("%.*s.%u%s", stem, path, number, dot);
}

/* Renames the finished file TEMPORARY to NAME unless that exists; 0, or errno. */
static int give_name(const char *temporary, const char *name)
{
    int fd;

    if (link(temporary, name) == 0)
        return 0;
    if (errno == EEXIST)
        return EEXIST;
    /* a file system without hard links: reserve the name, then replace that file at once */
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    close(fd);
    if (rename(temporary, name) == 0)
        return 0;
    fd = errno;
    unlink(name);
    return fd;
}

/* Takes the first free name. TEMPORARY is then gone; on an error it stays. */
static enum portolan_status settle(const char *temporary, const char *path, bool overwrite,
                                   struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    int error = EEXIST;

    for (unsigned number = 0; error == EEXIST; number++) {
        char *name = numbered(path, number);

        if (!name)
            return portolan_no_memory(err);
        if (overwrite)
            error = rename(temporary, name) == 0 ? 0 : errno == EEXIST ? EIO : errno;
        else
            error = give_name(temporary, name);
        if (error && error != EEXIST)
            status = cannot_write(name, error, err);
        free(name);
    }
    return status;
}

static enum portolan_status save_new(const struct portolan_cll_report *report,
                                     enum portolan_cll_form form, const char *path, bool overwrite,
                                     struct portolan_error *err)
{
    static unsigned serial;
    char *temporary = portolan_asprintf("%s.%ld.%u.new", path, (long)getpid(),
                                        __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
    enum portolan_status status;
    int fd;

    if (!temporary)
        return portolan_no_memory(err);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        status = cannot_write(path, errno, err);
    } else {
        status = pour(report, form, fd, path, err);
        if (status == PORTOLAN_OK)
            status = settle(temporary, path, overwrite, err);
        unlink(temporary);
    }
    free(temporary);
    return status;
}

enum portolan_status portolan_cll_report_save(const struct portolan_cll_report *report,
                                              enum portolan_cll_form form, const char *path,
                                              bool overwrite, struct portolan_error *err)
{
    struct stat is;
    int fd;

    if (stat(path, &is) != 0 || S_ISREG(is.st_mode))
        return save_new(report, form, path, overwrite, err);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY); /* fails for a folder */
    return fd < 0 ? cannot_write(path, errno, err) : pour(report, form, fd, path, err);
}
