/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: an answer to the question which implementations are the best: what was chosen, by how
 * much it is better, what else was possible, why it was not chosen, how sure that is, and what is
 * not known. portolan_plan_choose() makes it of a plan, portolan_answer_of_decision() of what is
 * stored of a decision while a program ran. All reports write it by the functions below, so that a
 * fact has the same words everywhere. Part of <portolan/optimizer.h>; pure, no limits on threads.
 */
#ifndef PORTOLAN_ANSWER_H
#define PORTOLAN_ANSWER_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_alternative;
struct portolan_json;
struct portolan_reason;

/** A time with its interval, in nanoseconds of the slowest rank. */
struct portolan_plan_prediction {
    double total_ns, low_ns, high_ns; /**< of the whole run; INFINITY: not allowed, or not known */
    double step_ns;                   /**< of one step */
    double setup_ns;                  /**< once per run */
    int steps;
    size_t n_extrapolating;  /**< models that were used outside the measured range */
    char extrapolating[160]; /**< the farthest of them, for reports; "" if none */
    bool is_assumed;         /**< part of the interval depends on an assumption */
    bool is_unusable;        /**< the time may be several times as long: not a prediction */
    /** The accuracy that is expected, composed as the assembly says (the worst of any call path, or
     * the sum or product over instances), where calls report one; else NaN. */
    double accuracy, accuracy_low, accuracy_high;
    bool accuracy_extrapolates; /**< its model was used outside the measured range */
    char accuracy_of[120];      /**< "solver.solve", "the sum over 3 components" */
    double memory_bytes;        /**< that implementations state they need on each rank */
};

/** The share of a time that is saved (negative: lost) and its 95 % interval; NaN: not known. */
struct portolan_gain {
    double share, low, high;
};
/**
 * A gain in words, the same in all reports: "at least 10 % saved, probably 12 %"; "cannot tell
 * whether time is saved" if the interval has 0 in it or is not known. Returns TEXT, for which 80
 * bytes are enough.
 */
const char *portolan_format_gain(const struct portolan_gain *gain, char *text, size_t size_bytes);

/** One implementation that an instance may have. */
struct portolan_answer_option {
    const char *implementation;
    /** Least time of the whole run, or of its remaining steps, with this one. INFINITY: it is not
     * allowed; NaN: it was not compared. */
    double total_ns;
    const char *reason; /**< why it is not allowed; "" otherwise */
    bool is_unknown;    /**< it is not allowed only because measurements are missing */
    bool extrapolates;  /**< outside the measured range, all else as chosen */
    bool is_unusable;   /**< likewise: the time may be several times as long */
    /** Of a decision while a program ran, its row: time of a step, chance, rows; else NULL. */
    const struct portolan_alternative *row;
};

struct portolan_answer_variable {
    const char *instance;
    bool core;              /**< false: it was pruned, or never called, and stays as written */
    size_t written, chosen; /**< positions in options */
    bool tied;              /**< another option costs the same */
    bool called;      /**< with the implementations chosen; else it does not matter and stays */
    size_t n_options; /**< 1 if the variable is not core */
    struct portolan_answer_option *options;
};

/** The verdict whether to act on a choice. */
enum portolan_answer_verdict {
    PORTOLAN_ANSWER_SURE,
    PORTOLAN_ANSWER_CLOSE,      /**< another one may be as good; then little is lost */
    PORTOLAN_ANSWER_CANNOT_TELL /**< too much may be lost; `settle` says what to measure */
};
/** "sure", "close" or "cannot tell". */
const char *portolan_answer_word(enum portolan_answer_verdict verdict);

struct portolan_plan_answer {
    const char *title; /**< the question: "Choice for 'plate' (driver.n=128, 160 steps, 2 ranks)" */
    const char *assembly, *parameters; /**< its name; its present parameters, for programs */
    int ranks;
    enum portolan_answer_verdict verdict;
    double chance;        /**< that this is the best of all, 0 … 1; NaN: not known */
    double expected_loss; /**< mean loss relative to the best, over the uncertainty of the costs */
    const char *rival;    /**< "solver=heat.Umfpack": the choice that may be best instead; "" */
    const char
        *settle; /**< the command of the trial that would decide; "" when the choice is sure */
    size_t n_variables;
    struct portolan_answer_variable *variables;
    struct portolan_plan_prediction prediction;
    struct portolan_plan_prediction as_written; /**< or as it ran before the decision */
    /** Share of the time as written; not known if one of the times is not. */
    struct portolan_gain gain;
    double accuracy, memory_bytes; /**< bounds of the assembly; 0: none */
    /** The decision while a program ran that this is of; else NULL. */
    const struct portolan_reason *decision;
    size_t n_reasons;
    const char *const *reasons; /**< what else reports should say, as sentences */
};

/** What an answer consists of, in the order of reports. */
enum portolan_answer_fact {
    PORTOLAN_ANSWER_CHOSEN,
    PORTOLAN_ANSWER_PREDICTED,
    PORTOLAN_ANSWER_AS_WRITTEN,
    PORTOLAN_ANSWER_GAIN,
    PORTOLAN_ANSWER_ACCURACY,
    PORTOLAN_ANSWER_MEMORY,
    PORTOLAN_ANSWER_CHANCE,
    PORTOLAN_ANSWER_NOT_KNOWN,
    PORTOLAN_ANSWER_N_FACTS
};

/** Adds the FACT in words to OUT, without a full stop. Returns what it is called in reports
 * ("predicted"); NULL, and adds nothing, if the answer does not have it. */
const char *portolan_answer_add(const struct portolan_plan_answer *answer,
                                enum portolan_answer_fact fact, struct portolan_text *out);
/** Adds "1.46 s (95 %: 763 ms to 2.7 s)", without an interval if it is not known; "not known". */
void portolan_answer_add_time(struct portolan_text *out, double ns, double low_ns, double high_ns);
/** Adds "with a chance of 97 %", or that it is not known. */
void portolan_answer_add_chance(struct portolan_text *out, double chance);

/** Adds the whole answer as text for a terminal of 100 columns. */
void portolan_answer_write_text(const struct portolan_plan_answer *answer,
                                struct portolan_text *out);
/** Adds only the part of the text on instances: what each has, and what else was possible. */
void portolan_answer_write_options(const struct portolan_plan_answer *answer,
                                   struct portolan_text *out);
/** Writes the answer as member KEY, in the form of "choice" in docs/report.schema.json. */
void portolan_answer_write(const struct portolan_plan_answer *answer, struct portolan_json *j,
                           const char *key);
/** Writes member "gain" of the object that is open, if the gain is known. */
void portolan_answer_write_gain(const struct portolan_plan_answer *answer, struct portolan_json *j);
/** Adds a document of the answer alone, as `portolan optimize --json` prints it. */
void portolan_answer_write_document(const struct portolan_plan_answer *answer,
                                    struct portolan_text *out);

/**
 * Makes the answer of a decision R of a run and the N alternatives that it considered (others are
 * passed over by their number). Times are of the remaining steps. The answer borrows R and ROWS;
 * POOL has the rest, and its `failed` says if memory ran out.
 */
struct portolan_plan_answer portolan_answer_of_decision(const struct portolan_reason *r,
                                                        const struct portolan_alternative *rows,
                                                        size_t n, struct portolan_arena *pool);

#ifdef __cplusplus
}
#endif
#endif
