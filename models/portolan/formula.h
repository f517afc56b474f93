/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * formula: C expressions over named numbers, for pragmas, the analyzer, models and their XML.
 *
 * The language is C's expression syntax in double arithmetic: decimal numbers; names, also with
 * members (`a.n` and `p->n` are one name each) and, for names that are no C identifiers, between
 * backquotes (`` `bytes/row` ``); constants to be fitted, NAME[k]; and, from loose to tight,
 *
 *     a ? b : c     ||     &&     == !=     < <= > >=     + -     * /     - ! +     ^
 *
 * where ^ is the power (right to left, 2^-1 is legal, -x^2 is -(x^2)), N/P is not an integer
 * division, and truth is 1 or 0. Functions: log (natural, as in C), log2, log10, log(x, base), exp,
 * sqrt, cbrt, pow, fabs or abs, floor, ceil, min and max (two arguments or more). INFINITY and NAN
 * are numbers. Blanks, line ends and a backslash before a line end only separate.
 *
 * Formulas are immutable, so many threads may read one. Nothing here prints or exits. The pragma
 * language and its canonical form: CALL, see docs/portolan-model.5.
 */
#ifndef PORTOLAN_FORMULA_H
#define PORTOLAN_FORMULA_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PORTOLAN_FORMULA_MAX_BYTES = 1 << 16, /**< longer texts are refused, and so are … */
    PORTOLAN_FORMULA_MAX_NODES = 1 << 12, /**< … more numbers, names and operations, */
    PORTOLAN_FORMULA_MAX_NAMES = 64,      /**< more different names, or constants, */
    PORTOLAN_FORMULA_MAX_INDEX = 4095,    /**< larger k of NAME[k], */
    PORTOLAN_FORMULA_MAX_DEPTH = 100      /**< and deeper nesting */
};

struct portolan_formula;

/**
 * The formula in SIZE bytes of TEXT. FILE, LINE and COLUMN (from 1) say where the text starts:
 * messages contain them, moved to the word that is wrong. A problem is reported to DIAGNOSTICS (may
 * be NULL) with the remedy, and ERR gets "file:line:column: what". *FORMULA is the caller's to
 * destroy. PORTOLAN_ESYNTAX, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_formula_parse(const char *text, size_t size,
                                                         const char *file, int line, int column,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_formula **formula,
                                                         struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_formula_destroy(struct portolan_formula *formula);

/** The names (not those of constants), in order of first use, or as bound. Borrowed. */
PORTOLAN_API size_t portolan_formula_n_names(const struct portolan_formula *formula);
PORTOLAN_API const char *portolan_formula_peek_name(const struct portolan_formula *formula,
                                                    size_t i);

/** Whether it has constants NAME[k]. */
PORTOLAN_API bool portolan_formula_has_constants(const struct portolan_formula *formula);

/**
 * The value if the names have the values X, in the order of the names. NaN or infinite if there is
 * none; constants NAME[k] are NaN. Allocates nothing; takes some ns plus the time of log and pow.
 */
PORTOLAN_API double portolan_formula_value(const struct portolan_formula *formula, const double *x);

/**
 * *BOUND: a copy that takes X in the order of the N NAMES (all different, copied); the
 * caller destroys it. PORTOLAN_ENOTFOUND when the formula uses another name;
 * PORTOLAN_EINVAL for a missing or double name, or more than PORTOLAN_FORMULA_MAX_NAMES.
 * PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_formula_bind(const struct portolan_formula *formula,
                                                        size_t n, const char *const *names,
                                                        struct portolan_formula **bound,
                                                        struct portolan_error *err);

/** One term of a canonical formula: CONSTANTS[INDEX] times EXPRESSION. */
struct portolan_formula_term {
    size_t index;
    struct portolan_formula *expression; /**< with the names of the whole; 1 for a bare constant */
};

/** Start it as `{0}`. */
struct portolan_formula_sum {
    char *constants; /**< the name of the constants: "fft" of fft[0] + fft[1]*N */
    size_t n_terms;
    struct portolan_formula_term *terms; /**< in the order written */
};

/**
 * Splits FORMULA into its canonical form, a sum of constants times expressions: every term has one
 * constant, all of the same name, no constant twice, numbered from 0 without gaps. FILE, LINE and
 * COLUMN are those that it was parsed with; deviations are reported there, with the remedy. Clear
 * *SUM with portolan_formula_sum_clear(). PORTOLAN_ESYNTAX, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_formula_split(const struct portolan_formula *formula,
                                                         const char *file, int line, int column,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_formula_sum *sum,
                                                         struct portolan_error *err);

/** Frees what SUM holds and empties it. */
PORTOLAN_API void portolan_formula_sum_clear(struct portolan_formula_sum *sum);

enum portolan_notation {
    PORTOLAN_NOTATION_C,       /**< an expression of C with <math.h>; min and max become fmin, fmax;
                                    backquoted names become identifiers */
    PORTOLAN_NOTATION_INFIX,   /**< the language above; parsing it gives the same formula */
    PORTOLAN_NOTATION_POSTFIX, /**< operands first, words between blanks: N P / log2 2 * */
    PORTOLAN_NOTATION_MATHML   /**< content MathML: one element, of the default namespace */
};

/** *TEXT: the formula in that notation, malloc'ed, the caller frees it. PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_formula_write(const struct portolan_formula *formula,
                                                         enum portolan_notation notation,
                                                         char **text, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
