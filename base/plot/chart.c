/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart as SVG or as a script for gnuplot: its points and colours, the axes with their ticks. */
#include <portolan/chart.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED_TICKS = 6, MAX_TICKS = 64 };

struct tick {
    double value;
    char label[32]; /* "" for a minor tick */
};

/* One direction of the drawing: values become pixels between FROM and TO. */
struct axis {
    bool is_log;
    double min, max; /* of what is shown; MIN < MAX, and > 0 on a logarithmic axis */
    double from, to;
    size_t n_ticks;
    struct tick ticks[MAX_TICKS];
};

/* Okabe and Ito's, which colour-blind readers tell apart. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#000000"};

/* The colour of a series, as "#0072b2"; unnamed bands and points have that of the next series. */
static const char *series_colour(const struct portolan_chart *chart, size_t series)
{
    size_t n = 0;

    for (size_t i = 0; i < series; i++)
        n += chart->series[i].kind == PORTOLAN_CHART_LINE || chart->series[i].name;
    return colours[n % (sizeof colours / sizeof *colours)];
}

/* Whether such an axis can show VALUE. */
static bool axis_shows(bool is_log, double value)
{
    return isfinite(value) && fabs(value) < 1e300 && (!is_log || value > 1e-300);
}

/* Whether the chart can show point I of S. */
static bool point_is_shown(const struct portolan_chart *c, const struct portolan_chart_series *s,
                           size_t i)
{
    double y = s->kind == PORTOLAN_CHART_BAND ? s->high[i] : s->y[i];

    return axis_shows(c->x_log, s->x[i]) && axis_shows(c->y_log, y) &&
           (s->kind != PORTOLAN_CHART_BAND || !isnan(s->low[i]));
}

/* The pixel of VALUE; values outside the axis stay near it. */
static double axis_place(const struct axis *a, double value)
{
    double part = a->is_log ? (log(value) - log(a->min)) / (log(a->max) - log(a->min))
                            : (value - a->min) / (a->max - a->min);

    /* A band may leave the axis, but its numbers must be small enough for readers of SVG. */
    return a->from + fmin(fmax(part, -2), 3) * (a->to - a->from);
}

static void extend(struct axis *a, double value)
{
    if (axis_shows(a->is_log, value)) {
        a->min = fmin(a->min, value);
        a->max = fmax(a->max, value);
    }
}

/* A point counts only if both axes can show it. */
static void extend_both(struct axis *x, struct axis *y, double at, double value)
{
    if (axis_shows(x->is_log, at) && axis_shows(y->is_log, value)) {
        extend(x, at);
        extend(y, value);
    }
}

/* Writes "1e-05" as "1e-5", and 0 without a sign. */
static void write_label(char label[static 32], double value, int digits)
{
    char *e, *rest;

    snprintf(label, 32, "%.*g", digits, value);
    if (!strcmp(label, "-0"))
        strcpy(label, "0");
    if (!(e = strchr(label, 'e')))
        return;
    rest = ++e;
    if (*rest == '-' || *rest == '+')
        e += *rest++ == '-';
    while (*rest == '0')
        rest++;
    memmove(e, rest, strlen(rest) + 1);
}

static void add_tick(struct axis *a, double value, bool has_label, int digits)
{
    struct tick *tick = &a->ticks[a->n_ticks];
    /* Rounding must not cost the tick at the end. */
    double slack = 1e-9 * (a->max - a->min);

    if (a->n_ticks == MAX_TICKS || value < a->min - slack || value > a->max + slack)
        return;
    a->n_ticks++;
    tick->value = value;
    tick->label[0] = '\0';
    if (has_label)
        write_label(tick->label, value, digits);
}

/* Ticks at 1, 2 or 5 times a power of ten. */
static void add_linear_ticks(struct axis *a)
{
    double rough = (a->max - a->min) / WANTED_TICKS, power = pow(10, floor(log10(rough)));
    double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : 2);
    double largest = fmax(fabs(a->min), fabs(a->max)), first = ceil(a->min / step - 1e-9);
    int digits = (int)ceil(log10(largest / step) - 1e-9) + 1;

    digits = digits < 2 ? 2 : digits > 15 ? 15 : digits;
    for (int i = 0; i < 2 * WANTED_TICKS + 2; i++)
        add_tick(a, (first + i) * step, true, digits);
}

/* Up to three decades 2 and 5 have labels, too; from ten decades on some are left out. */
static void add_log_ticks(struct axis *a)
{
    int low = (int)floor(log10(a->min)), high = (int)ceil(log10(a->max));
    int step = (high - low) / 10 + 1;
    double decades = log10(a->max) - log10(a->min);

    for (int decade = low; decade <= high; decade += step)
        for (int digit = 1; digit <= 9; digit++) {
            bool has_label = digit == 1 || (decades <= 3 && (digit == 2 || digit == 5));

            if (digit == 1 || decades <= 6)
                add_tick(a, digit * pow(10, decade), has_label, 6);
        }
}

/* Leaves some room around the outermost points. Linear axes begin at 0 when that is near. */
static void widen(struct axis *a)
{
    double room;

    if (a->is_log) {
        room = fmax(pow(a->max / a->min, 0.04), a->max > a->min ? 1.02 : 2);
        a->min = fmax(a->min / room, 1e-300);
        a->max = fmin(a->max * room, 1e300);
        return;
    }
    room = 0.04 * (a->max - a->min);
    if (a->max - a->min <= 1e-9 * fmax(fabs(a->min), fabs(a->max)))
        room = fmax(fabs(a->min), fabs(a->max)) / 2;
    if (room == 0)
        room = 1;
    a->min = a->min >= 0 && a->min < 0.3 * a->max ? 0 : a->min - room;
    a->max = a->max <= 0 && a->max > 0.3 * a->min ? 0 : a->max + room;
}

/* The axes that hold all points, with their ticks; FROM and TO are the caller's to set. */
static enum portolan_status axes_fit(const struct portolan_chart *chart, struct axis *x,
                                     struct axis *y, struct portolan_error *err)
{
    *x = (struct axis){.is_log = chart->x_log, .min = DBL_MAX, .max = -DBL_MAX};
    *y = (struct axis){.is_log = chart->y_log, .min = DBL_MAX, .max = -DBL_MAX};
    for (size_t i = 0; i < chart->n_series; i++) {
        const struct portolan_chart_series *s = &chart->series[i];

        for (size_t k = 0; k < s->n; k++) {
            if (s->kind == PORTOLAN_CHART_BAND) {
                extend_both(x, y, s->x[k], s->low[k]);
                extend_both(x, y, s->x[k], s->high[k]);
            } else {
                extend_both(x, y, s->x[k], s->y[k]);
            }
        }
    }
    if (x->min > x->max)
        return portolan_error_set(
            err, PORTOLAN_EINVAL, "there is no point to draw%s",
            chart->x_log || chart->y_log ? "; a logarithmic axis shows only values above 0" : "");
    widen(x);
    widen(y);
    for (int i = 0; i < 2; i++) {
        struct axis *a = i ? y : x;

        if (a->is_log)
            add_log_ticks(a);
        else
            add_linear_ticks(a);
    }
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------------------------------- SVG */

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

/* A line across the chart at a tick with a label, else a short one. */
static void add_tick_mark(struct drawing *d, const struct tick *t, bool is_x)
{
    const struct axis *along = is_x ? &d->x : &d->y, *across = is_x ? &d->y : &d->x;
    double at = axis_place(along, t->value);
    double end = *t->label ? across->to : across->from + (is_x ? -5 : 5);

    portolan_text_add(&d->out, "<path class=\"%s\" d=\"M%.2f %.2f%c%.2f\"/>\n",
                      *t->label ? "grid" : "small", is_x ? at : across->from,
                      is_x ? across->from : at, is_x ? 'V' : 'H', end);
    if (*t->label && is_x)
        add_text(d, at, d->y.from + 18, " text-anchor=\"middle\"", t->label);
    else if (*t->label)
        add_text(d, d->x.from - 8, at + 4, " text-anchor=\"end\"", t->label);
}

static void add_frame(struct drawing *d)
{
    const struct portolan_chart *c = d->chart;
    double x = (d->x.from + d->x.to) / 2, y = (d->y.from + d->y.to) / 2;

    for (size_t i = 0; i < d->x.n_ticks; i++)
        add_tick_mark(d, &d->x.ticks[i], true);
    for (size_t i = 0; i < d->y.n_ticks; i++)
        add_tick_mark(d, &d->y.ticks[i], false);
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

/*
 * Whether that pixel has a mark already; notes that it has one now. TAKEN NULL: nothing is noted.
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
    /* Where there are many points, most cover each other. */
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

/* How wide the legend is; 0 without one. Assumes the same width for all characters. */
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
    portolan_text_add(&d->out, "<g clip-path=\"url(#");
    portolan_text_add_xml(&d->out, d->chart->id ? d->chart->id : "inside");
    portolan_text_add(&d->out, ")\">\n");
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

static void add_document_head(struct drawing *d)
{
    portolan_text_add(&d->out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
                      "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                      "font-size=\"12\">\n",
                      WIDTH, HEIGHT, WIDTH, HEIGHT);
    portolan_text_add(&d->out, "<style>.grid{stroke:#ddd}.small,.frame{stroke:#555;"
                               "fill:none}.line{fill:none;stroke-width:2}.band{fill-opacity:.25}"
                               "</style>\n");
}

static void add_head(struct drawing *d)
{
    const char *id = d->chart->id ? d->chart->id : "inside";

    if (d->chart->id) {
        portolan_text_add(&d->out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH,
                          HEIGHT);
        portolan_text_add_xml(&d->out, d->chart->title ? d->chart->title : "chart");
        portolan_text_add(&d->out, "\">\n");
    } else {
        add_document_head(d);
    }
    portolan_text_add(&d->out, "<clipPath id=\"");
    portolan_text_add_xml(&d->out, id);
    portolan_text_add(
        &d->out, "\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
        d->x.from, d->y.to, d->x.to - d->x.from, d->y.from - d->y.to);
    if (!d->chart->id)
        portolan_text_add(&d->out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH,
                          HEIGHT);
}

static enum portolan_status write_svg(const struct portolan_chart *chart, char **text,
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
    add_head(&d);
    add_frame(&d);
    add_series(&d);
    add_legend(&d);
    portolan_text_add(&d.out, "</svg>\n");
    return portolan_text_take(&d.out, text, err);
}

/* ------------------------------------------------------------------------------------ gnuplot */

/* In single quotes gnuplot replaces nothing; a quote is doubled, and a line cannot end there. */
static void add_quoted(struct portolan_text *out, const char *text)
{
    portolan_text_add(out, "'");
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            portolan_text_add(out, " ");
        else
            portolan_text_add(out, "%c%s", *text, *text == '\'' ? "'" : "");
    portolan_text_add(out, "'");
}

static void add_number(struct portolan_text *out, double value)
{
    if (isfinite(value))
        portolan_text_add(out, " %.17g", value);
    else
        portolan_text_add(out, " NaN");
}

/* A block of data; an empty line is a gap. FOOT replaces what a logarithmic axis cannot show. */
static void add_data(struct portolan_text *out, const struct portolan_chart *c, size_t series,
                     double foot)
{
    const struct portolan_chart_series *s = &c->series[series];

    portolan_text_add(out, "$series%zu << END\n", series);
    for (size_t i = 0; i < s->n; i++) {
        if (point_is_shown(c, s, i)) {
            add_number(out, s->x[i]);
            if (s->kind == PORTOLAN_CHART_BAND) {
                add_number(out, c->y_log && !(s->low[i] > 0) ? foot : s->low[i]);
                add_number(out, s->high[i]);
            } else {
                add_number(out, s->y[i]);
            }
        } else if (s->kind != PORTOLAN_CHART_LINE) {
            continue;
        }
        portolan_text_add(out, "\n");
    }
    portolan_text_add(out, "END\n");
}

/* What is plotted of the block of data, and how. */
static void add_plot(struct portolan_text *out, const struct portolan_chart *c, size_t series)
{
    const struct portolan_chart_series *s = &c->series[series];

    portolan_text_add(out, "$series%zu using %s", series,
                      s->kind == PORTOLAN_CHART_POINTS ? "1:2 with points pointtype 7"
                      : s->kind == PORTOLAN_CHART_LINE
                          ? "1:2 with lines linewidth 2"
                          : "1:2:3 with filledcurves fillstyle transparent solid 0.25");
    portolan_text_add(out, " linecolor rgb '%s' ", series_colour(c, series));
    if (s->name && *s->name) {
        portolan_text_add(out, "title ");
        add_quoted(out, s->name);
    } else {
        portolan_text_add(out, "notitle");
    }
}

static void add_setting(struct portolan_text *out, const char *name, const char *text)
{
    if (!text)
        return;
    portolan_text_add(out, "set %s ", name);
    add_quoted(out, text);
    portolan_text_add(out, "\n");
}

static void add_axis(struct portolan_text *out, char name, const struct axis *a)
{
    if (a->is_log)
        portolan_text_add(out, "set logscale %c\n", name);
    portolan_text_add(out, "set %crange [%.17g:%.17g]\nset %ctics (", name, a->min, a->max, name);
    for (size_t i = 0; i < a->n_ticks; i++)
        portolan_text_add(out, "%s'%s' %.17g%s", i ? ", " : "", a->ticks[i].label,
                          a->ticks[i].value, *a->ticks[i].label ? "" : " 1");
    portolan_text_add(out, ")\n");
}

static enum portolan_status write_script(const struct portolan_chart *chart, char **script,
                                         struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct axis x, y;
    enum portolan_status status = axes_fit(chart, &x, &y, err);

    *script = NULL;
    if (status != PORTOLAN_OK)
        return status;
    portolan_text_add(&out, "set encoding utf8\nset termoption noenhanced\nset grid\n"
                            "set key outside right top\nset style data points\n");
    add_setting(&out, "title", chart->title);
    add_setting(&out, "xlabel", chart->x_label);
    add_setting(&out, "ylabel", chart->y_label);
    add_axis(&out, 'x', &x);
    add_axis(&out, 'y', &y);
    for (size_t i = 0; i < chart->n_series; i++)
        add_data(&out, chart, i, y.min);
    for (size_t i = 0; i < chart->n_series; i++) {
        portolan_text_add(&out, i ? ", \\\n     " : "plot ");
        add_plot(&out, chart, i);
    }
    portolan_text_add(&out, "\n");
    return portolan_text_take(&out, script, err);
}

enum portolan_status portolan_chart_write(const struct portolan_chart *chart, const char *file,
                                          char **text, struct portolan_error *err)
{
    const char *dot = strrchr(file, '.');

    *text = NULL;
    if (dot && !strcmp(dot, ".svg"))
        return write_svg(chart, text, err);
    if (dot && (!strcmp(dot, ".gp") || !strcmp(dot, ".gnuplot")))
        return write_script(chart, text, err);
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "'%s': a plot's file ends in .svg, or in .gp or .gnuplot for a script of gnuplot", file);
}
