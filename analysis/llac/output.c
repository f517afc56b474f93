/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of text. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void llac_grid_add(struct grid *g, const char *format, ...)
{
    const char **grown = portolan_arena_grow(g->arena, g->cells, g->n_cells, sizeof *g->cells);
    va_list args;

    if (!grown)
        return;
    g->cells = grown;
    va_start(args, format);
    g->cells[g->n_cells] = portolan_arena_vprintf(g->arena, format, args);
    va_end(args);
    g->n_cells += g->cells[g->n_cells] != NULL;
}

void llac_grid_number(struct grid *g, double value)
{
    if (isnan(value))
        llac_grid_add(g, "%s", "");
    else if (value == floor(value) && fabs(value) < 1e12) /* sizes and counts stay readable */
        llac_grid_add(g, "%.0f", value);
    else
        llac_grid_add(g, "%.6g", value);
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void llac_grid_write(const struct grid *g, struct portolan_text *out)
{
    int widths[64] = {0};

    for (size_t i = 0; i < g->n_cells; i++) {
        int width = width_of(g->cells[i]), *widest = &widths[i % g->n_columns % 64];

        *widest = width > *widest ? width : *widest;
    }
    for (size_t i = 0; i < g->n_cells; i++) {
        size_t column = i % g->n_columns;
        bool is_left = column < 32 && g->left >> column & 1, is_last = column + 1 == g->n_columns;
        int space = widths[column % 64] - width_of(g->cells[i]);

        portolan_text_add(out, "%s%*s%s%*s", column ? "  " : "", is_left ? 0 : space, "",
                          g->cells[i], is_left && !is_last ? space : 0, "");
        if (!is_last)
            continue;
        while (out->length && out->bytes[out->length - 1] == ' ')
            out->bytes[--out->length] = '\0';
        portolan_text_add(out, "\n");
    }
}

int llac_decimals(const double *values, size_t n)
{
    double least = INFINITY, most = 0;
    int decimals;

    for (size_t i = 0; i < n; i++) {
        double size = fabs(values[i]);

        if (!isfinite(size))
            continue;
        most = fmax(most, size);
        if (size > 0)
            least = fmin(least, size);
    }
    if (most == 0)
        return 0;
    if (most > 1e6 * least)
        return -1;
    /* Whole numbers need none. */
    decimals = (int)ceil(-log10(least)) + 3;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]) && values[i] != floor(values[i]))
            return decimals < 0 ? 0 : decimals > 9 || most >= 1e9 ? -1 : decimals;
    return most < 1e15 ? 0 : -1;
}

const char *llac_unit(struct statement *s, const char *unit)
{
    const char *text = unit && *unit ? portolan_arena_printf(s->arena, " (%s)", unit) : NULL;

    return text ? text : "";
}
