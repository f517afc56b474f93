/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * models: online update of a model whose terms are known. The information of all rows so far on the
 * constants is kept as the triangular factor R and Q'y of the weighted least-squares problem; a new
 * row is rotated in by Givens rotations in O(k^2) for k terms, however many rows there were (Golub
 * and Van Loan, Matrix Computations, 12.5). No row is kept.
 *
 * Whether the form still holds is judged by recursive residuals, each row predicted before it is
 * taken in (Brown, Durbin, Evans 1975), with two CUSUM tests: of their mean (Page 1954, drift 1/2
 * standard deviation, limit 8) and of their spread (against one twice as large, limit 12 nats). Of
 * rows that the model explains about one in 9,000 raises a false alarm.
 *
 * Relative weighting needs a value before the fit is known: rows count relative to the value of the
 * model that the update began with. An update is used by one thread at a time; nothing here prints
 * or exits.
 */
#ifndef PORTOLAN_UPDATE_H
#define PORTOLAN_UPDATE_H

#include <portolan/models.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_update;

enum portolan_update_sign {
    PORTOLAN_UPDATE_HOLDS,    /**< the rows do not contradict the form */
    PORTOLAN_UPDATE_SHIFTED,  /**< the rows lie on one side of the predictions */
    PORTOLAN_UPDATE_SCATTERED /**< the rows lie farther off than the model's error explains */
};

struct portolan_update_state {
    size_t n_rows;                  /**< rows added, of weight > 0 */
    enum portolan_update_sign sign; /**< once given, it stays */
    size_t since;                   /**< number of rows since it began, by the sums of the tests */
};

/**
 * An update of MODEL's terms with its constants' signs, weighting and confidence. Exponents that
 * were fitted keep their values. ROWS are those that MODEL was fitted from; they are read once, one
 * by one, and terms that the fit dropped may come back. A model of several pieces is updated piece
 * by piece. MODEL is copied and no longer needed. Rows that are farther off than GATE standard
 * deviations are moved to that distance (Huber 1964), so that a spike changes little; 0: rows are
 * taken as they are. *UPDATE is the caller's to destroy.
 *
 * Errors: EINVAL (ROWS have other parameters or numbers that cannot be used in a fit; a negative
 * GATE), ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_update_create(const struct portolan_model *model, const struct portolan_model_data *rows,
                       double gate, struct portolan_update **update, struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_update_destroy(struct portolan_update *update);

/**
 * Takes a row in: X (one number per parameter), its value Y and its WEIGHT (precision; 1 is that of
 * the rows before, 0 ignores it). Allocates nothing. EINVAL, and nothing has changed, for a number
 * that is not finite or too large, or where a term has no finite value.
 */
PORTOLAN_API enum portolan_status portolan_update_add(struct portolan_update *update,
                                                      const double *x, double y, double weight);

/** Borrowed; changes with the next row. For a model of several pieces: the first piece with a sign.
 */
PORTOLAN_API const struct portolan_update_state *
portolan_update_peek_state(const struct portolan_update *update);

/** "holds", "shifted", "scattered". */
PORTOLAN_API const char *portolan_update_sign_text(enum portolan_update_sign sign);

/**
 * A model with the constants that all rows so far give: the numbers of a full fit of the same terms
 * to the same rows with the same weights. The summary's points are rows, its leave-one-out is that
 * of the recursive residuals. *MODEL is the caller's to destroy. EINVAL when there is no row yet;
 * ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_update_model(const struct portolan_update *update,
                                                        struct portolan_model **model,
                                                        struct portolan_error *err);

/** The same in the place of MODEL, so that pointers to it stay valid; on failure MODEL stays. */
PORTOLAN_API enum portolan_status portolan_update_renew(const struct portolan_update *update,
                                                        struct portolan_model *model,
                                                        struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
