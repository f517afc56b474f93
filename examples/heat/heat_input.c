/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_input.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_INT, KIND_DOUBLE, KIND_SOLUTION };

/* Numbers must lie in low … high; a required key has no default. */
struct key {
    const char *name;
    enum kind kind;
    size_t offset;
    bool required;
    double low, high;
    const char *right; /* what would be right */
};

#define AT(member) offsetof(struct heat_input, member)
static const struct key keys[] = {
    {"dimension", KIND_INT, AT(dimension), true, 2, 3, "2 (plate) or 3 (block)"},
    {"grid", KIND_INT, AT(grid), true, 1, 100000, "a whole number of interior points, 1 to 100000"},
    {"steps", KIND_INT, AT(steps), true, 1, 1e9, "a whole number of time steps, 1 or more"},
    {"dt", KIND_DOUBLE, AT(time_step), true, 1e-300, 1e300, "a time step greater than 0"},
    {"k0", KIND_DOUBLE, AT(k0), false, 1e-300, 1e300, "a conductivity greater than 0"},
    {"k1", KIND_DOUBLE, AT(k1), false, -1e300, 1e300, "a number"},
    {"k2", KIND_DOUBLE, AT(k2), false, -1e300, 1e300, "a number"},
    {"tolerance", KIND_DOUBLE, AT(tolerance), false, 1e-15, 0.999999, "a number between 0 and 1"},
    {"overlap", KIND_INT, AT(overlap), false, 1, 1000, "a whole number of layers, 1 or more"},
    {"solution", KIND_SOLUTION, AT(solution), false, 0, 0, "manufactured, pulse or torch"},
};
#undef AT
enum { KEYS = sizeof keys / sizeof *keys };

static const char *const solution_names[] = {
    [HEAT_MANUFACTURED] = "manufactured", [HEAT_PULSE] = "pulse", [HEAT_TORCH] = "torch"};

struct reader {
    const char *file;
    int line;
    int seen[KEYS]; /* the line on which each key was given; 0 = not yet */
    struct heat_input *input;
    struct portolan_diagnostics *d;
    struct portolan_error *err;
    int problems;
};

static void PORTOLAN_PRINTF(2, 3) problem(struct reader *r, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->problems++;
    if (r->d)
        portolan_diagnose(r->d, r->file, r->line, 0, "%s", text);
    portolan_error_set(r->err, PORTOLAN_ESYNTAX, "%s:%d: %s", r->file, r->line, text);
}

static char *trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

static bool read_value(const struct key *key, const char *text, struct heat_input *input)
{
    char *at = (char *)input + key->offset;
    int64_t whole;
    double real;

    if (key->kind == KIND_SOLUTION) {
        for (size_t i = 0; i < sizeof solution_names / sizeof *solution_names; i++)
            if (!strcmp(text, solution_names[i])) {
                *(enum heat_solution *)(void *)at = (enum heat_solution)i;
                return true;
            }
        return false;
    }
    if (key->kind == KIND_INT) {
        if (!portolan_read_int64(text, &whole) || (double)whole < key->low ||
            (double)whole > key->high)
            return false;
        *(int *)(void *)at = (int)whole;
        return true;
    }
    if (!portolan_read_double(text, &real) || !isfinite(real) || real < key->low ||
        real > key->high)
        return false;
    *(double *)(void *)at = real;
    return true;
}

static void unknown_key(struct reader *r, const char *name)
{
    const char *known[KEYS], *near;

    for (int i = 0; i < KEYS; i++)
        known[i] = keys[i].name;
    near = portolan_nearest_word(name, known, KEYS);
    if (near)
        problem(r, "unknown key \"%s\", did you mean \"%s\"?", name, near);
    else
        problem(r,
                "unknown key \"%s\", known are dimension, grid, steps, dt, k0, k1, k2, tolerance, "
                "overlap and solution",
                name);
}

static void read_line(struct reader *r, char *line)
{
    char *comment = strchr(line, '#'), *equals, *name, *value;
    int k;

    if (comment)
        *comment = '\0';
    name = trim(line);
    if (!*name)
        return;
    equals = strchr(name, '=');
    if (!equals) {
        problem(r, "\"%s\" has no \"=\", a line is \"key = value\"", name);
        return;
    }
    *equals = '\0';
    name = trim(name);
    value = trim(equals + 1);
    for (k = 0; k < KEYS && strcmp(name, keys[k].name); k++)
        ;
    if (k == KEYS) {
        unknown_key(r, name);
    } else if (r->seen[k]) {
        problem(r, "\"%s\" was given on line %d already, leave one of the two out", name,
                r->seen[k]);
    } else {
        r->seen[k] = r->line;
        if (!read_value(&keys[k], value, r->input))
            problem(r, "%s = \"%s\", wanted %s", name, value, keys[k].right);
    }
}

static void check_whole(struct reader *r)
{
    const struct heat_input *in = r->input;

    if (r->line == 0)
        r->line = 1; /* of an empty file */
    for (int k = 0; k < KEYS; k++)
        if (keys[k].required && !r->seen[k])
            problem(r, "\"%s\" is missing, add a line \"%s = …\" with %s", keys[k].name,
                    keys[k].name, keys[k].right);
    if (r->problems)
        return;
    if (in->dimension == 3 && in->grid > 600) {
        r->line = r->seen[1];
        problem(r, "grid = \"%d\" in a block, wanted at most 600", in->grid);
    }
}

enum portolan_status heat_input_read(const char *file, struct heat_input *input,
                                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct reader r = {.file = file, .input = input, .d = d, .err = err};
    FILE *stream = fopen(file, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool failed;

    if (!stream)
        return portolan_error_set(err, PORTOLAN_EIO, "can't open the input file %s: %s", file,
                                  strerror(errno));
    *input = (struct heat_input){.k0 = 1.0, .tolerance = 1e-8, .overlap = 2};
    while (getline(&line, &capacity, stream) >= 0) {
        r.line++;
        read_line(&r, line);
    }
    failed = ferror(stream);
    free(line);
    fclose(stream);
    if (failed)
        return portolan_error_set(err, PORTOLAN_EIO, "can't read the input file %s", file);
    check_whole(&r);
    return r.problems ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}
