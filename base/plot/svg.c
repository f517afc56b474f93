/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart as SVG. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 480, TOP = 40, BOTTOM = 60, LEFT = 80, RIGHT = 24 };
enum { LEGEND_LINE = 20, LEGEND_KEY = 30, LEGEND_MAX = 240, CHARACTER = 7 };
enum { MANY_POINTS = 1000 };

struct drawing {
    const struct portolan_chart *chart;
    struct axis x, y;
    struct portolan_text out;
};

static void add_text(struct drawing *d, double x, double y, const char *attributes,
                     const char *text)
{
    portolan_text_add(&d->out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    portolan_text_add_xml(&d->out, text);
    portolan_text_add(&d->out, "</text>\n");
}

/* ------------------------------------------------------------------------------------- frame */

static void add_ticks(struct drawing *d)
{
    for (size_t i = 0; i < d->x.n_ticks; i++) {
        const struct tick *t = &d->x.ticks[i];
        double at = axis_place(&d->x, t->value);

        portolan_text_add(&d->out, "<path class=\"%s\" d=\"M%.2f %.2fV%.2f\"/>\n",
                          *t->label ? "grid" : "small", at, d->y.from,
                          *t->label ? d->y.to : d->y.from - 5);
        if (*t->label)
            add_text(d, at, d->y.from + 18, " text-anchor=\"middle\"", t->label);
    }
    for (size_t i = 0; i < d->y.n_ticks; i++) {
        const struct tick *t = &d->y.ticks[i];
        double at = axis_place(&d->y, t->value);

        portolan_text_add(&d->out, "<path class=\"%s\" d=\"M%.2f %.2fH%.2f\"/>\n",
                          *t->label ? "grid" : "small", d->x.from, at,
                          *t->label ? d->x.to : d->x.from + 5);
        if (*t->label)
            add_text(d, d->x.from - 8, at + 4, " text-anchor=\"end\"", t->label);
    }
}

static void add_frame(struct drawing *d)
{
    const struct portolan_chart *c = d->chart;
    double x = (d->x.from + d->x.to) / 2, y = (d->y.from + d->y.to) / 2;

    add_ticks(d);
    portolan_text_add(&d->out,
                      "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.1f\"/>\n",
                      d->x.from, d->y.to, d->x.to - d->x.from, d->y.from - d->y.to);
    if (c->title)
        add_text(d, x, TOP - 16, " text-anchor=\"middle\" font-weight=\"bold\"", c->title);
    if (c->x_label)
        add_text(d, x, HEIGHT - 16, " text-anchor=\"middle\"", c->x_label);
    if (c->y_label) {
        portolan_text_add(&d->out, "<g transform=\"translate(20 %.1f) rotate(-90)\">", y);
        add_text(d, 0, 0, " text-anchor=\"middle\"", c->y_label);
        portolan_text_add(&d->out, "</g>\n");
    }
}

/* ------------------------------------------------------------------------------------ series */

/* One of four forms, so that series differ on paper as well. */
static const char *const marks[] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "M-4 -4h8v8h-8z",
                                    "M0 -5l5 9h-10z", "M0 -5l5 5l-5 5l-5 -5z"};

static void add_mark(struct drawing *d, size_t series, double x, double y)
{
    portolan_text_add(&d->out, "<path fill=\"%s\" transform=\"translate(%.2f %.2f)\" d=\"%s\"/>\n",
                      series_colour(d->chart, series), x, y,
                      marks[series % (sizeof marks / sizeof *marks)]);
}

/* Whether a mark lies in that pixel already; from now on one does. TAKEN NULL: nobody keeps book.
 */
static bool is_taken(unsigned char *taken, double x, double y)
{
    size_t pixel = (size_t)y * WIDTH + (size_t)x;

    if (!taken || x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT)
        return false;
    if (taken[pixel])
        return true;
    taken[pixel] = 1;
    return false;
}

static void add_points(struct drawing *d, size_t series)
{
    const struct portolan_chart_series *s = &d->chart->series[series];
    /* Of many points most lie on others. */
    unsigned char *taken = s->n > MANY_POINTS ? portolan_calloc(WIDTH, HEIGHT) : NULL;

    for (size_t i = 0; i < s->n; i++) {
        double x, y;

        if (!point_is_shown(d->chart, s, i))
            continue;
        x = axis_place(&d->x, s->x[i]);
        y = axis_place(&d->y, s->y[i]);
        if (is_taken(taken, x, y))
            continue;
        add_mark(d, series, x, y);
    }
    free(taken);
}

static void add_line(struct drawing *d, size_t series)
{
    const struct portolan_chart_series *s = &d->chart->series[series];
    bool is_drawing = false;

    portolan_text_add(&d->out, "<path class=\"line\" stroke=\"%s\" d=\"",
                      series_colour(d->chart, series));
    for (size_t i = 0; i < s->n; i++) {
        if (!point_is_shown(d->chart, s, i)) {
            is_drawing = false;
            continue;
        }
        portolan_text_add(&d->out, "%c%.2f %.2f", is_drawing ? 'L' : 'M',
                          axis_place(&d->x, s->x[i]), axis_place(&d->y, s->y[i]));
        is_drawing = true;
    }
    portolan_text_add(&d->out, "\"/>\n");
}

/* Along the upper edge and back along the lower one, for each run without a gap. */
static void add_band(struct drawing *d, size_t series)
{
    const struct portolan_chart_series *s = &d->chart->series[series];

    portolan_text_add(&d->out, "<path class=\"band\" fill=\"%s\" d=\"",
                      series_colour(d->chart, series));
    for (size_t first = 0, last; first < s->n; first = last) {
        for (last = first; last < s->n && point_is_shown(d->chart, s, last); last++)
            portolan_text_add(&d->out, "%c%.2f %.2f", last > first ? 'L' : 'M',
                              axis_place(&d->x, s->x[last]), axis_place(&d->y, s->high[last]));
        for (size_t i = last; i-- > first;)
            portolan_text_add(&d->out, "L%.2f %.2f", axis_place(&d->x, s->x[i]),
                              axis_shows(d->y.is_log, s->low[i]) ? axis_place(&d->y, s->low[i])
                                                                 : d->y.from);
        if (last > first)
            portolan_text_add(&d->out, "z");
        else
            last++;
    }
    portolan_text_add(&d->out, "\"/>\n");
}

/* ------------------------------------------------------------------------------------ legend */

/* How wide the legend is; 0 without one. A character is taken to be as wide as most are. */
static double legend_width(const struct portolan_chart *c)
{
    size_t longest = 0;

    for (size_t i = 0; i < c->n_series; i++) {
        size_t characters = 0;

        for (const char *at = c->series[i].name; at && *at; at++)
            characters += ((unsigned char)*at & 0xc0) != 0x80;
        longest = characters > longest ? characters : longest;
    }
    if (!longest)
        return 0;
    return fmin(LEGEND_KEY + (double)longest * CHARACTER, LEGEND_MAX);
}

static void add_legend(struct drawing *d)
{
    double x = d->x.to + 12, y = TOP + 12;

    for (size_t i = 0; i < d->chart->n_series; i++) {
        const struct portolan_chart_series *s = &d->chart->series[i];

        if (!s->name || !*s->name)
            continue;
        if (s->kind == PORTOLAN_CHART_POINTS)
            add_mark(d, i, x + 10, y);
        else if (s->kind == PORTOLAN_CHART_LINE)
            portolan_text_add(&d->out, "<path class=\"line\" stroke=\"%s\" d=\"M%.1f %.1fh20\"/>\n",
                              series_colour(d->chart, i), x, y);
        else
            portolan_text_add(&d->out,
                              "<path class=\"band\" fill=\"%s\" d=\"M%.1f %.1fh20v10h-20z\"/>\n",
                              series_colour(d->chart, i), x, y - 5);
        add_text(d, x + LEGEND_KEY - 4, y + 4, "", s->name);
        y += LEGEND_LINE;
    }
}

static void add_series(struct drawing *d)
{
    portolan_text_add(&d->out, "<g clip-path=\"url(#inside)\">\n");
    for (size_t i = 0; i < d->chart->n_series; i++) {
        switch (d->chart->series[i].kind) {
        case PORTOLAN_CHART_POINTS:
            add_points(d, i);
            break;
        case PORTOLAN_CHART_LINE:
            add_line(d, i);
            break;
        case PORTOLAN_CHART_BAND:
            add_band(d, i);
            break;
        }
    }
    portolan_text_add(&d->out, "</g>\n");
}

enum portolan_status svg_write(const struct portolan_chart *chart, char **text,
                               struct portolan_error *err)
{
    struct drawing d = {.chart = chart};
    double legend = legend_width(chart);
    enum portolan_status status = axes_fit(chart, &d.x, &d.y, err);

    *text = NULL;
    if (status != PORTOLAN_OK)
        return status;
    d.x.from = LEFT;
    d.x.to = WIDTH - RIGHT - legend;
    d.y.from = HEIGHT - BOTTOM;
    d.y.to = TOP;
    portolan_text_add(&d.out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
                      "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                      "font-size=\"12\">\n",
                      WIDTH, HEIGHT, WIDTH, HEIGHT);
    portolan_text_add(&d.out,
                      "<style>.grid{stroke:#ddd}.small,.frame{stroke:#555;"
                      "fill:none}.line{fill:none;stroke-width:2}.band{fill-opacity:.25}</style>\n"
                      "<clipPath id=\"inside\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.1f\"/></clipPath>\n"
                      "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                      d.x.from, d.y.to, d.x.to - d.x.from, d.y.from - d.y.to, WIDTH, HEIGHT);
    add_frame(&d);
    add_series(&d);
    add_legend(&d);
    portolan_text_add(&d.out, "</svg>\n");
    return portolan_text_take(&d.out, text, err);
}
