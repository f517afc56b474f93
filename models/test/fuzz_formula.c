/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the formula parser. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <portolan/formula.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* What is accepted has a value, and in its own words it is the same. */
static void check_infix(const struct portolan_formula *f)
{
    double x[PORTOLAN_FORMULA_MAX_NAMES];
    struct portolan_formula *again;
    char *text, *second;

    for (size_t i = 0; i < PORTOLAN_FORMULA_MAX_NAMES; i++)
        x[i] = 1.5 + (double)i;
    must(!portolan_formula_write(f, PORTOLAN_NOTATION_INFIX, &text, NULL));
    /* Parentheses that a sum needs may make a text too deep that was not so before. */
    if (!portolan_formula_parse(text, strlen(text), "again", 1, 1, NULL, &again, NULL)) {
        must(portolan_formula_n_names(f) == portolan_formula_n_names(again));
        must(same(portolan_formula_value(f, x), portolan_formula_value(again, x)));
        must(!portolan_formula_write(again, PORTOLAN_NOTATION_INFIX, &second, NULL));
        must(strcmp(text, second) == 0);
        free(second);
        portolan_formula_destroy(again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_formula *f;
    struct portolan_formula_sum sum;

    if (portolan_formula_parse((const char *)data, size, "fuzz", 1, 1, NULL, &f, NULL))
        return 0;
    check_infix(f);
    for (int n = PORTOLAN_NOTATION_C; n <= PORTOLAN_NOTATION_MATHML; n++) {
        char *text;

        must(!portolan_formula_write(f, (enum portolan_notation)n, &text, NULL));
        free(text);
    }
    if (!portolan_formula_split(f, "fuzz", 1, 1, NULL, &sum, NULL)) {
        must(sum.n_terms > 0 && portolan_formula_has_constants(f));
        portolan_formula_sum_clear(&sum);
    }
    portolan_formula_destroy(f);
    return 0;
}
