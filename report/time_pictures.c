/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws how the time was spent, as pictures that need no scripts: an icicle, and shaded cells. */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <string.h>

enum { WIDTH = 960, LINE = 24, CHARACTER = 7, MOST_ROWS = 40, SHADES = 8 };
enum { MOST_MATRIX = 1024, MOST_TABLE = 32 };

/* A shade from 0 to SHADES, by the square root: small values are seen, too. */
static int shade(double x, double most)
{
    return x > 0 && most > 0 ? (int)ceil(SHADES * sqrt(fmin(1, x / most))) : 0;
}

/* ------------------------------------------------------------------ icicle */

static double inclusive(const json_t *path)
{
    double ns = report_number(path, "inclusive_ns");

    return ns > 0 ? ns : 0;
}

static void draw_cell(const json_t *path, double x, double width, double most,
                      struct portolan_text *out)
{
    double y = report_number(path, "depth") * LINE;
    bool pruned = json_is_true(json_object_get(path, "pruned"));

    portolan_text_add(out, "<g class=\"cell%s\"><title>", pruned ? " pruned" : "");
    report_add_cut(out, report_text(path, "label"), 400);
    portolan_text_add(out,
                      "</title><rect class=\"shade%d\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" "
                      "height=\"%d\"/>",
                      shade(report_number(path, "exclusive_ns"), most), x, y, width, LINE - 2);
    if (width > 5 * CHARACTER) {
        portolan_text_add(out, "<text x=\"%.1f\" y=\"%.0f\" class=\"on%d\">", x + 5, y + 15,
                          shade(report_number(path, "exclusive_ns"), most));
        report_add_cut(out, report_text(path, "label"), (size_t)(width / CHARACTER) - 1);
        portolan_text_add(out, "</text>");
    }
    portolan_text_add(out, "</g>\n");
}

/* Parents stand before their children: each takes its width from what its parent has left. */
static void draw_icicle(const json_t *paths, struct portolan_text *out)
{
    struct portolan_arena pool = {0};
    size_t n = json_array_size(paths), depth = 0;
    double *next = portolan_arena_alloc(&pool, n + 1, sizeof *next), roots = 0, most = 0, left = 0;

    for (size_t i = 0; i < n; i++) {
        const json_t *p = json_array_get(paths, i);

        roots += report_number(p, "parent") < 0 ? inclusive(p) : 0;
        most = fmax(most, report_number(p, "exclusive_ns"));
        depth = (size_t)fmax((double)depth, report_number(p, "depth"));
    }
    portolan_text_add(out,
                      "<figure class=\"icicle\"><svg viewBox=\"0 0 %d %zu\" role=\"img\" "
                      "aria-label=\"Call paths by time\">\n",
                      WIDTH, (depth + 1) * LINE);
    for (size_t i = 0; next && i < n; i++) {
        const json_t *p = json_array_get(paths, i);
        double parent = report_number(p, "parent");
        double width = roots > 0 ? WIDTH * inclusive(p) / roots : 0;
        double *at = parent < 0 ? &left : &next[(size_t)parent];

        next[i] = *at;
        if (width > 0.3 && *at < WIDTH)
            draw_cell(p, *at, fmin(width, WIDTH - *at), most, out);
        *at += width;
    }
    portolan_text_add(out, "</svg><figcaption>Width is time with calls below, shade a call path's "
                           "own time.</figcaption></figure>\n");
    out->failed |= pool.failed;
    portolan_arena_clear(&pool);
}

/* ------------------------------------------------------------------ grids */

enum { LABELS = 320, HEAD = 24, WIDEST = 48, CHARACTERS = 44 };

/* Call paths x ranks, or ranks x ranks: as a picture of shaded cells, and as a table. */
struct grid {
    const char *member, *caption, *numbers, *corner; /* NUMBERS: the table's caption */
    size_t rows, columns;
    const char **row_names, **column_names;
    double *values, *most; /* row after row; what the shades of a row are compared with */
    enum report_unit unit;
    struct portolan_arena pool;
};

static bool open_grid(struct grid *g)
{
    g->row_names = portolan_arena_alloc(&g->pool, g->rows, sizeof *g->row_names);
    g->column_names = portolan_arena_alloc(&g->pool, g->columns, sizeof *g->column_names);
    g->values = portolan_arena_alloc(&g->pool, g->rows * g->columns, sizeof *g->values);
    g->most = portolan_arena_alloc(&g->pool, g->rows, sizeof *g->most);
    return !g->pool.failed;
}

static void put_value(struct grid *g, size_t row, size_t column, double value)
{
    g->values[row * g->columns + column] = value;
    g->most[row] = fmax(g->most[row], value);
}

/* The cells of a row, those of a shade as one path: there may be thousands. */
static void draw_cells(const struct grid *g, size_t row, double width, double height,
                       struct portolan_text *out)
{
    for (int dark = 1; dark <= SHADES; dark++) {
        const char *begin = "<path class=\"shade%d\" d=\"";

        for (size_t k = 0; k < g->columns; k++)
            if (shade(g->values[row * g->columns + k], g->most[row]) == dark) {
                portolan_text_add(out, begin, dark);
                portolan_text_add(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", LABELS + width * (double)k,
                                  HEAD + height * (double)row, fmax(width, 2), fmax(height, 2),
                                  fmax(width, 2));
                begin = "";
            }
        portolan_text_add(out, *begin ? "" : "\"/>");
    }
}

/* Names of every so many rows or columns, where there is room. */
static void draw_names(const char *const *names, size_t n, bool down, double each,
                       struct portolan_text *out)
{
    size_t stride = (size_t)ceil((down ? 13 : 60) / each);

    for (size_t i = 0; i < n; i += stride ? stride : 1) {
        double middle = ((double)i + 0.5) * each;

        portolan_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
                          down ? LABELS - 8 : LABELS + middle, down ? HEAD + middle + 4 : HEAD - 8.,
                          down ? "end" : "middle");
        report_add_cut(out, names[i], CHARACTERS);
        portolan_text_add(out, "</text>");
    }
}

static void draw_grid(const struct grid *g, struct portolan_text *out)
{
    double width = fmin(WIDEST, (double)(WIDTH - LABELS) / (double)g->columns);
    double height = fmin(LINE - 4, 560 / (double)g->rows);

    portolan_text_add(out,
                      "<figure class=\"cells\" data-member=\"%s\" data-width=\"%.3f\" "
                      "data-height=\"%.3f\"><svg viewBox=\"0 0 %d %.0f\" role=\"img\" "
                      "aria-label=\"%s\">",
                      g->member, width, height, WIDTH, HEAD + height * (double)g->rows + 2,
                      g->caption);
    portolan_text_add(out,
                      "<rect class=\"shade0\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>",
                      LABELS, HEAD, width * (double)g->columns, height * (double)g->rows);
    draw_names(g->row_names, g->rows, true, height, out);
    draw_names(g->column_names, g->columns, false, width, out);
    for (size_t i = 0; i < g->rows; i++)
        draw_cells(g, i, width, height, out);
    portolan_text_add(out, "</svg><figcaption>%s.</figcaption></figure>\n", g->caption);
}

static void add_cell(const struct grid *g, size_t row, size_t column, struct portolan_text *out)
{
    json_t *x = json_real(g->values[row * g->columns + column]);

    portolan_text_add(out, "<td class=\"number\" data-value=\"");
    portolan_text_add_number(out, json_real_value(x));
    portolan_text_add(out, "\">");
    report_add_value(x, g->unit, out);
    portolan_text_add(out, "</td>");
    json_decref(x);
}

static void add_grid_table(const struct grid *g, struct portolan_text *out)
{
    portolan_text_add(
        out,
        "<details class=\"table\"><summary>%s (%zu rows)</summary><div class=\"scroll\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table data-part=\"time\" "
        "data-member=\"%s\"><caption class=\"hidden\">%s</caption>"
        "<thead><tr><th scope=\"col\">%s</th>",
        g->numbers, g->rows, g->numbers, g->member, g->numbers, g->corner);
    for (size_t k = 0; k < g->columns; k++)
        portolan_text_add(out, "<th scope=\"col\" class=\"number\">%s</th>", g->column_names[k]);
    portolan_text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < g->rows; i++) {
        portolan_text_add(out, "<tr><th scope=\"row\">");
        report_add_cut(out, g->row_names[i], 2 * CHARACTERS);
        portolan_text_add(out, "</th>");
        for (size_t k = 0; k < g->columns; k++)
            add_cell(g, i, k, out);
        portolan_text_add(out, "</tr>\n");
    }
    portolan_text_add(out, "</tbody></table></div></details>\n");
}

static void close_grid(struct grid *g, struct portolan_text *out)
{
    out->failed |= g->pool.failed;
    portolan_arena_clear(&g->pool);
}

/* ------------------------------------------------------------------ call paths x ranks */

/* The paths of the most exclusive time, in the order of the tree. */
static size_t heaviest(const json_t *paths, size_t *chosen)
{
    size_t n = 0, all = json_array_size(paths);

    for (size_t i = 0; i < all; i++) {
        double ns = report_number(json_array_get(paths, i), "exclusive_ns");
        size_t above = 0;

        for (size_t k = 0; k < all && above < MOST_ROWS; k++)
            above += report_number(json_array_get(paths, k), "exclusive_ns") > ns;
        if (ns > 0 && above < MOST_ROWS && n < MOST_ROWS)
            chosen[n++] = i;
    }
    return n;
}

static void draw_ranks(const json_t *part, struct portolan_text *out)
{
    const json_t *ranks = json_object_get(part, "ranks"), *paths = json_object_get(part, "paths");
    size_t chosen[MOST_ROWS];
    struct grid g = {.member = "ranks",
                     .caption = "Own time of each call path on each rank, darker is longer; "
                                "each row by its greatest",
                     .numbers = "Own time on each rank, as numbers",
                     .corner = "call path",
                     .rows = heaviest(paths, chosen),
                     .columns = json_array_size(ranks),
                     .unit = REPORT_TIME};

    if (g.columns > 1 && g.rows && open_grid(&g)) {
        for (size_t i = 0; i < g.rows; i++)
            g.row_names[i] = report_text(json_array_get(paths, chosen[i]), "label");
        for (size_t k = 0; k < g.columns; k++) {
            const json_t *rank = json_array_get(ranks, k);
            const json_t *own = json_object_get(rank, "exclusive_ns");

            g.column_names[k] =
                portolan_arena_printf(&g.pool, "rank %.0f", report_number(rank, "rank"));
            for (size_t i = 0; i < g.rows; i++)
                put_value(&g, i, k, json_number_value(json_array_get(own, chosen[i])));
        }
        if (!g.pool.failed) {
            draw_grid(&g, out);
            add_grid_table(&g, out);
        }
    }
    close_grid(&g, out);
}

/* ------------------------------------------------------------------ messages */

/* A pair's position in the matrix; false: it is of no rank that there is. */
static bool find_cell(const json_t *pair, const struct grid *g, size_t *from, size_t *to)
{
    double a = report_number(pair, "from"), b = report_number(pair, "to");

    if (!(a >= 0 && b >= 0 && a < (double)g->rows && b < (double)g->rows))
        return false;
    *from = (size_t)a;
    *to = (size_t)b;
    return true;
}

static void draw_matrix(const json_t *part, struct portolan_text *out)
{
    const json_t *pairs = json_object_get(part, "messages");
    size_t ranks = (size_t)fmax(0, report_number(part, "of_ranks")), from, to;
    struct grid g = {.member = "matrix",
                     .caption = "Bytes sent from the rank of a row to that of a column",
                     .numbers = "Bytes from rank to rank, as numbers",
                     .corner = "from",
                     .rows = ranks,
                     .columns = ranks,
                     .unit = REPORT_BYTES};
    double most = 0;

    if (json_array_size(pairs) && ranks <= MOST_MATRIX && open_grid(&g)) {
        for (size_t i = 0; i < ranks; i++)
            g.row_names[i] = g.column_names[i] = portolan_arena_printf(&g.pool, "%zu", i);
        for (size_t i = 0; i < json_array_size(pairs); i++) {
            const json_t *p = json_array_get(pairs, i);

            most = fmax(most, report_number(p, "bytes"));
            if (find_cell(p, &g, &from, &to))
                put_value(&g, from, to, report_number(p, "bytes"));
        }
        for (size_t i = 0; i < ranks; i++)
            g.most[i] = most;
        if (!g.pool.failed)
            draw_grid(&g, out);
        if (!g.pool.failed && ranks <= MOST_TABLE &&
            !(report_number(part, "messages_left_out") > 0))
            add_grid_table(&g, out);
    }
    close_grid(&g, out);
}

void report_draw_time(const json_t *part, struct portolan_text *out)
{
    if (!json_array_size(json_object_get(part, "paths")))
        return;
    draw_icicle(json_object_get(part, "paths"), out);
    draw_ranks(part, out);
    draw_matrix(part, out);
}
