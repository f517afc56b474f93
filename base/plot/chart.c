/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shown: points, colours, the range of the axes and their ticks; as a script for gnuplot.
 */
#include "plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WANTED_TICKS = 6 };

/* Okabe and Ito's, which colour-blind readers tell apart. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#000000"};

const char *series_colour(const struct portolan_chart *chart, size_t series)
{
    size_t n = 0;

    for (size_t i = 0; i < series; i++)
        n += chart->series[i].kind == PORTOLAN_CHART_LINE || chart->series[i].name;
    return colours[n % (sizeof colours / sizeof *colours)];
}

bool axis_shows(bool is_log, double value)
{
    return isfinite(value) && fabs(value) < 1e300 && (!is_log || value > 1e-300);
}

bool point_is_shown(const struct portolan_chart *c, const struct portolan_chart_series *s, size_t i)
{
    double y = s->kind == PORTOLAN_CHART_BAND ? s->high[i] : s->y[i];

    return axis_shows(c->x_log, s->x[i]) && axis_shows(c->y_log, y) &&
           (s->kind != PORTOLAN_CHART_BAND || !isnan(s->low[i]));
}

double axis_place(const struct axis *a, double value)
{
    double part = a->is_log ? log(value / a->min) / log(a->max / a->min)
                            : (value - a->min) / (a->max - a->min);

    /* A band may leave the axis; numbers that SVG's readers cannot hold must not come of it. */
    return a->from + fmin(fmax(part, -2), 3) * (a->to - a->from);
}

static void extend(struct axis *a, double value)
{
    if (axis_shows(a->is_log, value)) {
        a->min = fmin(a->min, value);
        a->max = fmax(a->max, value);
    }
}

/* Only points with a place in both directions count in either. */
static void extend_both(struct axis *x, struct axis *y, double at, double value)
{
    if (axis_shows(x->is_log, at) && axis_shows(y->is_log, value)) {
        extend(x, at);
        extend(y, value);
    }
}

/* "1e-05" as "1e-5", and no sign of a 0. */
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
    /* A hair of rounding must not cost the tick at the end. */
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

/* Within three decades also 2 and 5 have labels; of many only some decades. */
static void add_log_ticks(struct axis *a)
{
    int low = (int)floor(log10(a->min)), high = (int)ceil(log10(a->max));
    int step = (high - low) / 10 + 1;
    double decades = log10(a->max / a->min);

    for (int decade = low; decade <= high; decade += step)
        for (int digit = 1; digit <= 9; digit++) {
            bool has_label = digit == 1 || (decades <= 3 && (digit == 2 || digit == 5));

            if (digit == 1 || decades <= 6)
                add_tick(a, digit * pow(10, decade), has_label, 6);
        }
}

/* Some room beside the outermost points. Linear axes begin at 0 when that is near. */
static void widen(struct axis *a)
{
    double room;

    if (a->is_log) {
        room = fmax(pow(a->max / a->min, 0.04), a->max > a->min ? 1.02 : 2);
        a->min = fmax(a->min / room, 1e-300);
        a->max *= room;
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

enum portolan_status axes_fit(const struct portolan_chart *chart, struct axis *x, struct axis *y,
                              struct portolan_error *err)
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
            chart->x_log || chart->y_log ? "; a logarithmic axis has none at or below 0" : "");
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

/* A block of data; an empty line is a gap. FOOT stands for what a logarithmic axis cannot show. */
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
        return svg_write(chart, text, err);
    if (dot && (!strcmp(dot, ".gp") || !strcmp(dot, ".gnuplot")))
        return write_script(chart, text, err);
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "'%s': a plot's file ends in .svg, or in .gp or .gnuplot for a script of gnuplot", file);
}
