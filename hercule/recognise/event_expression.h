/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions over the components of a paradigm, and the automata that recognise them. */
#ifndef HERCULE_EVENT_EXPRESSION_H
#define HERCULE_EVENT_EXPRESSION_H

#include "internal.h"

/**
 * An expression as parsed. The operators, from loose to tight, are `a | b` (one of them), `a, b`
 * (one after the other), `a+` (once or more), `a*` (any number of times), `[a]` (or nothing),
 * parentheses. A name is that of a component or of another event; it has letters, digits, _, - and
 * the dots of names in a context. The operators are those of Li and Malony, IPDPS 2007, section
 * 3.1.
 */
enum event_expression_kind { EXPRESSION_NAME, EXPRESSION_SEQUENCE, EXPRESSION_CHOICE };
struct event_expression {
    enum event_expression_kind kind;
    bool is_optional, is_repeated;
    const char *name; /* of a NAME; one of its meanings is HERCULE_NONE: */
    size_t component, event;
    struct place place;
    struct event_expression *parts, *next; /* PARTS: of a sequence or choice; NEXT: links them */
};

/**
 * Parses TEXT, in ARENA, which must outlive the result, as must the file's name; PLACE is where the
 * text begins. Mistakes are reported with their column. NULL: a mistake, or no memory.
 */
struct event_expression *event_expression_parse(const char *text, struct place place,
                                                struct portolan_arena *arena,
                                                struct portolan_diagnostics *d);

enum {
    AUTOMATON_POSITIONS = 64,  /* components in an expression, including those of other events */
    AUTOMATON_COMPONENTS = 64, /* components of a paradigm */
    AUTOMATON_DEPTH = 6        /* nesting of events */
};

/**
 * The position automaton of an event (Glushkov, 1961): a state is a position in the expression
 * where a component stands, so that a path through the states says which position each token took.
 * Events that the expression uses are inserted at their positions. Sets of positions are bits.
 */
struct automaton {
    size_t n;
    uint64_t first, last;
    uint64_t follow[AUTOMATON_POSITIONS];
    uint64_t of_component[AUTOMATON_COMPONENTS]; /* the positions of each component */
    struct automaton_position {
        size_t component;
        size_t depth; /* number of events around it; the outermost is that of the automaton */
        size_t event[AUTOMATON_DEPTH];
        size_t occurrence[AUTOMATON_DEPTH]; /* distinguishes places of one event */
        /* Positions that may follow without a new instance of that event. */
        uint64_t inner[AUTOMATON_DEPTH];
    } at[AUTOMATON_POSITIONS];
};

/**
 * Fills AUTOMATON with that of number EVENT of EVENTS, whose parsed names have meanings. Reported
 * are events within themselves, and expressions that are too large, or that match nothing.
 */
void automaton_make(const struct event *events, size_t event, struct portolan_diagnostics *d,
                    struct automaton *automaton);

/** Returns the states after a token that may be any component of the bit set COMPONENTS. */
uint64_t automaton_step(const struct automaton *a, uint64_t states, uint64_t components);

/** Returns the states in which the first token may be. */
uint64_t automaton_start(const struct automaton *a, uint64_t components);

/**
 * Finds the path of N tokens that ended in one of STATES[N - 1] (STATES are what start and step
 * returned): PATH[i] is the position of token i. If several paths are possible, later tokens take
 * earlier positions.
 */
void automaton_trace_path(const struct automaton *a, const uint64_t *states, size_t n,
                          uint8_t *path);

/** Returns the outermost depth at which a new instance begins between two neighbours on a path. */
size_t automaton_break(const struct automaton *a, uint8_t from, uint8_t to);

#endif
