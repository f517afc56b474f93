/* SPDX-License-Identifier: BSD-3-Clause */
/* A scenario after it was read, and how it is read. */
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
    int operator; /* its place in the table of operators */
    struct expression *left, *right;
};

/* What expressions see: variables 0 and 1 are rank and size. */
struct scenario_values {
    double variables[MOST_VARIABLES];
    uint64_t random; /* state of the generator */
};
double expression_value(const struct expression *e, struct scenario_values *values);
/* Whether it is a condition: true or false. */
bool expression_is_condition(const struct expression *e);

/* A line that is read. */
struct scenario_reader {
    struct portolan_arena arena;
    struct portolan_diagnostics *d;
    const char *file, *line_text, *at; /* the rest of the line */
    int line, n_mistakes;
    const char *variables[MOST_VARIABLES]; /* names in reach */
    int n_variables;
};
/* Notes a mistake at AT. The rest of the line is not read; the first of a line counts. */
void scenario_mistake(struct scenario_reader *r, const char *at, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* The next word (letters, digits, _ and .), NULL: there is none. In the arena. */
const char *scenario_word(struct scenario_reader *r);
/* Takes WORD if it comes next. */
bool scenario_takes(struct scenario_reader *r, const char *word);
bool scenario_at_end(struct scenario_reader *r);
/* NULL after a mistake. */
struct expression *scenario_expression(struct scenario_reader *r);

/* ------------------------------------------------- statements */

struct scenario_runner;
struct statement;

/*
 * What a statement takes, in turn: v value, d destination or "sender", s source or "any", r root,
 * w window, g ranks, n name, f "from" and a source, R request, V variable, = itself, u and l a
 * loop's "until" and "as", a digit a region of that kind; then in any order: t "tag" and a number
 * (T also "any"), b bytes, Q "as" and a request, c "on" and a communicator. { begins a block.
 */
struct statement_row {
    const char *word, *takes, *routine; /* of MPI; NULL: none */
    /* What it does, between begin and end of the routine; NULL: nothing. */
    void (*run)(struct scenario_runner *x, const struct statement *to);
};
extern const struct statement_row statement_rows[];
extern const size_t n_statement_rows;

struct rank_range {
    struct expression *first, *last; /* LAST is NULL: a single one, or a condition */
    struct rank_range *next;
};

struct statement {
    const struct statement_row *row;
    int line;
    struct expression *value; /* time, times, number, destination or target */
    struct expression *from;  /* source; NULL: any */
    struct expression *tag, *bytes, *root, *until;
    bool is_sender; /* destination: whoever sent the last message received */
    bool is_any_tag;
    int variable; /* -1: none */
    int request;  /* index of a name; -1: none */
    int what;     /* communicator or window */
    struct portolan_trace_region region;
    const char *name; /* of a value */
    struct rank_range *ranks;
    struct statement *body, *otherwise, *next;
};

struct scenario_comm {
    const char *name;
    struct rank_range *ranks; /* NULL: all */
    int comm;                 /* windows: of this communicator */
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

/* scenario_run.c: *TRACE: what the scenario does, in time. */
enum portolan_status scenario_run(struct scenario *s, struct portolan_trace **trace,
                                  struct portolan_error *err);
/* As portolan_scenario_read(), with a limit to what ranks do together: for fuzzing. */
enum portolan_status scenario_read(const char *path, const char *text, uint64_t most_statements,
                                   struct portolan_diagnostics *diagnostics,
                                   struct portolan_trace **trace, struct portolan_costs *costs,
                                   struct portolan_error *err);

#endif
