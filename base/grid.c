/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/grid.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 56, CELL_BYTES = 32 };

struct cell {
    const char *text; /* or NULL: */
    double number;
};

struct unit {
    double factor;
    const char *name;
};

static const struct unit plain = {1, ""};
static const struct unit times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
static const struct unit numbers[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
static const struct unit bytes[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};

static const struct unit *pick_unit(const struct unit *units, size_t n, double largest)
{
    size_t i = 0;

    while (i + 1 < n && largest < units[i].factor)
        i++;
    return &units[i];
}

const char *unit_of_bytes(double most, double *factor)
{
    const struct unit *u = pick_unit(bytes, 5, most);

    *factor = u->factor;
    return u->name;
}

static struct portolan_arena *arena_of(struct grid *t)
{
    return t->in ? t->in : &t->arena;
}

static enum grid_kind kind_of(const struct grid *t, size_t column)
{
    return t->columns                             ? t->columns[column].kind
           : column < 64 && t->left >> column & 1 ? GRID_NAME
                                                  : GRID_TEXT;
}

static void add_cell(struct grid *t, struct cell c)
{
    struct cell *cells = portolan_arena_grow(arena_of(t), t->cells, t->n_cells, sizeof *cells);

    if (!cells)
        return;
    t->cells = cells;
    cells[t->n_cells++] = c;
}

/* Adds TEXT as a cell, without line ends. */
static void add_text(struct grid *t, char *text)
{
    portolan_clean_text(text, "");
    add_cell(t, (struct cell){.text = text ? text : ""});
}

void grid_text(struct grid *t, const char *text)
{
    add_text(t, portolan_arena_strdup(arena_of(t), text));
}

void grid_take(struct grid *t, const struct portolan_text *text)
{
    add_text(t, text->bytes);
}

void grid_format(struct grid *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_text(t, portolan_arena_vprintf(arena_of(t), format, args));
    va_end(args);
}

void grid_number(struct grid *t, double x)
{
    add_cell(t, (struct cell){.number = x});
}

void grid_add_numbers(struct grid *t, size_t n, const double *numbers)
{
    for (size_t i = 0; i < n; i++)
        grid_number(t, numbers[i]);
}

static const struct unit *column_unit(const struct grid *t, size_t column)
{
    double largest = 0;

    for (size_t i = column; i < t->n_cells; i += t->n_columns)
        if (!t->cells[i].text && isfinite(t->cells[i].number))
            largest = fmax(largest, fabs(t->cells[i].number));
    switch (kind_of(t, column)) {
    case GRID_TIME:
        return pick_unit(times, 4, largest);
    case GRID_NUMBER:
        return pick_unit(numbers, 5, largest);
    case GRID_BYTES:
        return pick_unit(bytes, 5, largest);
    default:
        return &plain;
    }
}

/* Prints a number; if it is not 0 but would round to 0, prints "<" and the least one. */
static void print_scaled(char *to, double x, int digits)
{
    double least = pow(10, -digits) / 2;

    if (x != 0 && fabs(x) < least)
        snprintf(to, CELL_BYTES, "%s%.*f", x < 0 ? ">-" : "<", digits, 2 * least);
    else
        snprintf(to, CELL_BYTES, "%.*f", digits, x);
}

static void print_cell(const struct grid *t, size_t column, const struct cell *c,
                       const struct unit *u, char *to)
{
    double x = c->number / u->factor;

    if (isnan(x)) {
        snprintf(to, CELL_BYTES, "-");
        return;
    }
    if (isinf(x)) {
        snprintf(to, CELL_BYTES, "%sinf", x < 0 ? "-" : "");
        return;
    }
    switch (kind_of(t, column)) {
    case GRID_COUNT:
        snprintf(to, CELL_BYTES, fabs(x) < 1e15 ? "%.0f" : "%.6g", x);
        break;
    case GRID_PERCENT:
        print_scaled(to, 100 * x, 1);
        break;
    case GRID_EACH:
        portolan_format_time(x, 4, to, CELL_BYTES);
        break;
    case GRID_PLAIN:
        snprintf(to, CELL_BYTES, "%.6g", x);
        break;
    default:
        print_scaled(to, x, *u->name && u->factor > 1 ? 3 : 1);
        break;
    }
}

/* The width of TEXT in columns: its characters, not the bytes of UTF-8. */
static size_t width_of(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += (*text & 0xC0) != 0x80;
    return n;
}

static const char *at_width(const char *text, size_t width)
{
    for (; width || (*text & 0xC0) == 0x80; text++)
        width -= (*text & 0xC0) != 0x80;
    return text;
}

static void write_name(const char *name, size_t width, bool last, struct portolan_text *out)
{
    static const char gap[] = "...";
    size_t length = width_of(name);

    if (length > width) {
        size_t head = (width - 3) / 2;

        portolan_text_add_bytes(out, name, (size_t)(at_width(name, head) - name));
        portolan_text_add(out, "%s%s", gap, at_width(name, length - (width - 3 - head)));
        return;
    }
    portolan_text_add(out, "%s%*s", name, last ? 0 : (int)(width - length), "");
}

/* Prints the numbers of a column as text, and its TITLE; returns the width of both. */
static size_t print_column(struct grid *t, size_t column, const char **title)
{
    const enum grid_kind kind = kind_of(t, column);
    const struct unit *unit = column_unit(t, column);
    size_t most = 0;

    if (t->columns)
        *title = portolan_arena_printf(arena_of(t), "%s%s%s", t->columns[column].title,
                                       kind == GRID_PERCENT ? " %"
                                       : *unit->name        ? " "
                                                            : "",
                                       unit->name);
    if (*title)
        most = width_of(*title);
    for (size_t i = column; i < t->n_cells; i += t->n_columns) {
        struct cell *cell = &t->cells[i];
        char text[CELL_BYTES];
        size_t width;

        if (!cell->text) {
            print_cell(t, column, cell, unit, text);
            cell->text = portolan_arena_strdup(arena_of(t), text);
        }
        width = cell->text ? width_of(cell->text) : 0;
        most = width > most ? width : most;
    }
    return kind == GRID_NAME && t->columns && !t->wide && most > NAME_WIDTH ? NAME_WIDTH : most;
}

static void write_row(const struct grid *t, const size_t *widths, const struct cell *row,
                      struct portolan_text *out)
{
    for (size_t k = 0; k < t->n_columns; k++) {
        if (k)
            portolan_text_add(out, "  ");
        if (kind_of(t, k) == GRID_NAME)
            write_name(row[k].text, widths[k], k + 1 == t->n_columns, out);
        else
            portolan_text_add(out, "%*s%s", (int)(widths[k] - width_of(row[k].text)), "",
                              row[k].text);
    }
    /* No blanks at the ends of lines. */
    while (out->length && out->bytes[out->length - 1] == ' ')
        out->bytes[--out->length] = '\0';
    portolan_text_add(out, "\n");
}

void grid_clear(struct grid *t)
{
    portolan_arena_clear(&t->arena);
    t->cells = NULL;
    t->n_cells = 0;
}

void grid_write(struct grid *t, struct portolan_text *out)
{
    size_t n = t->n_columns;
    size_t *widths = portolan_arena_alloc(arena_of(t), n, sizeof *widths);
    struct cell *head = portolan_arena_alloc(arena_of(t), n, sizeof *head);

    for (size_t k = 0; widths && head && k < n; k++)
        widths[k] = print_column(t, k, &head[k].text);
    if (arena_of(t)->failed) {
        out->failed = true;
    } else {
        if (t->columns)
            write_row(t, widths, head, out);
        for (size_t i = 0; i + n <= t->n_cells; i += n)
            write_row(t, widths, &t->cells[i], out);
    }
    grid_clear(t);
}

/* ------------------------------------------------- rows below rows */

static int heaviest_first(const void *a, const void *b, void *rows)
{
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct grid_row *x = (struct grid_row *)rows + i, *y = (struct grid_row *)rows + k;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (i > k) - (i < k);
}

static int siblings_together(const void *a, const void *b, void *rows)
{
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct grid_row *x = (struct grid_row *)rows + i, *y = (struct grid_row *)rows + k;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->is_first != y->is_first)
        return x->is_first ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (i > k) - (i < k);
}

/* Lists the chosen rows along the tree. SORTED has siblings together; those below AT begin at
 * NEXT[AT + 1]. */
static size_t walk_rows(const struct grid_row *rows, size_t n, const size_t *sorted, size_t *next,
                        const bool *chosen, size_t *order)
{
    int64_t at = -1;
    size_t shown = 0;

    for (;;) {
        size_t *i = &next[at + 1];

        if (*i < n && rows[sorted[*i]].parent == at) {
            size_t child = sorted[(*i)++];

            if (!chosen[child])
                continue; /* then no row below it is chosen */
            order[shown++] = child;
            at = (int64_t)child;
        } else if (at < 0) {
            return shown;
        } else {
            at = rows[at].parent;
        }
    }
}

size_t *grid_order(const struct grid_row *rows, size_t n, size_t top, size_t *shown)
{
    size_t *sorted = portolan_calloc(n + 1, sizeof *sorted);
    size_t *next = portolan_calloc(n + 1, sizeof *next), *order = NULL;
    bool *chosen = portolan_calloc(n + 1, sizeof *chosen);
    size_t left = top ? top : SIZE_MAX;

    if (sorted && next && chosen && (order = portolan_calloc(n + 1, sizeof *order)) && n) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = i;
        qsort_r(sorted, n, sizeof *sorted, heaviest_first, (void *)rows);
        for (size_t i = 0; i < n && left; i++) {
            left -= rows[sorted[i]].matches;
            for (int64_t at = rows[sorted[i]].matches ? (int64_t)sorted[i] : -1;
                 at >= 0 && !chosen[at]; at = rows[at].parent)
                chosen[at] = true;
        }
        qsort_r(sorted, n, sizeof *sorted, siblings_together, (void *)rows);
        for (size_t i = n; i-- > 0;)
            next[rows[sorted[i]].parent + 1] = i;
        *shown = walk_rows(rows, n, sorted, next, chosen, order);
    }
    free(sorted);
    free(next);
    free(chosen);
    return order;
}
