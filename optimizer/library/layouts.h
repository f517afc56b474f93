/* SPDX-License-Identifier: BSD-3-Clause */
/** What assemblies declare: memory, and data in several layouts (declare.c). */
#ifndef PORTOLAN_OPTIMIZER_LAYOUTS_H
#define PORTOLAN_OPTIMIZER_LAYOUTS_H

#include "survey.h"

struct plan_known;
struct plan_view;

enum { MAX_LAYOUTS = 6 };

/* An instance that makes or takes data. */
struct plan_end {
    const struct portolan_assembly_instance *instance;
    size_t variable; /* NONE: it has one implementation */
    size_t *layout;  /* per alternative; NONE: any will do */
};

struct plan_conversion {
    size_t from, to;
    struct portolan_formula *seconds;
};

/* Data that one instance makes and others take, in layouts of their own. */
struct plan_data {
    const struct portolan_assembly_data *from;
    size_t n_layouts;
    const char *layouts[MAX_LAYOUTS];
    size_t n_ends;
    struct plan_end *ends; /* the maker first */
    struct plan_conversion *conversions;
};

/* What conversions take. */
struct plan_conversions {
    double ns[MAX_LAYOUTS][MAX_LAYOUTS]; /* [from][to], by way of others where that is quicker */
    double all_ns[MAX_LAYOUTS][1 << MAX_LAYOUTS]; /* from one to exactly this set of layouts */
};

/* declare.c: memory, and data in several layouts. */
enum portolan_status plan_check_formulas(const struct portolan_assembly *a,
                                         struct portolan_diagnostics *d);
enum portolan_status plan_read_memory(struct portolan_plan *p, struct portolan_error *err);
double plan_memory_of(const struct portolan_plan *p, const size_t *selection);
enum portolan_status plan_read_data(struct portolan_plan *p, struct portolan_error *err);
void plan_clear_data(struct portolan_plan *p);
void plan_fill_conversions(struct plan_view *v, const struct plan_known *announced);
size_t plan_layout_of(const struct plan_end *e, const size_t *selection);
/* Whether the calls of a path make the data. */
bool plan_makes(const struct portolan_plan *p, const struct plan_data *d, size_t path);
/* Nanoseconds per making for one taker (NULL: for all, who share); INFINITY: it is not known how.
 */
double plan_convert(const struct plan_view *v, const struct plan_data *d,
                    const struct plan_end *taker, const size_t *selection);

#endif
