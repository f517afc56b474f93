/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the law of a burst, by the call that ends it, and computes the law's value. */
#include "law.h"

#include <math.h>
#include <string.h>

static struct clue_laws *all(void)
{
    return clue_carrier.run->compute == CLUE_COMPUTE_MODEL ? clue_carrier.run->laws : NULL;
}

static double input_of(const struct law_input *in, const struct rank *rank,
                       const uint64_t *arguments)
{
    uint64_t word = in->kind <= LAW_AT ? arguments[in->argument] : 0;

    switch (in->kind) {
    case LAW_INT:
        return (int32_t)word;
    case LAW_LONG:
        return (double)(int64_t)word;
    case LAW_AT:
        return *(const int32_t *)(uintptr_t)word;
    case LAW_RANK:
        return rank->task;
    case LAW_RANKS:
        return clue_n_tasks();
    default:
        return in->number;
    }
}

int64_t clue_law_time(struct burst_law *law, const struct rank *rank, const uint64_t *arguments)
{
    struct portolan_prediction prediction = {.value = NAN};
    double x[PORTOLAN_FORMULA_MAX_NAMES], ns;

    for (size_t i = 0; i < law->n_inputs; i++)
        x[i] = input_of(&law->inputs[i], rank, arguments);
    if (law->formula)
        prediction.value = portolan_formula_value(law->formula, x);
    else
        portolan_model_predict(law->model, x, &prediction);
    ns = prediction.value * law->unit_ns;
    if (!(ns >= 0 && ns < 9e18))
        clue_fail("the law of '%s' gives no time here: %g ns", law->name, ns);
    law->n++;
    return llround(ns);
}

/* Rates how closely the law's NAME describes WHERE, which is "file.c:12 (function)", "function()"
 * or NULL, as from clue_where(). 0: it does not match; the greater, the more specific. */
static int match(const char *name, const char *where)
{
    size_t length = strlen(name);
    const char *function = where ? strstr(where, " (") : NULL;

    if (strcmp(name, "*") == 0)
        return 1;
    if (!where)
        return 0;
    if (function && (size_t)(function - where) == length && strncmp(where, name, length) == 0)
        return 3;
    function = function ? function + 2 : where;
    return strncmp(function, name, length) == 0 && strchr("()", function[length]) &&
                   function[length]
               ? 2
               : 0;
}

struct burst_law *clue_law_at(const struct rank *rank, const void *site)
{
    struct clue_laws *laws = all();
    struct burst_law *best = NULL;
    char *where = clue_where(rank, site);
    int most = 0;

    for (size_t i = 0; i < laws->n; i++) {
        int now = laws->laws[i].is_front ? 0 : match(laws->laws[i].name, where);

        if (now > most) {
            most = now;
            best = &laws->laws[i];
        }
    }
    free(where);
    return best;
}

/* ------------------------------------------------- functions */

struct burst_law *clue_law_of_function(const char *name)
{
    struct clue_laws *laws = all();

    for (size_t i = 0; laws && i < laws->n; i++)
        if (strcmp(laws->laws[i].name, name) == 0)
            return &laws->laws[i];
    return NULL;
}

enum portolan_status clue_laws_check(struct portolan_error *err)
{
    struct clue_laws *laws = all();

    for (size_t i = 0; laws && i < laws->n; i++) {
        const struct burst_law *law = &laws->laws[i];

        if (law->argument && !law->is_front)
            return portolan_error_set(
                err, PORTOLAN_EINVAL,
                "the law of '%s' needs '%s', an argument of its calls, but the program calls no "
                "library function of that name; for the program's own functions, laws give the "
                "bursts that end at calls in them",
                law->name, law->argument);
    }
    return PORTOLAN_OK;
}

void clue_laws_end(struct clue_bursts *sums, bool has_failed)
{
    struct clue_laws *laws = all();

    for (size_t i = 0; laws && i < laws->n; i++) {
        const struct burst_law *law = &laws->laws[i];
        char text[400];

        *(law->is_front ? &sums->n_fronts : &sums->n_laws) += law->n;
        snprintf(text, sizeof text,
                 "the law of '%s' was never used: no burst ended at a call there, and no library "
                 "function of this name was called",
                 law->name);
        if (!law->n && !has_failed)
            clue_remark(true, text, NULL, NULL);
    }
    sums->is_void = laws && laws->skips && sums->n_fronts;
}
