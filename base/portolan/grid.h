/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of text: columns aligned, one unit to a column, long names cut in the middle. */
#ifndef PORTOLAN_GRID_H
#define PORTOLAN_GRID_H

#include <portolan/base.h>

enum grid_kind {
    GRID_NAME,    /* text, left */
    GRID_TEXT,    /* text, right */
    GRID_COUNT,   /* integers, not scaled */
    GRID_TIME,    /* ns in; ns, us, ms or s out, one unit for the column */
    GRID_EACH,    /* the same with a unit for each number */
    GRID_NUMBER,  /* in thousands, millions, ... */
    GRID_BYTES,   /* B, kB, MB, ... of 1000 */
    GRID_PERCENT, /* fraction in */
    GRID_PLAIN    /* %.6g */
};

struct grid_column {
    const char *title;
    enum grid_kind kind;
};

/* Start as {0} with columns set. Cells are added row by row, from left to right. */
struct grid {
    const struct grid_column *columns; /* NULL: there is no head, and all cells are text: */
    uint64_t left;                     /* a bit for each column that is aligned to the left */
    size_t n_columns;
    struct cell *cells;
    size_t n_cells;
    struct portolan_arena *in;   /* has the cells and their texts; NULL: the grid's own */
    struct portolan_arena arena; /* its own; grid_write() reports its failure */
    bool wide;                   /* names are never cut */
};

/* TEXT is copied. */
void grid_text(struct grid *t, const char *text);
/* TEXT is in the table's arena. */
void grid_take(struct grid *t, const struct portolan_text *text);
void grid_format(struct grid *t, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* NaN is shown as "-". */
void grid_number(struct grid *t, double x);
/* Adds a cell for each of the N numbers, as grid_number(). */
void grid_add_numbers(struct grid *t, size_t n, const double *numbers);
/* Adds cells for all these numbers. */
#define grid_numbers(t, ...)                                                                       \
    grid_add_numbers((t), sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

/* Empties a table that is not to be written. */
void grid_clear(struct grid *t);

/* Writes the head and all rows; the table is empty afterwards. */
void grid_write(struct grid *t, struct portolan_text *out);

/* A row that may have others below it. */
struct grid_row {
    int64_t parent; /* position, or -1 */
    double weight;  /* the heaviest are shown */
    double place;   /* among siblings, the least first */
    bool is_first;  /* stands before siblings that are not */
    bool matches;   /* shown even without chosen rows below it */
};

/*
 * The positions of the heaviest TOP (0: all) of the rows that match, and of all rows above them,
 * each below its parent: *SHOWN of them; the caller frees them. NULL when memory runs out.
 */
size_t *grid_order(const struct grid_row *rows, size_t n, size_t top, size_t *shown);

/* The unit that fits numbers up to MOST bytes. */
const char *unit_of_bytes(double most, double *factor);

#endif
