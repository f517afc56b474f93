/* SPDX-License-Identifier: BSD-3-Clause */
/* A scenario after it was read, and its reader. */
#ifndef TRACE_REPLAY_SCENARIO_H
#define TRACE_REPLAY_SCENARIO_H

#include <portolan/replay.h>

enum { MOST_VARIABLES = 64, MOST_RANKS = 1 << 20 };

/* ------------------------------------------------- expressions */

enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_VARIABLE,
    EXPRESSION_RANDOM,
    EXPRESSION_OPERATOR
};

struct expression {
    enum expression_kind kind;
    double number;
    int variable;
    int operator; /* index in the table of operators */
    struct expression *left, *right;
};

/* The values that expressions use: variables 0 and 1 are rank and size. */
struct scenario_values {
    double variables[MOST_VARIABLES];
    uint64_t random; /* state of the generator */
};
double expression_value(const struct expression *e, struct scenario_values *values);
/* Returns whether an expression is a condition: true or false. */
bool expression_is_condition(const struct expression *e);

/* The line that is being read. */
struct scenario_reader {
    struct portolan_arena arena;
    struct portolan_diagnostics *d;
    const char *file, *line_text, *at; /* AT: the rest of the line */
    int line, n_mistakes;
    const char *variables[MOST_VARIABLES]; /* names that may be used */
    int n_variables;
};
/* Reports a mistake at AT. The rest of the line is not read: only its first one is reported. */
void scenario_mistake(struct scenario_reader *r, const char *at, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Returns the next word (letters, digits, _ and .) in the arena; NULL: there is none. */
const char *scenario_word(struct scenario_reader *r);
/* Takes WORD if it comes next. */
bool scenario_takes(struct scenario_reader *r, const char *word);
bool scenario_at_end(struct scenario_reader *r);
/* Reads an expression; NULL after a mistake. */
struct expression *scenario_expression(struct scenario_reader *r);

/* ------------------------------------------------- statements */

struct scenario_runner;
struct statement;

/*
 * The arguments of a statement, in turn: v value, d destination or "sender", s source or "any", r
 * root, w window, g ranks, n name, f "from" and a source, R request, V variable, = itself, u and l
 * a loop's "until" and "as", a digit a region of that kind; then in any order: t "tag" and a number
 * (T also "any"), b bytes, Q "as" and a request, c "on" and a communicator. { begins a block.
 */
struct statement_row {
    const char *word, *takes, *routine; /* ROUTINE: of MPI; NULL: none */
    /* Performs it, between begin and end of the routine; NULL: there is nothing to perform. */
    void (*run)(struct scenario_runner *x, const struct statement *to);
};
extern const struct statement_row statement_rows[];
extern const size_t n_statement_rows;

struct rank_range {
    struct expression *first, *last; /* LAST NULL: a single rank, or a condition */
    struct rank_range *next;
};

struct statement {
    const struct statement_row *row;
    int line;
    struct expression *value; /* time, times, number, destination or target */
    struct expression *from;  /* the source; NULL: any */
    struct expression *tag, *bytes, *root, *until;
    bool is_sender; /* destination: the sender of the last message received */
    bool is_any_tag;
    int variable; /* index of a variable; -1: none */
    int request;  /* index of a name; -1: none */
    int what;     /* index of the communicator or window */
    struct portolan_trace_region region;
    const char *name; /* name of a value */
    struct rank_range *ranks;
    struct statement *body, *otherwise, *next;
};

struct scenario_comm {
    const char *name;
    struct rank_range *ranks; /* NULL: all ranks */
    int comm;                 /* for windows: the communicator */
    int line;
};

struct scenario {
    struct scenario_reader reader;
    int n_ranks;
    struct portolan_costs costs;
    uint64_t seed, most_statements;
    struct scenario_comm *comms, *windows;
    size_t n_comms, n_windows;
    const char **requests;
    size_t n_requests;
    struct statement *body;
};

/* scenario_run.c: makes *TRACE, which contains what the scenario does, with its times. */
enum portolan_status scenario_run(struct scenario *s, struct portolan_trace **trace,
                                  struct portolan_error *err);
/* Reads like portolan_scenario_read(), with a limit on what ranks do together, for fuzzing. */
enum portolan_status scenario_read(const char *path, const char *text, uint64_t most_statements,
                                   struct portolan_diagnostics *diagnostics,
                                   struct portolan_trace **trace, struct portolan_costs *costs,
                                   struct portolan_error *err);

#endif
