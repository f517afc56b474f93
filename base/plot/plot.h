/* SPDX-License-Identifier: BSD-3-Clause */
/* The room's own: axes, and the SVG form. */
#ifndef PORTOLAN_PLOT_H
#define PORTOLAN_PLOT_H

#include <portolan/chart.h>

enum { MAX_TICKS = 64 };

struct tick {
    double value;
    char label[32]; /* "" for a small one */
};

/* One direction of the drawing: values become pixels between FROM and TO. */
struct axis {
    bool is_log;
    double min, max; /* of what is shown; MIN < MAX, and > 0 on a logarithmic axis */
    double from, to;
    size_t n_ticks;
    struct tick ticks[MAX_TICKS];
};

/* Whether VALUE has a place on such an axis. */
bool axis_shows(bool is_log, double value);

/* Whether point I of S has a place in the chart. */
bool point_is_shown(const struct portolan_chart *c, const struct portolan_chart_series *s,
                    size_t i);

/*
 * The axes that hold all points of CHART, with their ticks; FROM and TO are the caller's to set.
 * PORTOLAN_EINVAL: there is no point.
 */
enum portolan_status axes_fit(const struct portolan_chart *chart, struct axis *x, struct axis *y,
                              struct portolan_error *err);

/* The colour of a series, as "#0072b2"; bands and points without a name have the next one's. */
const char *series_colour(const struct portolan_chart *chart, size_t series);

/* The pixel of VALUE; those outside the axis stay near it. */
double axis_place(const struct axis *a, double value);

enum portolan_status svg_write(const struct portolan_chart *chart, char **text,
                               struct portolan_error *err);

#endif
