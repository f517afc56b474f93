/* SPDX-License-Identifier: BSD-3-Clause */
/* A chart as a script for gnuplot, and the choice between the forms. */
#include "plot.h"

#include <math.h>
#include <string.h>

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

static bool is_shown(const struct portolan_chart *c, const struct portolan_chart_series *s,
                     size_t i)
{
    double y = s->kind == PORTOLAN_CHART_BAND ? s->high[i] : s->y[i];

    return axis_shows(c->x_log, s->x[i]) && axis_shows(c->y_log, y) &&
           (s->kind != PORTOLAN_CHART_BAND || !isnan(s->low[i]));
}

/* A block of data; an empty line is a gap. FOOT stands for what a logarithmic axis cannot show. */
static void add_data(struct portolan_text *out, const struct portolan_chart *c, size_t series,
                     double foot)
{
    const struct portolan_chart_series *s = &c->series[series];

    portolan_text_add(out, "$series%zu << END\n", series);
    for (size_t i = 0; i < s->n; i++) {
        if (is_shown(c, s, i)) {
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
