/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time goes, as pictures that need no scripts: an icicle, and tables of shaded cells. */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <string.h>

enum { WIDTH = 960, LINE = 24, CHARACTER = 7, MOST_ROWS = 40, MOST_MATRIX = 32, SHADES = 8 };

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

/* ------------------------------------------------------------------ ranks x paths */

static double own_time(const json_t *rank, size_t path)
{
    return json_number_value(json_array_get(json_object_get(rank, "exclusive_ns"), path));
}

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

static void shaded(struct portolan_text *out, double value, double most, enum report_unit unit)
{
    json_t *x = json_real(value);
    int dark = value > 0 && most > 0 ? (int)ceil(SHADES * fmin(1, value / most)) : 0;

    portolan_text_add(out, "<td class=\"number shade%d on%d\" data-value=\"", dark, dark);
    portolan_text_add_number(out, value);
    portolan_text_add(out, "\">");
    if (value > 0)
        report_add_value(x, unit, out);
    portolan_text_add(out, "</td>");
    json_decref(x);
}

static void begin_table(struct portolan_text *out, const char *member, const char *caption,
                        const char *corner)
{
    portolan_text_add(out,
                      "<details class=\"table\" open><summary>%s</summary><div class=\"scroll\" "
                      "tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"shaded\" "
                      "data-part=\"time\" data-member=\"%s\"><caption class=\"hidden\">%s</caption>"
                      "<thead><tr><th scope=\"col\">%s</th>",
                      caption, caption, member, caption, corner);
}

static void draw_ranks(const json_t *part, struct portolan_text *out)
{
    const json_t *ranks = json_object_get(part, "ranks"), *paths = json_object_get(part, "paths");
    size_t chosen[MOST_ROWS], n = heaviest(paths, chosen);

    if (json_array_size(ranks) < 2 || !n)
        return;
    begin_table(out, "ranks", "Own time of each call path on each rank: shades of its greatest",
                "call path");
    for (size_t k = 0; k < json_array_size(ranks); k++)
        portolan_text_add(out, "<th scope=\"col\" class=\"number\">rank %.0f</th>",
                          report_number(json_array_get(ranks, k), "rank"));
    portolan_text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        double most = 0;

        portolan_text_add(out, "<tr><th scope=\"row\">");
        report_add_cut(out, report_text(json_array_get(paths, chosen[i]), "label"), 80);
        portolan_text_add(out, "</th>");
        for (size_t k = 0; k < json_array_size(ranks); k++)
            most = fmax(most, own_time(json_array_get(ranks, k), chosen[i]));
        for (size_t k = 0; k < json_array_size(ranks); k++)
            shaded(out, own_time(json_array_get(ranks, k), chosen[i]), most, REPORT_TIME);
        portolan_text_add(out, "</tr>\n");
    }
    portolan_text_add(out, "</tbody></table></div></details>\n");
}

/* ------------------------------------------------------------------ messages */

static void draw_matrix(const json_t *part, struct portolan_text *out)
{
    const json_t *pairs = json_object_get(part, "messages");
    size_t n = (size_t)fmax(0, report_number(part, "of_ranks"));
    double bytes[MOST_MATRIX][MOST_MATRIX] = {0}, most = 0;

    if (!json_array_size(pairs) || n > MOST_MATRIX || report_number(part, "messages_left_out") > 0)
        return;
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *p = json_array_get(pairs, i);
        double from = report_number(p, "from"), to = report_number(p, "to");

        if (from >= 0 && to >= 0 && from < (double)n && to < (double)n)
            bytes[(size_t)from][(size_t)to] = report_number(p, "bytes");
        most = fmax(most, report_number(p, "bytes"));
    }
    begin_table(out, "matrix", "Bytes sent from the rank of a row to that of a column", "from");
    for (size_t k = 0; k < n; k++)
        portolan_text_add(out, "<th scope=\"col\" class=\"number\">to %zu</th>", k);
    portolan_text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "<tr><th scope=\"row\">rank %zu</th>", i);
        for (size_t k = 0; k < n; k++)
            shaded(out, bytes[i][k], most, REPORT_BYTES);
        portolan_text_add(out, "</tr>\n");
    }
    portolan_text_add(out, "</tbody></table></div></details>\n");
}

void report_draw_time(const json_t *part, struct portolan_text *out)
{
    if (!json_array_size(json_object_get(part, "paths")))
        return;
    draw_icicle(json_object_get(part, "paths"), out);
    draw_ranks(part, out);
    draw_matrix(part, out);
}
