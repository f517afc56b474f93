/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * command_line: how programs read their arguments and report errors. Compiled into those, and into
 * no library of others.
 */
#ifndef PORTOLAN_COMMAND_LINE_H
#define PORTOLAN_COMMAND_LINE_H

#include <argp.h>

#include <portolan/base.h>

#include <stddef.h>

enum { EXIT_BAD_INPUT = 1, EXIT_USAGE = 2, EXIT_CANNOT_TELL = 3, EXIT_STEP_TIMEOUT = 4 };

/* Prints `file:line[:column]: error: text` to stderr; the report function of diagnostics. */
void print_diagnostic(void *arg, const char *file, int line, int column, const char *text);

/* Prints `portolan: error: text` to stderr and returns EXIT_BAD_INPUT. */
int print_error(const struct portolan_error *err);

/* Prints each line of LINES as `portolan: KIND: line` to stderr, and clears LINES. */
void print_lines(const char *kind, struct portolan_text *lines);

/* The folder of FILE; the caller frees it. NULL: memory is out. */
char *folder_of(const char *file);

/* Adds TEXT, borrowed, to a list of options that occur more than once; 0 or ENOMEM. */
int append_text(const char ***list, size_t *n, const char *text);

/* ------------------------------------------------------------------ options */

struct cli_option;

/* Checks ARG, or stores it in TO, the struct of the option's table; 0 or an error. */
typedef error_t cli_take_fn(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state);

/* What is stored in a member of a command's struct when its option is given. */
enum cli_kind {
    CLI_NOTHING, /* the row is a heading of --help, or only calls TAKE */
    CLI_TEXT,    /* the argument */
    CLI_FLAG,    /* true */
    CLI_INT,     /* the argument, a whole number in the row's range */
    CLI_SIZE,    /* the same, for a size_t */
    CLI_NUMBER,  /* the argument, a number in the row's range */
    CLI_VALUE,   /* the row's value */
    CLI_LIST,    /* the argument, appended to a list */
    CLI_CHOICE,  /* the position of the argument among WORDS: an enumeration */
    CLI_TABLE    /* not an option: TABLE's rows are inserted here; the member is their struct */
};

/*
 * Keys of rows that are not options. CLI_WORD: takes each word; if it goes into a text, DOC is the
 * error for a second word. CLI_END: checks that a text (or other pointer) or a number of items was
 * given; DOC is the error if not.
 */
enum { CLI_WORD = -1, CLI_END = -2 };

/* An option of a command and where its value goes; a table of them ends with {0}. */
struct cli_option {
    const char *name;
    int key;         /* its letter; 0: none */
    const char *arg; /* NULL: it takes no argument */
    const char *doc;
    enum cli_kind kind;
    size_t offset, count; /* of the member; of the member that counts a list's items */
    cli_take_fn *take;    /* called before the member is set; or NULL */
    int value;            /* of CLI_VALUE, or for TAKE */
    double least, most;   /* range of numbers; MOST 0: no upper bound, but finite */
    const char *wanted;   /* describes a valid number in messages; NULL: a whole number from 0 on */
    const struct cli_option *table;
    const char *const *words; /* of CLI_CHOICE; end with NULL */
    int group; /* in --help; 0: the group of the row before or, for a heading, the next */
    bool is_hidden;
    bool may_lack_argument; /* without an argument TAKE gets NULL */
    bool has_commas;        /* of CLI_LIST: the argument has several items */
};

/* The member that a value goes to; its type decides the kind. */
#define INTO(type, member)                                                                         \
    .kind = _Generic(((type *)NULL)->member,                                                       \
                     bool: CLI_FLAG, int: CLI_INT, size_t: CLI_SIZE, double: CLI_NUMBER,           \
                     const char *: CLI_TEXT),                                                      \
    .offset = offsetof(type, member)
#define INTO_CHOICE(type, member, ...)                                                             \
    .kind = CLI_CHOICE, .offset = offsetof(type, member), .words = (const char *const[])           \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define INTO_LIST(type, list, n)                                                                   \
    .kind = CLI_LIST, .offset = offsetof(type, list), .count = offsetof(type, n)
#define TABLE_OF(rows, type, member)                                                               \
    {                                                                                              \
        .kind = CLI_TABLE, .table = (rows), .offset = offsetof(type, member)                       \
    }

struct cli_line {
    const char *words; /* in --help, after the options */
    const char *doc;
    const struct cli_option *options;
    char *(*help_filter)(int key, const char *text, void *input); /* as argp's; or NULL */
};

/* Fills TO from the command line, or explains the usage and exits; FLAGS are argp's. */
void parse_line(const struct cli_line *line, int argc, char **argv, unsigned flags, void *to);

/* For `take`: the argument must contain an equals sign, like the row's `arg`. */
cli_take_fn need_equals;

/* Reads a whole number from 0 on, the argument of OPTION ("--top"). */
int read_natural(struct argp_state *state, const char *option, const char *text);

/* Adds the words after "--", compiler flags, to FLAGS; returns how many words are left. */
int take_flags(int argc, char **argv, const struct cli_option *options, const char ***flags,
               size_t *n);

#endif
