/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of text: columns aligned, one unit to a column, long names cut in the middle. */
#ifndef PORTOLAN_PROFILE_TABLE_H
#define PORTOLAN_PROFILE_TABLE_H

#include <portolan/base.h>

enum column_kind {
    COLUMN_NAME,    /* text, left */
    COLUMN_TEXT,    /* text, right */
    COLUMN_COUNT,   /* integers, not scaled */
    COLUMN_TIME,    /* ns in; ns, us, ms or s out, one unit for the column */
    COLUMN_EACH,    /* the same with a unit for each number */
    COLUMN_NUMBER,  /* in thousands, millions, ... */
    COLUMN_BYTES,   /* B, kB, MB, ... of 1000 */
    COLUMN_PERCENT, /* fraction in */
    COLUMN_PLAIN    /* %.6g */
};

struct column {
    const char *title;
    enum column_kind kind;
};

/* Start as {0} with columns set. Cells are added row by row, from left to right. */
struct table {
    const struct column *columns;
    size_t n_columns;
    struct cell *cells;
    size_t n_cells;
    struct portolan_arena arena; /* of cells and their texts; table_write() reports its failure */
    bool wide;                   /* names are never cut */
};

/* TEXT is copied. */
void table_text(struct table *t, const char *text);
/* TEXT is in the table's arena. */
void table_take(struct table *t, const struct portolan_text *text);
void table_format(struct table *t, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* NaN is shown as "-". */
void table_number(struct table *t, double x);

/* Empties a table that is not to be written. */
void table_clear(struct table *t);

/* Writes the head and all rows; the table is empty afterwards. */
void table_write(struct table *t, struct portolan_text *out);

/* A row that may have others below it. */
struct table_row {
    int64_t parent; /* position, or -1 */
    double weight;  /* the heaviest are shown */
    double place;   /* among siblings, the least first */
    bool is_first;  /* stands before siblings that are not */
    bool matches;   /* shown even without chosen rows below it */
};

/*
 * The positions of the heaviest TOP (0: all) of the rows that match, and of all rows above them,
 * each below its parent: *SHOWN of them; the caller frees them. NULL without memory.
 */
size_t *table_order(const struct table_row *rows, size_t n, size_t top, size_t *shown);

/* The unit that fits numbers up to MOST bytes. */
const char *unit_of_bytes(double most, double *factor);

#endif
