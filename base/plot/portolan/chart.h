/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * chart: numbers as a picture. A chart is a title, two axes and series of points, lines and bands;
 * it becomes SVG, or a script for gnuplot that draws the same.
 *
 * The same chart always gives the same text. Nothing here prints or writes files. Many threads may
 * call these functions at once.
 */
#ifndef PORTOLAN_CHART_H
#define PORTOLAN_CHART_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum portolan_chart_kind {
    PORTOLAN_CHART_POINTS, /**< a mark at each (x, y) */
    PORTOLAN_CHART_LINE,   /**< from point to point; a missing point leaves a gap */
    PORTOLAN_CHART_BAND    /**< the area between (x, low) and (x, high) */
};

/**
 * One series. A point is left out where a number is not finite or, on a logarithmic axis, not above
 * 0; a band's LOW that is not above 0 is drawn at the foot of such an axis instead. Bands and
 * points without a name belong to the next series in the array, and have its colour.
 */
struct portolan_chart_series {
    const char *name; /**< for the legend; NULL: not in it */
    enum portolan_chart_kind kind;
    size_t n;
    const double *x;
    const double *y;          /**< of points and lines */
    const double *low, *high; /**< of bands */
};

/** All is borrowed for the call. Texts are UTF-8 and may hold anything; NULL = none. */
struct portolan_chart {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    /** As SVG only the element, for HTML whose style shows classes small, grid, frame, line, band
     * and whose other elements have other ids; NULL: a whole document. */
    const char *id;
    size_t n_series;
    const struct portolan_chart_series *series; /**< later ones lie above earlier ones */
};

/**
 * CHART as the text of FILE, whose ending chooses the form; the file itself is the caller's to
 * write. .svg: a whole SVG 1.1 document, 720 pixels wide, without scripts, fonts or references to
 * other files; of a series of more than 1,000 points only one is drawn in each pixel. .gp,
 * .gnuplot: a script for gnuplot 5.0 or newer with the data in it, without a terminal. *TEXT is
 * malloc'ed, the caller frees it; on failure it is NULL. Errors: EINVAL when there is no point to
 * draw or FILE ends otherwise, ENOMEM.
 */
enum portolan_status portolan_chart_write(const struct portolan_chart *chart, const char *file,
                                          char **text, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
