/* SPDX-License-Identifier: BSD-3-Clause */
/* The pragma language: reads one pragma. */
#include "internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ words */

size_t reader_at(const struct reader *r)
{
    return r->d->body + (size_t)(r->next - r->d->text);
}

void reader_blanks(struct reader *r)
{
    for (;;) {
        if (isspace((unsigned char)*r->next))
            r->next++;
        else if (r->next[0] == '\\' && (r->next[1] == '\n' || r->next[1] == '\r'))
            r->next += 2;
        else
            return;
    }
}

bool reader_ends(struct reader *r)
{
    reader_blanks(r);
    return *r->next == '\0';
}

/* Can an identifier begin with C? */
static bool text_begins_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static size_t word_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

static struct words reader_take(struct reader *r, size_t length)
{
    struct words w = {reader_at(r), portolan_arena_strndup(&r->t->arena, r->next, length)};

    r->next += length;
    return w;
}

struct words reader_word(struct reader *r)
{
    size_t length;

    reader_blanks(r);
    length = text_begins_word(*r->next) ? word_length(r->next) : 0;
    return length ? reader_take(r, length) : (struct words){reader_at(r), NULL};
}

struct words reader_rest(struct reader *r)
{
    size_t length;

    reader_blanks(r);
    length = strlen(r->next);
    while (length && isspace((unsigned char)r->next[length - 1]))
        length--;
    return length ? reader_take(r, length) : (struct words){reader_at(r), NULL};
}

/* The length of the byte, or of the quoted text, at TEXT. */
static size_t text_item(const char *text)
{
    size_t i = 1;

    if (*text != '"' && *text != '\'')
        return 1;
    while (text[i] && text[i] != *text)
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return text[i] ? i + 1 : i;
}

/* The length of the parenthesis that opens at TEXT, including both ends; 0: it is never closed. */
static size_t text_parenthesis(const char *text)
{
    size_t depth = 0;

    for (size_t i = 0; text[i]; i += text_item(text + i)) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0)
            return i + 1;
    }
    return 0;
}

bool text_is_balanced(const char *text)
{
    char open[64];
    size_t depth = 0;

    for (size_t i = 0; text[i]; i += text_item(text + i)) {
        if (strchr("([{", text[i])) {
            if (depth == sizeof open)
                return false;
            open[depth++] = text[i] == '(' ? ')' : text[i] == '[' ? ']' : '}';
        } else if (strchr(")]};", text[i]) && (!depth || open[--depth] != text[i])) {
            return false;
        }
    }
    return depth == 0;
}

void reader_fail(struct reader *r, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    problem_print(r->t, r->t->source.file, source_place(&r->t->source, at), format, args);
    va_end(args);
    r->d->is_bad = true;
}

struct words reader_string(struct reader *r)
{
    struct words w = {reader_at(r), NULL};
    size_t length = *r->next == '"' ? text_item(r->next) : 0;

    if (length < 2 || r->next[length - 1] != '"')
        return w;
    r->next++;
    w = reader_take(r, length - 2);
    r->next++;
    return w;
}

/* ------------------------------------------------------------------ keywords */

static const char *const keywords[] = {"parallel", "uses",   "end", "for",
                                       "report",   "script", "sync"};
enum { N_KEYWORDS = sizeof keywords / sizeof *keywords };

/* ------------------------------------------------------------------ which pragmas are ours */

static bool is_keyword(const char *word, size_t length)
{
    for (size_t i = 0; i < N_KEYWORDS; i++)
        if (strlen(keywords[i]) == length && strncmp(word, keywords[i], length) == 0)
            return true;
    return false;
}

static const char *behind_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n\\");
}

bool pragma_is_ours(const char *text)
{
    static const char *const slips[] = {"ccl", "cl", "clll", "call", "cl1", "c11"};
    size_t length;
    const char *second;

    text = behind_blanks(text);
    length = word_length(text);
    second = behind_blanks(text + length);
    if (length == 3 && strncasecmp(text, "cll", 3) == 0)
        return true;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        if (strlen(slips[i]) == length && strncmp(text, slips[i], length) == 0)
            return is_keyword(second, word_length(second));
    if (length == 8 && strncmp(text, "parallel", 8) == 0) { /* other compilers have it, too */
        char driver[16] = "";

        if (word_length(second) < sizeof driver)
            memcpy(driver, second, word_length(second));
        return driver_find(driver) != NULL;
    }
    return false;
}

/* Reports text after the end of a complete pragma. */
static void expect_end(struct reader *r, const char *what)
{
    if (!reader_ends(r))
        reader_fail(r, reader_at(r), "nothing is expected behind %s", what);
}

/* ------------------------------------------------------------------ experiments */

static bool is_observable(char c)
{
    return isalnum((unsigned char)c) || strchr("_:.-", c);
}

/* The '=' after the observables at TEXT, or NULL if there are none. */
static const char *find_equals(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c != '=')
            continue;
        if (c[1] == '=')
            c++;
        else if (c == text || !strchr("<>!", c[-1]))
            return c;
    }
    return NULL;
}

static void add_observable(struct reader *r, struct words w)
{
    struct directive *d = r->d;

    if (!w.text)
        return;
    observable_check(r, w);
    for (size_t i = 0; i < d->n_observables; i++)
        if (strcmp(d->observables[i], w.text) == 0) {
            reader_fail(r, w.at, "observable '%s' is there twice", w.text);
            return;
        }
    portolan_arena_append(&r->t->arena, &d->observables, &d->n_observables, &w.text, sizeof w.text);
}

static void read_observables(struct reader *r)
{
    const char *equals = find_equals(r->next);

    while (equals && r->next < equals) {
        size_t length = 0;

        reader_blanks(r);
        while (is_observable(r->next[length]) && r->next[length])
            length++;
        if (!length) {
            reader_fail(r, reader_at(r),
                        "before '=' stand the names of observables, as in 'PAPI_L1_DCM, CLOCK = "
                        "...'; a comparison is written ==");
            r->next = equals + 1;
            return;
        }
        add_observable(r, reader_take(r, length));
        reader_blanks(r);
        if (*r->next == ',') {
            r->next++;
            reader_blanks(r);
            if (r->next == equals)
                reader_fail(r, reader_at(r), "another observable is missing behind the comma");
        } else if (r->next != equals) {
            reader_fail(r, reader_at(r), "observables are separated by commas");
            r->next = equals;
        }
    }
    if (equals && !r->d->n_observables)
        reader_fail(r, reader_at(r), "before '=' stand the names of observables, or no '=' at all");
    if (equals)
        r->next = equals + 1;
}

static void read_experiment(struct reader *r, struct words name)
{
    r->d->kind = DIRECTIVE_BEGIN;
    r->d->name = name;
    read_observables(r);
    r->d->formula = reader_rest(r);
}

static void read_sync(struct reader *r, struct words sync)
{
    struct words name;

    r->d->is_synchronised = true;
    reader_blanks(r);
    if (*r->next == '(') {
        size_t length = text_parenthesis(r->next);

        if (!length) {
            reader_fail(r, reader_at(r), "this parenthesis is never closed");
            return;
        }
        r->next++;
        r->d->argument = reader_take(r, length - 2);
        r->next++;
    }
    name = reader_word(r);
    if (name.text && !is_keyword(name.text, strlen(name.text))) {
        read_experiment(r, name);
        return;
    }
    reader_fail(r, name.text ? name.at : sync.at,
                "sync is followed by an experiment, as in 'sync NAME FORMULA'");
}

/* ------------------------------------------------------------------ the others */

static void read_end(struct reader *r, struct words end)
{
    struct words name = reader_word(r);

    if (!name.text) {
        reader_fail(r, end.at, "end of what? 'end NAME' ends an experiment, 'end for' a sweep");
        return;
    }
    r->d->kind = strcmp(name.text, "for") == 0 ? DIRECTIVE_END_FOR : DIRECTIVE_END;
    r->d->name = name;
    expect_end(r, "the name of what ends");
}

static void read_for(struct reader *r, struct words word)
{
    struct directive *d = r->d;
    size_t length, semicolons = 0;

    d->kind = DIRECTIVE_FOR;
    d->name = word;
    if (d->text[word.at - d->body - 1] == '\n') {
        reader_fail(r, word.at, "'for' stands in the line of 'cll'");
        return;
    }
    reader_blanks(r);
    length = *r->next == '(' ? text_parenthesis(r->next) : 0;
    if (!length) {
        reader_fail(r, word.at, "a sweep is written 'for (init; condition; step)'");
        return;
    }
    d->header = reader_take(r, length);
    for (size_t i = 0; d->header.text && d->header.text[i]; i += text_item(d->header.text + i))
        semicolons += d->header.text[i] == ';';
    if (semicolons != 2)
        reader_fail(r, d->header.at, "a sweep has two semicolons: (init; condition; step)");
    expect_end(r, "the sweep's ')'; its body ends with 'end for'");
}

static void read_report(struct reader *r, struct words word)
{
    r->d->kind = DIRECTIVE_REPORT;
    r->d->name = reader_word(r);
    if (!r->d->name.text) {
        reader_fail(r, word.at, "report what? 'report all', or an experiment's name");
        return;
    }
    expect_end(r, "what is reported");
    if (strcmp(r->d->name.text, "all") == 0)
        r->d->name.text = NULL;
}

static void read_script(struct reader *r, struct words word)
{
    struct directive *d = r->d;
    struct words skel;
    size_t length;

    d->kind = DIRECTIVE_SCRIPT;
    reader_blanks(r);
    length = text_begins_word(*r->next)
                 ? strspn(r->next, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR"
                                   "STUVWXYZ0123456789_.-")
                 : 0;
    d->name = reader_take(r, length);
    skel = reader_word(r);
    d->header = reader_word(r);
    if (!length || !skel.text || strcmp(skel.text, "skel") != 0 || !d->header.text) {
        reader_fail(
            r, word.at,
            "a script is written 'script NAME skel PLATFORM \"sed expression\"', NAME being "
            "that of a file to be made here");
        return;
    }
    if (!script_is_platform(d->header.text))
        reader_fail(r, d->header.at,
                    "there is no platform '%s': shell runs one size after the other, slurm submits "
                    "a job for each",
                    d->header.text);
    if (!reader_ends(r)) {
        d->sed = reader_string(r);
        if (!d->sed.text) {
            reader_fail(r, reader_at(r), "behind the platform stands a sed expression in \"\"");
            return;
        }
    }
    expect_end(r, "the sed expression");
}

static void read_uses(struct reader *r, struct words word)
{
    r->d->kind = DIRECTIVE_USES;
    r->d->name = reader_word(r);
    if (!r->d->name.text) {
        reader_fail(r, word.at, "uses which driver of observables? PAPI, CLOCK or USER");
        return;
    }
    expect_end(r, "the driver");
}

/* ------------------------------------------------------------------ the whole */

static void read_word(struct reader *r, struct words word)
{
    static void (*const readers[N_KEYWORDS])(struct reader *, struct words) = {
        driver_read_parallel, read_uses, read_end, read_for, read_report, read_script, read_sync};

    for (size_t i = 0; i < N_KEYWORDS; i++)
        if (strcmp(word.text, keywords[i]) == 0) {
            readers[i](r, word);
            return;
        }
    read_experiment(r, word);
}

const char *pragma_nearest(const char *word)
{
    return portolan_nearest_word(word, keywords, N_KEYWORDS);
}

void pragma_read(struct translation *t, struct directive *d)
{
    struct reader r = {t, d, d->text};
    struct words word = reader_word(&r), cll = word;

    d->kind = DIRECTIVE_BAD;
    if (!word.text)
        return;
    if (strcmp(word.text, "parallel") == 0) {
        d->is_old = true;
    } else if (strcmp(word.text, "cll") != 0) {
        problem_at(t, word.at, "unknown pragma '%s'%s", word.text,
                   portolan_did_you_mean("cll").text);
        return;
    } else {
        word = reader_word(&r);
    }
    if (word.text)
        read_word(&r, word);
    else if (reader_ends(&r))
        problem_at(t, cll.at,
                   "cll what? an experiment's name, or one of: parallel, uses, end, "
                   "for, report, script, sync");
    else
        problem_at(t, reader_at(&r), "a name is expected here");
}
