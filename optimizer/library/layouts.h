/* SPDX-License-Identifier: BSD-3-Clause */
/** Memory, and data in several layouts, as assemblies declare them (layouts.c). */
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

/* The costs of conversions of one kind of data. */
struct plan_conversions {
    double ns[MAX_LAYOUTS]
             [MAX_LAYOUTS]; /* [from][to], through other layouts where that is quicker */
    double all_ns[MAX_LAYOUTS][1 << MAX_LAYOUTS]; /* from one layout to exactly this set */
};

/* layouts.c: reads and checks what assemblies declare, and computes it. */
enum portolan_status plan_check_formulas(const struct portolan_assembly *a,
                                         struct portolan_diagnostics *d);
enum portolan_status plan_read_memory(struct portolan_plan *p, struct portolan_error *err);
double plan_memory_of(const struct portolan_plan *p, const size_t *selection);
enum portolan_status plan_read_data(struct portolan_plan *p, struct portolan_error *err);
void plan_clear_data(struct portolan_plan *p);
void plan_fill_conversions(struct plan_view *v, const struct plan_known *announced);
size_t plan_layout_of(const struct plan_end *e, const size_t *selection);
/* Returns whether the calls of a path make the data. */
bool plan_makes(const struct portolan_plan *p, const struct plan_data *d, size_t path);
/* Nanoseconds per making, to convert for one taker (NULL: for all, which share conversions);
 * INFINITY: there is no known way. */
double plan_convert(const struct plan_view *v, const struct plan_data *d,
                    const struct plan_end *taker, const size_t *selection);

#endif
