/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions over the components of a paradigm, and the automata that recognise them. */
#ifndef HERCULE_EVENT_EXPRESSION_H
#define HERCULE_EVENT_EXPRESSION_H

#include "internal.h"

/**
 * What was written, from loose to tight: `a | b` (one of them), `a, b` (one after the other), `a+`
 * (once or more), `a*` (any number of times), `[a]` (or nothing), parentheses. A name is that of a
 * component or of another event; it holds letters, digits, _, - and the dots of
 * names in a context. The operators are those of Li
 * and Malony, IPDPS 2007, section 3.1.
 */
enum event_expression_kind { EXPRESSION_NAME, EXPRESSION_SEQUENCE, EXPRESSION_CHOICE };
struct event_expression {
    enum event_expression_kind kind;
    bool is_optional, is_repeated;
    const char *name; /* of a NAME; what it means, found afterwards, one HERCULE_NONE: */
    size_t component, event;
    struct place place;
    struct event_expression *parts, *next; /* parts of a sequence or choice; the next of these */
};

/**
 * What TEXT means, in ARENA, which must outlive it, as must the file's name; PLACE is where the
 * text begins. What is wrong is reported with its column. NULL: that, or no memory.
 */
struct event_expression *event_expression_parse(const char *text, struct place place,
                                                struct portolan_arena *arena,
                                                struct portolan_diagnostics *d);

enum {
    AUTOMATON_POSITIONS = 64,  /* components in an expression, those of other events included */
    AUTOMATON_COMPONENTS = 64, /* of a paradigm */
    AUTOMATON_DEPTH = 6        /* events within events */
};

/**
 * The position automaton of an event (Glushkov, 1961): a state is a place in the expression where a
 * component stands, so that a path through the states says which place each token took. Events that
 * the expression uses are put in at their places. Sets of positions are bits.
 */
struct automaton {
    size_t n;
    uint64_t first, last;
    uint64_t follow[AUTOMATON_POSITIONS];
    uint64_t of_component[AUTOMATON_COMPONENTS]; /* the positions where it stands */
    struct automaton_position {
        size_t component;
        size_t depth; /* events around it; the outermost is that of the automaton */
        size_t event[AUTOMATON_DEPTH];
        size_t occurrence[AUTOMATON_DEPTH]; /* tells places apart where one event stands twice */
        /* What may follow without a new instance of that event. */
        uint64_t inner[AUTOMATON_DEPTH];
    } at[AUTOMATON_POSITIONS];
};

/**
 * Fills AUTOMATON with that of number EVENT of EVENTS, whose parsed names have meanings. Reported:
 * events within themselves, expressions that are too large, or that nothing at all would match.
 */
void automaton_make(const struct event *events, size_t event, struct portolan_diagnostics *d,
                    struct automaton *automaton);

/** The states after a token that may be any component of the bit set COMPONENTS. */
uint64_t automaton_step(const struct automaton *a, uint64_t states, uint64_t components);

/** The states in which the first token may be. */
uint64_t automaton_start(const struct automaton *a, uint64_t components);

/**
 * The path of N tokens that ended in one of STATES[N - 1] (STATES: what start and step returned):
 * PATH[i] is the position of token i. Where several paths are possible, later tokens take earlier
 * positions.
 */
void automaton_trace_path(const struct automaton *a, const uint64_t *states, size_t n,
                          uint8_t *path);

/** The outermost depth at which a new instance begins between two neighbours on a path. */
size_t automaton_break(const struct automaton *a, uint8_t from, uint8_t to);

#endif
