/* SPDX-License-Identifier: BSD-3-Clause */
/* The pragma language: what one pragma says. */
#include "pragma.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

static size_t word_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
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
    if (length == 8 && strncmp(text, "parallel", 8) == 0) { /* other compilers have one, too */
        char driver[16] = "";

        if (word_length(second) < sizeof driver)
            memcpy(driver, second, word_length(second));
        return driver_find(driver) != NULL;
    }
    return false;
}

/* The end of a pragma that has said all it can. */
static void expect_end(struct reader *r, const char *what)
{
    if (reader_ends(r))
        return;
    problem_at(r->t, reader_at(r), "nothing is expected behind %s", what);
    r->d->is_bad = true;
}

/* ------------------------------------------------------------------ experiments */

static bool is_observable(char c)
{
    return isalnum((unsigned char)c) || strchr("_:.-", c);
}

/* The '=' behind observables at TEXT, or NULL: there are none. */
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

    if (w.text)
        observable_check(r, w);
    for (size_t i = 0; w.text && i < d->n_observables; i++)
        if (strcmp(d->observables[i], w.text) == 0) {
            problem_at(r->t, w.at, "observable '%s' is there twice", w.text);
            reader_fail(r);
            return;
        }
    d->observables =
        portolan_arena_grow(&r->t->arena, d->observables, d->n_observables, sizeof *d->observables);
    if (d->observables && w.text)
        d->observables[d->n_observables++] = w.text;
    else
        d->n_observables = 0; /* memory is out */
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
            problem_at(r->t, reader_at(r),
                       "before '=' stand the names of observables, as in 'PAPI_L1_DCM, CLOCK = "
                       "...'; a comparison is written ==");
            reader_fail(r);
            r->next = equals + 1;
            return;
        }
        add_observable(r, reader_take(r, length));
        reader_blanks(r);
        if (*r->next == ',') {
            r->next++;
            reader_blanks(r);
            if (r->next == equals) {
                problem_at(r->t, reader_at(r), "another observable is missing behind the comma");
                reader_fail(r);
            }
        } else if (r->next != equals) {
            problem_at(r->t, reader_at(r), "observables are separated by commas");
            reader_fail(r);
            r->next = equals;
        }
    }
    if (equals && !r->d->n_observables) {
        problem_at(r->t, reader_at(r),
                   "before '=' stand the names of observables, or no '=' at "
                   "all");
        reader_fail(r);
    }
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
            problem_at(r->t, reader_at(r), "this parenthesis is never closed");
            reader_fail(r);
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
    problem_at(r->t, name.text ? name.at : sync.at,
               "sync is followed by an experiment, as in 'sync NAME FORMULA'");
}

/* ------------------------------------------------------------------ the others */

static void read_end(struct reader *r, struct words end)
{
    struct words name = reader_word(r);

    if (!name.text) {
        problem_at(r->t, end.at, "end of what? 'end NAME' ends an experiment, 'end for' a sweep");
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
        problem_at(r->t, word.at, "'for' stands in the line of 'cll'");
        reader_fail(r);
        return;
    }
    reader_blanks(r);
    length = *r->next == '(' ? text_parenthesis(r->next) : 0;
    if (!length) {
        problem_at(r->t, word.at, "a sweep is written 'for (init; condition; step)'");
        reader_fail(r);
        return;
    }
    d->header = reader_take(r, length);
    for (size_t i = 0; d->header.text && d->header.text[i]; i += text_item(d->header.text + i))
        semicolons += d->header.text[i] == ';';
    if (semicolons != 2) {
        problem_at(r->t, d->header.at, "a sweep has two semicolons: (init; condition; step)");
        reader_fail(r);
    }
    expect_end(r, "the sweep's ')'; its body ends with 'end for'");
}

static void read_report(struct reader *r, struct words word)
{
    r->d->kind = DIRECTIVE_REPORT;
    r->d->name = reader_word(r);
    if (!r->d->name.text) {
        problem_at(r->t, word.at, "report what? 'report all', or an experiment's name");
        reader_fail(r);
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
        problem_at(r->t, word.at,
                   "a script is written 'script NAME skel PLATFORM \"sed expression\"', NAME being "
                   "that of a file to be made here");
        reader_fail(r);
        return;
    }
    if (!script_is_platform(d->header.text)) {
        problem_at(r->t, d->header.at,
                   "there is no platform '%s': shell runs one size after the other, slurm submits "
                   "a job for each",
                   d->header.text);
        reader_fail(r);
    }
    if (!reader_ends(r)) {
        d->sed = reader_string(r);
        if (!d->sed.text) {
            problem_at(r->t, reader_at(r), "behind the platform stands a sed expression in \"\"");
            reader_fail(r);
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
        problem_at(r->t, word.at, "uses which driver of observables? PAPI, CLOCK or USER");
        reader_fail(r);
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
        problem_at(t, word.at, "unknown pragma '%s', did you mean 'cll'?", word.text);
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
